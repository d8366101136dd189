/** A provider that gives out tokens and then answers every prompt as badly as it can. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (response: ServerResponse) => void;

export interface HostileProvider {
  url: string;
  /** The phone numbers that prompts were asked for, one entry per request. */
  prompts: string[];
  tokensAsked(): number;
  /** How prompts to this phone number are answered. */
  answerTo(phone: string, answer: Answer): void;
  answerTokensWith(answer: Answer): void;
  close(): Promise<void>;
}

/** Fifty megabytes that begin like an acceptance. */
export const huge: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"ResponseCode":"0","CheckoutRequestID":"ws_CO_1","padding":"');
  response.end('x'.repeat(50 * 1024 * 1024));
};

/** Writes for as long as somebody listens. */
export const endless: Answer = (response) => {
  const chunk = 'x'.repeat(16 * 1024);
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};

/** One byte a second, of what would in the end be an acceptance. */
export const drip: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const text = '{"ResponseCode":"0","CheckoutRequestID":"ws_CO_2"}';
  let sent = 0;
  const timer = setInterval(() => {
    response.write(text[sent] ?? ' ');
    sent += 1;
  }, 1_000);
  response.on('close', () => {
    clearInterval(timer);
  });
};

export function page(status: number, text: string): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(text);
  };
}

const token: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"access_token":"hostile","expires_in":"3599"}');
};

export async function startHostileProvider(): Promise<HostileProvider> {
  const prompts: string[] = [];
  const answers = new Map<string, Answer>();
  let tokenAnswer = token;
  let tokensAsked = 0;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/oauth/')) {
      tokensAsked += 1;
      tokenAnswer(response);
      return;
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const phone = String((JSON.parse(text) as { PhoneNumber?: unknown }).PhoneNumber);
    prompts.push(phone);
    (answers.get(phone) ?? page(500, ''))(response);
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    prompts,
    tokensAsked: () => tokensAsked,
    answerTo: (phone, answer) => answers.set(phone, answer),
    answerTokensWith(answer) {
      tokenAnswer = answer;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
