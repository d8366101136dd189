import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { OutcomeUnknownError, RefusedError } from './errors.js';
import { routes, type ErrorBody, type Operations } from './operations.js';

export interface Settings {
  /** Such as `https://pay.example.com`. */
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  /** How often a request is sent at most; 4 unless told. */
  triesMax?: number;
  /** Of one try; 40,000 unless told. Milliseconds. */
  timeoutMs?: number;
}

export interface CallOptions {
  /** Names what is to happen once, such as your order; made up unless told. At most 255 characters of ASCII. */
  idempotencyKey?: string;
}

type Input<Id extends keyof Operations> = Operations[Id]['input'];

/** Every operation by its name. A refusal is thrown as RefusedError, doubt as OutcomeUnknownError. */
export type Malipo = {
  [Id in keyof Operations]: Record<string, never> extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Operations[Id]['answer']>
    : (input: Input<Id>, options?: CallOptions) => Promise<Operations[Id]['answer']>;
};

/** Refusals that pass by themselves. Where a key is sent, a repeat is answered as the first was. */
const passing = new Set([429, 500, 503, 504]);
const pauseMaxMs = 30_000;

/** Keys are sent as headers with each request, and are never part of an error. */
export function createMalipo(settings: Settings): Malipo {
  const calls = Object.keys(routes).map((id) => [
    id,
    (input: object = {}, options: CallOptions = {}) => call(settings, id as keyof Operations, input, options),
  ]);
  return Object.fromEntries(calls) as Malipo;
}

async function call(
  settings: Settings,
  id: keyof Operations,
  input: object,
  options: CallOptions,
): Promise<unknown> {
  const { takesKey } = routes[id];
  const key = takesKey ? (options.idempotencyKey ?? randomUUID()) : undefined;
  const request = requestOf(settings, id, input, key);
  const triesMax = settings.triesMax ?? 4;
  for (let n = 1; ; n += 1) {
    const answer = await send(request, settings.timeoutMs ?? 40_000);
    if (answer.kind === 'taken') return answer.body;
    if (n >= triesMax || !mayPass(answer)) throw errorOf(answer, key);
    await pause(pauseMs(n, answer));
  }
}

type Answer =
  | { kind: 'taken'; body: unknown }
  | { kind: 'refused'; status: number; body: ErrorBody; afterMs: number }
  /** Without an answer that can be read. */
  | { kind: 'none'; cause: unknown };

interface Request {
  url: URL;
  init: RequestInit;
}

function requestOf(
  { baseUrl, apiKey, apiSecret }: Settings,
  id: keyof Operations,
  input: object,
  key: string | undefined,
): Request {
  const { method, path } = routes[id];
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(fields.get(name));
    fields.delete(name);
    return encodeURIComponent(value);
  });
  const url = new URL(baseUrl.replace(/\/$/, '') + inPath);
  const headers: Record<string, string> = { 'X-API-Key': apiKey, 'X-API-Secret': apiSecret };
  if (key !== undefined) headers['Idempotency-Key'] = key;
  if (method === 'GET') {
    for (const [name, value] of fields) url.searchParams.set(name, String(value));
    return { url, init: { method, headers } };
  }
  headers['Content-Type'] = 'application/json';
  return { url, init: { method, headers, body: JSON.stringify(Object.fromEntries(fields)) } };
}

async function send({ url, init }: Request, timeoutMs: number): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    const body = (await response.json()) as ErrorBody;
    if (response.ok) return { kind: 'taken', body };
    // A page of something between here and there is no answer of the service.
    if (typeof body.code !== 'string') return { kind: 'none', cause: `HTTP ${String(response.status)}` };
    const afterMs = Number(response.headers.get('retry-after') ?? 0) * 1000;
    return { kind: 'refused', status: response.status, body, afterMs };
  } catch (cause) {
    return { kind: 'none', cause };
  }
}

function mayPass(answer: Exclude<Answer, { kind: 'taken' }>): boolean {
  if (answer.kind === 'none') return true;
  return passing.has(answer.status) || answer.body.code === 'REQUEST_IN_PROGRESS';
}

/** Doubles from half a second on, and never less than the service asks for. */
function pauseMs(n: number, answer: Exclude<Answer, { kind: 'taken' }>): number {
  const afterMs = answer.kind === 'refused' ? answer.afterMs : 0;
  return Math.min(Math.max(afterMs, 500 * 2 ** (n - 1)), pauseMaxMs) + randomInt(250);
}

function errorOf(answer: Exclude<Answer, { kind: 'taken' }>, key: string | undefined): Error {
  if (answer.kind === 'none') {
    return new OutcomeUnknownError('The service gave no answer', key, { cause: answer.cause });
  }
  const { status, body } = answer;
  return body.code === 'ACCEPTANCE_UNKNOWN' || body.code === 'REQUEST_IN_PROGRESS'
    ? new OutcomeUnknownError(body.message, key)
    : new RefusedError(status, body);
}
