/** A merchant's webhook endpoint: checks the signature, answers, and keeps what came. */
import { createServer, type IncomingMessage } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { ReceivedWebhook, WebhookReceiver } from '../../../src/rail-kit/demo';
import { freePort } from '../services/free-port';
import { say } from '../services/progress';
import { waitFor } from '../services/wait-for';

const waitMs = 30_000;

export async function webhookReceiver(secret: string): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let announcing = false;
  const port = await freePort();
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const webhook = read(secret, text, request);
      received.push(webhook);
      if (announcing) say(`webhook: ${describe(webhook)}`);
      response.statusCode = webhook.signatureFault === undefined ? 200 : 401;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String(port)}/webhooks`,
    next: (what, fits) =>
      waitFor(() => Promise.resolve(received.find(({ body }) => fits(body))), {
        what: `the webhook of ${what}`,
        timeoutMs: waitMs,
      }),
    announce() {
      announcing = true;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function read(secret: string, text: string, request: IncomingMessage): ReceivedWebhook {
  try {
    new Webhook(secret).verify(text, request.headers as Record<string, string>);
    return { body: JSON.parse(text) as Record<string, unknown>, signatureFault: undefined };
  } catch (error) {
    const signatureFault = error instanceof Error ? error.message : String(error);
    return { body: bodyOf(text), signatureFault };
  }
}

/** What is signed wrongly is still shown: its sender wants to know which one it was. */
function bodyOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { unreadable: text };
  }
}

function describe({ body, signatureFault }: ReceivedWebhook): string {
  const checked =
    signatureFault === undefined ? 'signature verified' : `signature refused: ${signatureFault}`;
  return `${JSON.stringify(body)} (${checked})`;
}
