/** A merchant's webhook endpoint: verifies the signature, answers, and stores or shows the webhook. */
import { createServer, type IncomingMessage } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { ReceivedWebhook, WebhookReceiver } from '../../../src/rail-kit/demo';
import { freePort } from '../services/free-port';
import { say } from '../services/progress';
import { waitFor } from '../services/wait-for';

const waitMs = 30_000;

/** For the demo: it waits for the webhooks of its payments. */
export async function webhookReceiver(secret: string): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const url = await receive(secret, (webhook) => received.push(webhook));
  return {
    url,
    next: (what, fits) =>
      waitFor(() => Promise.resolve(received.find(({ body }) => fits(body))), {
        what: `the webhook of ${what}`,
        timeoutMs: waitMs,
      }),
  };
}

/** The path of {@link webhookPrinter}'s address: a later start replaces such an address, and no other. */
export const printerPath = '/npm-start';

/** For the user's shop: it shows each webhook in this terminal, until the shop has an address of its own. */
export function webhookPrinter(secret: string): Promise<string> {
  return receive(
    secret,
    (webhook) => {
      say(`webhook: ${describe(webhook)}`);
    },
    printerPath,
  );
}

/** @returns the address of the new endpoint. */
async function receive(
  secret: string,
  take: (webhook: ReceivedWebhook) => void,
  path = '/webhooks',
): Promise<string> {
  const port = await freePort();
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const webhook = read(secret, text, request);
      take(webhook);
      response.statusCode = webhook.signatureFault === undefined ? 200 : 401;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String(port)}${path}`;
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

/** A webhook with a wrong signature is shown too: its sender wants to see which one it was. */
function bodyOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { unreadable: text };
  }
}

function describe({ body, signatureFault }: ReceivedWebhook): string {
  const checked =
    signatureFault === undefined ? 'signature verified' : `signature rejected: ${signatureFault}`;
  return `${JSON.stringify(body)} (${checked})`;
}
