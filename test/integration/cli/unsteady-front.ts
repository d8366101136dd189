/** Stands before an API, and gives the next answers in its place, as told: for a while it is as good as down. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request as ask } from 'undici';

/** Instead of an answer: a status in the API's own words, what a proxy says in HTML, or a line that breaks off. */
export type Trouble = 429 | 500 | 503 | 'proxy' | 'reset' | 'cut';

export interface UnsteadyFront {
  url: string;
  /** How often a path that ends so was asked for. */
  asked(ending: string): number;
  /** What is to become of the next requests for a path that ends so. */
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
      // Not `fetch`, which tests have hold answers against the description: what is played here has a body of its own.
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
