/**
 * A faulty proxy in front of the API: for each request that starts something it rejects one attempt and loses the
 * answer to the next.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FaultyFront {
  url: string;
  /** The Idempotency-Key of each attempt, by path, in order. */
  keys: Map<string, string[]>;
  /**
   * From now on, the first attempt of each request is accepted with its answer lost, and every further one is rejected.
   */
  losesAnswers(): void;
  close(): Promise<void>;
}

export async function startFaultyFront(apiUrl: string): Promise<FaultyFront> {
  const keys = new Map<string, string[]>();
  const isHeard = new Set<string>();
  let isLosing = false;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const path = request.url ?? '';
      const tries = keys.get(path) ?? [];
      if (request.method === 'POST') {
        tries.push(String(request.headers['idempotency-key']));
        keys.set(path, tries);
      }
      const key = String(request.headers['idempotency-key']);
      const isLost = isLosing && request.method === 'POST' && !isHeard.has(key);
      const isTurnedAway = isLosing ? request.method === 'POST' && !isLost : tries.length === 1;
      if (isTurnedAway) {
        const busy = {
          success: false,
          code: 'SERVICE_BUSY',
          message: 'The service is busy',
          request_id: 'r',
        };
        response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
        response.end(JSON.stringify(busy));
        return;
      }
      isHeard.add(key);
      const { 'content-length': _, connection: __, host: ___, ...headers } = request.headers;
      const answer = await fetch(`${apiUrl}${path}`, {
        method: request.method ?? 'GET',
        headers: headers as Record<string, string>,
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      });
      const text = await answer.text();
      if (isLosing ? isLost : tries.length === 2) {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    keys,
    losesAnswers() {
      isLosing = true;
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

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
