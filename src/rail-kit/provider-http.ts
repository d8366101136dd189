import { Agent, request } from 'undici';
import { aheadByDateHeaderMs } from '../domain/clock-offset';
import { cutText } from '../domain/cut-text';
import { step, type Step } from '../telemetry/tracing/scope';
import type { ObserveProviderCall, Operation } from './rail';
import { wireJson } from './wire-json';

/** How an HTTP call to a provider ended. Only `answered` says anything about what the provider did. */
export type ProviderResponse =
  | { kind: 'answered'; status: number; json: unknown; text: string; body?: string }
  /** The connection was never made: the provider has not received it. */
  | { kind: 'not_sent'; text: string }
  /** The provider may have received it. */
  | { kind: 'unknown'; text: string };

export interface ProviderRequest {
  /** The name of the call in the metrics: `initiate`, `query`, `token`. */
  call: string;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent instead of a body: JSON, byte for byte. */
  rawBody?: string;
  /** Sent instead of a body, as a form. */
  form?: Record<string, string>;
  timeoutMs: number;
  /** For an answer that is a whole table; 64 KiB by default. */
  answerBytesMax?: number;
  /** True where the answer is needed as it was written: its `body` is complete, its `text` only an excerpt. */
  wantsBody?: true;
  /** Adds headers that depend on the exact bytes: a signature. */
  sign?(url: string, rawBody: string): Promise<Record<string, string>>;
}

export interface ProviderHttp {
  send(request: ProviderRequest): Promise<ProviderResponse>;
}

/** The largest answer of a provider, unless the call sets another; a larger one counts as no answer. */
const answerBytesMax = 64 * 1024;
/** Nothing was sent when the connection itself failed (node and undici error codes). */
const neverConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Calls one provider over kept-alive connections, with one deadline for the whole call and no hidden retry. */
export function providerHttp(rail: string, baseUrl: string, observe: ObserveProviderCall): ProviderHttp {
  const agent = new Agent({ connect: { timeout: 5_000 }, connections: 64, pipelining: 1 });
  return {
    async send({
      call,
      method,
      path,
      headers,
      timeoutMs,
      sign,
      answerBytesMax: bytesMax = answerBytesMax,
      wantsBody,
      ...content
    }) {
      const startedAt = performance.now();
      const askedAtMs = Date.now();
      let aheadMs: number | undefined;
      const answer = await step(stepOf(rail, call, method), async (open) => {
        const ended = await once();
        open?.note(loggedAnswer(ended));
        return ended;
      });
      const label = answer.kind === 'answered' ? String(answer.status) : answer.kind;
      observe(rail, call, label, performance.now() - startedAt, aheadMs);
      return answer;

      async function once(): Promise<ProviderResponse> {
        try {
          const url = `${baseUrl.replace(/\/$/, '')}${path}`;
          const { rawBody, contentType } = written(content);
          const response = await request(url, {
            dispatcher: agent,
            method,
            headers: {
              ...headers,
              ...(rawBody === null ? {} : { 'content-type': contentType }),
              ...(rawBody !== null && sign ? await sign(url, rawBody) : {}),
            },
            body: rawBody,
            signal: AbortSignal.timeout(timeoutMs),
          });
          aheadMs = aheadByDateHeaderMs(response.headers.date, { askedAtMs, answeredAtMs: Date.now() });
          const text = await readCapped(response.body, bytesMax);
          return {
            kind: 'answered',
            status: response.statusCode,
            json: wireJson(text),
            text: cutText(text, 500),
            ...(wantsBody ? { body: text } : {}),
          };
        } catch (error) {
          const { code, name, message } = error as { code?: string; name?: string; message?: string };
          const kind = neverConnected.has(code ?? '') ? 'not_sent' : 'unknown';
          return { kind, text: cutText(`${code ?? name ?? 'Error'}: ${message ?? ''}`, 500) };
        }
      }
    },
  };
}

/**
 * Whether a 4xx status is the provider's own rejection. HTML comes from a proxy, which may have passed the request on; so does
 * a 408.
 */
export function isRejectedByProvider({ status, json }: ProviderResponse & { kind: 'answered' }): boolean {
  if (status === 401) return true;
  return json !== undefined && status >= 400 && status < 500 && status !== 408;
}

function stepOf(rail: string, call: string, method: string): Step {
  const peer = { 'malipo.peer': 'provider', 'malipo.rail': rail, 'malipo.call': call } as const;
  return { name: `${rail} ${call}`, kind: 'client', attributes: { ...peer, 'http.request.method': method } };
}

function loggedAnswer(answer: ProviderResponse) {
  const status = answer.kind === 'answered' ? answer.status : undefined;
  return {
    attributes: { 'malipo.outcome': answer.kind, 'http.response.status_code': status },
    hasFailed: status === undefined || status >= 400,
  };
}

function written({ body, rawBody, form }: Pick<ProviderRequest, 'body' | 'rawBody' | 'form'>) {
  if (form !== undefined) {
    const rawBody = new URLSearchParams(form).toString();
    return { rawBody, contentType: 'application/x-www-form-urlencoded' };
  }
  const json = rawBody ?? (body === undefined ? null : JSON.stringify(body));
  return { rawBody: json, contentType: 'application/json' };
}

async function readCapped(stream: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > bytesMax) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type Actions = Required<Pick<Operation, 'initiate' | 'recover' | 'retrieveStatus' | 'readNotification'>>;

/** A provider with existing payments whose account is no longer configured: their result stays unknown. */
export function absentProvider(
  name: string,
): Actions & { checkups?: undefined; wallets?: undefined; statementSource?: undefined } {
  const unknown = { kind: 'unknown', text: `no account at ${name} is configured` } as const;
  return {
    initiate: () => Promise.resolve({ ...unknown, kind: 'not_sent' }),
    recover: () => Promise.resolve(unknown),
    retrieveStatus: () => Promise.resolve(unknown),
    readNotification: () => unknown,
  };
}
