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
  /** The maximal number of attempts. Default: 4. */
  triesMax?: number;
  /** The timeout of one attempt in milliseconds. Default: 40,000. */
  timeoutMs?: number;
  /** The pause before the second attempt in milliseconds; each later pause is twice as long. Default: 500. */
  firstPauseMs?: number;
}

export interface CallOptions {
  /** Identifies what must happen only once, such as your order. 1 to 255 printable ASCII characters. Default: a random key. */
  idempotencyKey?: string;
  /** The outcome of an earlier call with this key is unknown. It stays unknown until the service answers for the key. */
  isRepeat?: boolean;
}

type Input<Id extends keyof Operations> = Operations[Id]['input'];

/** Every operation by its name. An error of the service is thrown as RefusedError, an unknown outcome as OutcomeUnknownError. */
export type Malipo = {
  [Id in keyof Operations]: Record<string, never> extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Operations[Id]['answer']>
    : (input: Input<Id>, options?: CallOptions) => Promise<Operations[Id]['answer']>;
};

const pauseMaxMs = 30_000;
const address = /^https?:\/\/[^\s\\/?#@]+(?:\/[^\s\\?#]*)?$/;
const printable = /^[\x20-\x7e]{1,255}$/;

/** Keys are sent as headers of each request, and are never part of an error. */
export function createMalipo(settings: Settings): Malipo {
  if (!address.test(settings.baseUrl) || !URL.canParse(settings.baseUrl))
    throw new TypeError('baseUrl must be an http or https address without user, query and fragment');
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
  // An attempt may have been accepted, and the service has not answered for the key since.
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
    // Random, so that clients that failed at the same time do not retry at the same time.
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
    : '. The request has no Idempotency-Key and was not retried: check what exists before you send it again';
  const requestId = answer.kind === 'none' ? undefined : answer.body.request_id;
  return new OutcomeUnknownError(
    `It is unknown whether the service accepted the request (${last})${next}`,
    { idempotencyKey, paymentId, requestId },
    answer.kind === 'none' ? { cause: answer.cause } : {},
  );
}
