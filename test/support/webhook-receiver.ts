import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { waitFor } from '../../tools/sandbox/services/wait-for';

export interface ReceivedWebhook {
  headers: Record<string, string>;
  rawBody: string;
  body: Record<string, unknown>;
}

/** A merchant's server: stores what it receives, and answers as the test sets it. */
export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Replaces the answer, 200 at first. */
  answerWith(handler: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Waits for the first webhook that matches. */
  next(matches: (webhook: ReceivedWebhook) => boolean, timeoutMs?: number): Promise<ReceivedWebhook>;
  close(): Promise<void>;
}

/** Everything that the receivers of this test file have received. */
export const receivedByAll: ReceivedWebhook[] = [];

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const path = `/webhooks/${randomBytes(6).toString('hex')}`;
  let answer = (_request: IncomingMessage, response: ServerResponse): void => {
    response.statusCode = 200;
    response.end('ok');
  };
  // The caller closes idle connections: if the server did, a request could be on its way.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const rawBody = Buffer.concat(chunks).toString('utf8');
      // A call by another program to a port that was free a moment ago is no webhook.
      if (request.headers['webhook-id'] === undefined || !request.url?.startsWith(path)) {
        response.writeHead(404).end();
        return;
      }
      const webhook = {
        headers: request.headers as Record<string, string>,
        rawBody,
        body: JSON.parse(rawBody) as Record<string, unknown>,
      };
      received.push(webhook);
      receivedByAll.push(webhook);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`,
    received,
    answerWith(handler) {
      answer = handler;
    },
    next: (matches, timeoutMs = 20_000) =>
      waitFor(() => Promise.resolve(received.find(matches)), { what: 'a webhook', timeoutMs, everyMs: 20 }),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** @throws when the signature is not the merchant's. */
export function verifySignature(webhook: ReceivedWebhook, secret: string): void {
  new Webhook(secret).verify(webhook.rawBody, webhook.headers);
}
