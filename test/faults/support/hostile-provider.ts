/** A provider that issues tokens and then answers every prompt in the worst way. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (response: ServerResponse) => void;

export interface HostileProvider {
  url: string;
  /** The phone numbers of received prompts, one entry per request. */
  prompts: string[];
  tokensAsked(): number;
  /** The answer to prompts for this phone number. */
  answerTo(phone: string, answer: Answer): void;
  answerTokensWith(answer: Answer): void;
  close(): Promise<void>;
}

/** Fifty megabytes that begin like a valid answer. */
export const huge: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"ResponseCode":"0","CheckoutRequestID":"ws_CO_1","padding":"');
  response.end('x'.repeat(50 * 1024 * 1024));
};

/** Writes as long as the connection is open. */
export const endless: Answer = (response) => {
  const chunk = 'x'.repeat(16 * 1024);
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};

/** One byte per second of a valid answer. */
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
