/** Answers each attempt of a call from a script, to test the result of a client. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorResponses, type ErrorCode } from '../../../src/domain/errors';

/** `lost`: the request arrived, and the connection failed before its answer. */
export type Step = 'lost' | { status: number; body: string; headers?: Record<string, string> };

export interface Try {
  method: string;
  path: string;
  key: string | undefined;
  body: string;
  atMs: number;
}

export interface ScriptedFront {
  /** The address of one script. Its last step is repeated. */
  add(steps: Step[]): { url: string; tries: Try[] };
  close(): Promise<void>;
}

export const taken = (body: object = {}, headers: Record<string, string> = {}): Step => ({
  status: 200,
  body: JSON.stringify({ success: true, ...body }),
  headers,
});

/** The service's error, with its usual status by default. */
export function refused(
  code: ErrorCode,
  { headers, ...more }: { headers?: Record<string, string>; payment_id?: string } = {},
): Step {
  const { status, message } = errorResponses[code];
  const body = { success: false, error: message, message, code, request_id: 'req-1', timestamp: '', ...more };
  return { status, body: JSON.stringify(body), ...(headers && { headers }) };
}

/** A proxy answers. */
export const page = (status: number, headers: Record<string, string> = {}): Step => ({
  status,
  body: '<html><body>Bad Gateway</body></html>',
  headers: { 'Content-Type': 'text/html', ...headers },
});

export async function startScriptedFront(): Promise<ScriptedFront> {
  const scripts: { steps: Step[]; tries: Try[] }[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, number, path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const script = scripts[Number(number)];
    if (!script) return void response.writeHead(404).end();
    const { method = '', headers } = request;
    const key = headers['idempotency-key'] as string | undefined;
    script.tries.push({ method, path, key, body: await textOf(request), atMs: Date.now() });
    const step = script.steps[Math.min(script.tries.length, script.steps.length) - 1] ?? 'lost';
    if (step === 'lost') return void request.socket.destroy();
    response.writeHead(step.status, { 'Content-Type': 'application/json', ...step.headers }).end(step.body);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    add(steps) {
      const tries: Try[] = [];
      const n = scripts.push({ steps, tries }) - 1;
      return { url: `http://127.0.0.1:${String(port)}/${String(n)}`, tries };
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

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
