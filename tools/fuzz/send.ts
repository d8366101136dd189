import { request as httpRequest, type Agent } from 'node:http';
import { filledIn, type FuzzRequest } from './request';

export interface Answer {
  /** 0 if the connection ended without one. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  ms: number;
  /** What ended the connection. */
  fault?: string;
}

const answerTimeoutMs = 20_000;

function groupedHeaders(request: FuzzRequest, valueOf: (name: string, place: number) => string) {
  const grouped: Record<string, string | string[]> = {};
  for (const [name, value] of request.headers) {
    const filled = filledIn(value, valueOf);
    const before = grouped[name];
    grouped[name] = before === undefined ? filled : [before, filled].flat();
  }
  return grouped;
}

/** Sends a request unchanged, only to this machine; without redirects or retries. */
export function send(
  request: FuzzRequest,
  port: number,
  agent: Agent,
  valueOf: (name: string, place: number) => string,
): Promise<Answer> {
  const body =
    request.body === undefined
      ? undefined
      : Buffer.from(filledIn(Buffer.from(request.body, 'base64').toString('latin1'), valueOf), 'latin1');
  const begun = performance.now();
  return new Promise((resolve) => {
    const ended = (answer: Omit<Answer, 'ms'>) => {
      resolve({ ...answer, ms: performance.now() - begun });
    };
    const failed = (error: Error & { code?: string }) => {
      ended({ status: 0, headers: {}, text: '', fault: error.code ?? error.message });
    };
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port,
        agent,
        method: request.method,
        path: filledIn(request.path, valueOf),
        headers: {
          ...groupedHeaders(request, valueOf),
          ...(body && { 'Content-Length': String(body.length) }),
        },
        timeout: answerTimeoutMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', failed);
        response.once('end', () => {
          ended({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          });
        });
      },
    );
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer in ${String(answerTimeoutMs)} ms`)));
    outgoing.once('error', failed);
    outgoing.end(body);
  });
}
