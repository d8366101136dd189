import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../../src/domain/log';
import { createMerchant, type MerchantInput, type NewMerchant } from '../../../src/merchants/merchants';
import { secretBox } from '../../../src/merchants/secrets';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { enqueueWebhook, type NewWebhook } from '../../../src/webhooks/outbox';

export const box = secretBox([{ id: 'test', key: randomBytes(32) }]);

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** The number of connections that were ever opened to it. */
  connections(): number;
  close(): Promise<void>;
}

type Answer = (response: ServerResponse, n: number, request: IncomingMessage) => void;

/** A merchant's server. `answer` gets the number of the request, counted from 1. */
export async function startReceiver(answer: Answer): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  // The caller closes idle connections: if the server did, a request could be on its way.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, body: Buffer.concat(chunks) });
      answer(response, received.length, request);
    });
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

export const always =
  (status: number, text = ''): Answer =>
  (response) =>
    response.writeHead(status).end(text);

export interface LogLine {
  level: keyof Log;
  message: string;
  fields: Record<string, unknown>;
}

export function memoryLog(): Log & { lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: keyof Log) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export function newMerchant(db: Database, settings: MerchantInput = {}): Promise<NewMerchant> {
  return createMerchant(db, box, { ...settings, name: 'Duka', environment: 'sandbox' });
}

/** A placeholder for the payment of a webhook; nothing here reads it. */
export const paymentId = '01890000-0000-7000-8000-000000000000';

export function enqueue(
  db: Database,
  merchantId: string,
  changes: Partial<NewWebhook> = {},
): Promise<string> {
  return inTransaction(db, (trx) =>
    enqueueWebhook(trx, {
      paymentId,
      merchantId,
      toState: 'succeeded',
      callbackType: 'STK-Push',
      endpoint: 'webhook_url',
      body: { payment_id: paymentId, status: 'Success' },
      requestId: 'req-1',
      ...changes,
    }),
  );
}

/** Ends the pause before the next attempt at once. */
export async function makeDue(db: Database, webhookId: string): Promise<void> {
  await db('outbox')
    .where({ webhook_id: webhookId })
    .update({ next_at: db.raw('UTC_TIMESTAMP(3)') });
}
