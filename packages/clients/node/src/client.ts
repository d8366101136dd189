import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { mayPass, send, staysInDoubt, type NotTaken, type Sent } from './answers.js';
import { OutcomeUnknownError, RefusedError } from './errors.js';
import { routes, type Operations, type Route } from './operations.js';

export interface Settings {
  /** Such as `https://pay.example.com`. */
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  /** How often a request is sent at most; 4 unless told. */
  triesMax?: number;
  /** Of one try; 40,000 unless told. Milliseconds. */
  timeoutMs?: number;
  /** Before the second try; each one after it is twice as long. 500 unless told. Milliseconds. */
  firstPauseMs?: number;
}

export interface CallOptions {
  /** Names what is to happen once, such as your order; made up unless told. 1 to 255 characters of printable ASCII. */
  idempotencyKey?: string;
  /** An earlier call with this key ended in doubt: it lasts until the key itself is answered. */
  isRepeat?: boolean;
}

type Input<Id extends keyof Operations> = Operations[Id]['input'];

/** Every operation by its name. A refusal is thrown as RefusedError, doubt as OutcomeUnknownError. */
export type Malipo = {
  [Id in keyof Operations]: Record<string, never> extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Operations[Id]['answer']>
    : (input: Input<Id>, options?: CallOptions) => Promise<Operations[Id]['answer']>;
};

const pauseMaxMs = 30_000;
const printable = /^[\x20-\x7e]{1,255}$/;

/** Keys are sent as headers with each request, and are never part of an error. */
export function createMalipo(settings: Settings): Malipo {
  if (!/^https?:\/\/[^/]/.test(settings.baseUrl))
    throw new TypeError('baseUrl must be an http or https address');
  for (const name of ['apiKey', 'apiSecret'] as const) {
    if (!printable.test(settings[name]))
      throw new TypeError(`${name} must be 1 to 255 printable ASCII characters`);
  }
  const calls = Object.keys(routes).map((id) => [
    id,
    (input: object = {}, options: CallOptions = {}) =>
      call(settings, routes[id as keyof Operations], input, options),
  ]);
  return Object.fromEntries(calls) as Malipo;
}

async function call(settings: Settings, route: Route, input: object, options: CallOptions): Promise<unknown> {
  const key = route.takesKey ? (options.idempotencyKey ?? randomUUID()) : undefined;
  const request = requestOf(settings, route, input, key);
  const { triesMax = 4, timeoutMs = 40_000, firstPauseMs = 500 } = settings;
  // Some try may have been acted on, and the key was not answered since.
  let isInDoubt = options.isRepeat === true;
  let paymentId: string | undefined;
  for (let n = 1; ; n += 1) {
    const answer = await send(request, timeoutMs);
    if (answer.kind === 'taken') return answer.body;
    isInDoubt = staysInDoubt(answer, isInDoubt);
    if (answer.kind === 'refused') paymentId = answer.body.payment_id ?? paymentId;
    const isLast = n >= triesMax || !mayPass(answer) || answer.afterMs > pauseMaxMs;
    if (isLast || (isInDoubt && !route.mayRepeat)) {
      throw isInDoubt || answer.kind === 'none'
        ? doubtOf(answer, route, key, paymentId)
        : new RefusedError(answer.status, answer.body, answer.afterMs / 1000);
    }
    const pauseMs = Math.min(Math.max(answer.afterMs, firstPauseMs * 2 ** (n - 1)), pauseMaxMs);
    // With some chance in it, so that those who were turned away together do not come back together.
    await pause(pauseMs * (1 + Math.random() / 4));
  }
}

function requestOf(
  { baseUrl, apiKey, apiSecret }: Settings,
  { method, path }: Route,
  input: object,
  key: string | undefined,
): Sent {
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(fields.get(name) ?? '');
    if (['', '.', '..'].includes(value)) throw new TypeError(`${name} is missing`);
    fields.delete(name);
    return encodeURIComponent(value);
  });
  const url = new URL(baseUrl.replace(/\/$/, '') + inPath);
  const headers: Record<string, string> = { 'X-API-Key': apiKey, 'X-API-Secret': apiSecret };
  if (key !== undefined) {
    if (!printable.test(key))
      throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters');
    headers['Idempotency-Key'] = key;
  }
  if (method === 'GET') {
    for (const [name, value] of fields) url.searchParams.set(name, String(value));
    return { url, init: { method, headers } };
  }
  headers['Content-Type'] = 'application/json';
  return { url, init: { method, headers, body: JSON.stringify(Object.fromEntries(fields)) } };
}

function doubtOf(
  answer: NotTaken,
  { mayRepeat }: Route,
  idempotencyKey: string | undefined,
  paymentId: string | undefined,
): OutcomeUnknownError {
  const last = answer.kind === 'none' ? answer.what : `${answer.body.code}: ${answer.body.message}`;
  const next = mayRepeat
    ? ''
    : '. It has no Idempotency-Key and was not repeated: see what is there before you send it again';
  const requestId = answer.kind === 'none' ? undefined : answer.body.request_id;
  return new OutcomeUnknownError(
    `Nobody knows whether the request was taken (${last})${next}`,
    { idempotencyKey, paymentId, requestId },
    answer.kind === 'none' ? { cause: answer.cause } : {},
  );
}
