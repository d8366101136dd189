/** A merchant-side address that accepts and answers the notifications of the hosted checkout, by GET or POST. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Notification {
  method: string;
  path: string;
  contentType: string | undefined;
  /** From the query, or from the JSON body. */
  parameters: Record<string, string>;
  text: string;
}

export interface IpnReceiver {
  url: string;
  received: Notification[];
  /** The answer from now on; without an argument, the one that the provider expects. */
  answerWith(answer?: { status: number; body: string }): void;
  close(): Promise<void>;
}

export async function startIpnReceiver(): Promise<IpnReceiver> {
  const received: Notification[] = [];
  let instead: { status: number; body: string } | undefined;
  // The caller closes idle connections: if the server did, a request could be on its way.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const text = Buffer.concat(chunks).toString();
      const query = Object.fromEntries(new URL(url, 'http://localhost').searchParams);
      const parameters = text === '' ? query : (JSON.parse(text) as Record<string, string>);
      // Another test on this machine may check whether its own server listens here already.
      if (parameters['OrderTrackingId'] === undefined) {
        response.writeHead(404).end();
        return;
      }
      received.push({ method, path: url, contentType: headers['content-type'], parameters, text });
      const { status, body } = instead ?? { status: 200, body: acknowledgement(parameters) };
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received,
    answerWith(answer) {
      instead = answer;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function acknowledgement(parameters: Record<string, string>, status = 200): string {
  return JSON.stringify({
    orderNotificationType: parameters['OrderNotificationType'],
    orderTrackingId: parameters['OrderTrackingId'],
    orderMerchantReference: parameters['OrderMerchantReference'],
    status,
  });
}
