/** A proxy before an API. It answers the given requests with failures instead, as if the API were down. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request as ask } from 'undici';

/** The failure: a status with an API error, an HTML page of a proxy, or a broken connection. */
export type Trouble = 429 | 500 | 503 | 'proxy' | 'reset' | 'cut';

export interface UnsteadyFront {
  url: string;
  /** How many requests had a path with this ending. */
  asked(ending: string): number;
  /** The failures for the next requests of a path with this ending. */
  trouble(ending: string, troubles: Trouble[]): void;
  close(): Promise<void>;
}

export async function startUnsteadyFront(apiUrl: string): Promise<UnsteadyFront> {
  const paths: string[] = [];
  const waiting = new Map<string, Trouble[]>();
  const server = createServer((request, response) => {
    const target = request.url ?? '';
    const path = target.split('?')[0] ?? '';
    paths.push(path);
    const ending = [...waiting.keys()].find((one) => path.endsWith(one)) ?? '';
    const trouble = waiting.get(ending)?.shift();
    if (trouble !== undefined) {
      make(trouble, response);
      return;
    }
    void (async () => {
      const { connection: _, host: __, ...headers } = request.headers;
      // Not `fetch`: tests make it check responses against the API description, and these bodies do not match it.
      const { statusCode, body } = await ask(`${apiUrl}${target}`, { headers });
      response.writeHead(statusCode, { 'Content-Type': 'application/json' }).end(await body.text());
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    asked: (ending) => paths.filter((path) => path.endsWith(ending)).length,
    trouble(ending, troubles) {
      waiting.set(ending, troubles);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function make(trouble: Trouble, response: ServerResponse): void {
  if (trouble === 'reset') {
    response.destroy();
    return;
  }
  if (trouble === 'cut') {
    response.writeHead(200, { 'Content-Length': '100' }).write('{"success":', () => response.destroy());
    return;
  }
  if (trouble === 'proxy') {
    response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>');
    return;
  }
  const body = { success: false, code: 'PLAYED', message: 'Not now', request_id: 'r' };
  response.writeHead(trouble, { 'Content-Type': 'application/json', 'Retry-After': '0' });
  response.end(JSON.stringify(body));
}
