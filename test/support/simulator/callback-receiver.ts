/** A merchant-side address that accepts notifications and stores them. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCallback {
  path: string;
  contentType: string | undefined;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
  /** Of the STK provider only. */
  stkCallback: StkCallback;
}

export interface StkCallback {
  MerchantRequestID: string;
  CheckoutRequestID: string;
  ResultCode: number;
  ResultDesc: string;
  CallbackMetadata?: { Item: { Name: string; Value?: unknown }[] };
}

export interface CallbackReceiver {
  url: string;
  received: ReceivedCallback[];
  /** The HTTP status to answer with from now on. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

export async function startCallbackReceiver(): Promise<CallbackReceiver> {
  const received: ReceivedCallback[] = [];
  let status = 200;
  // The caller closes idle connections: if the server did, a request could be on its way.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      // Another test on this machine may check whether its own server listens here already.
      if (text === '') {
        response.writeHead(404).end();
        return;
      }
      const body = JSON.parse(text) as Record<string, unknown>;
      const { headers, url = '' } = request;
      const { stkCallback } = (body['Body'] ?? {}) as { stkCallback: StkCallback };
      received.push({ path: url, contentType: headers['content-type'], headers, text, body, stkCallback });
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end('{"ResultCode":0,"ResultDesc":"Accepted"}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received,
    answerWith(wanted) {
      status = wanted;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
