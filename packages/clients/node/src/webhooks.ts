import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookError } from './errors.js';
import type { Webhooks } from './operations.js';

export type Webhook = {
  [Type in keyof Webhooks]: {
    /** The same for every attempt. Process each id once. */
    id: string;
    /** The kind of body: its `callback_type`, from the signed body. */
    type: Type;
    /** The event type, such as `deposit.succeeded`; `test` for a test. */
    eventType: string;
    body: Webhooks[Type];
  };
}[keyof Webhooks];

/**
 * The headers in any form in which a framework gives them: an object, a `Headers` object or a `Map`, pairs, Node's flat
 * `rawHeaders`, or a whole request that has them. The case of the names does not matter.
 */
export type WebhookHeaders =
  | Record<string, string | readonly string[] | undefined>
  | { forEach(each: (value: string, name: string) => void): void }
  | readonly (readonly [name: string, value: string])[]
  | readonly string[]
  | { headers: object };

const toleranceS = 300;
const keyBytesMin = 24;

/**
 * @param rawBody as received, before any parser.
 * @param secret `whsec_…`
 * @throws WebhookError for a wrong signature or a webhook older than five minutes; TypeError for an invalid secret.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  nowS = Date.now() / 1000,
): Webhook {
  const key = keyIn(secret);
  const header = readerOf(headers);
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  if (!/^\d{1,15}$/.test(timestamp))
    throw new WebhookError('The webhook-timestamp header is missing or not a time');
  // Not `>=`: a clock that is no number must refuse.
  if (!(Math.abs(nowS - Number(timestamp)) < toleranceS))
    throw new WebhookError('The webhook is too old, or its time is in the future');
  const body = bytesOf(rawBody);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const wanted = Buffer.from(`v1,${signature}`);
  const isOurs = header('webhook-signature')
    .split(' ')
    .some((one) => {
      const given = Buffer.from(one);
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
  if (!isOurs) throw new WebhookError('The signature is wrong');
  const told = objectIn(body);
  // The header is not signed, so the body has priority.
  const type = told['callback_type'] ?? header('x-callback-type');
  const eventType = typeof told['event_type'] === 'string' ? told['event_type'] : '';
  return { id, type, eventType, body: told } as unknown as Webhook;
}

function bytesOf(rawBody: unknown): Buffer {
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array || rawBody instanceof ArrayBuffer)
    return Buffer.from(rawBody as string);
  throw new WebhookError('The body must be the received bytes or text, before any parser');
}

function objectIn(body: Buffer): Record<string, unknown> {
  let read: unknown;
  try {
    read = JSON.parse(body.toString('utf8'));
  } catch {
    read = undefined;
  }
  if (typeof read === 'object' && read !== null && !Array.isArray(read))
    return read as Record<string, unknown>;
  throw new WebhookError('The body is not a JSON object');
}

/** A header with several values has them joined, as HTTP does. A value that is not a text counts as absent. */
function readerOf(headers: unknown): (name: string) => string {
  const byName = new Map<string, string[]>();
  for (const [given, value] of pairsOf(headers)) {
    const name = String(given).toLowerCase();
    const texts = [value].flat().filter((one) => typeof one === 'string');
    byName.set(name, [...(byName.get(name) ?? []), ...texts]);
  }
  return (name) => byName.get(name)?.join(', ') ?? '';
}

function pairsOf(headers: unknown): (readonly unknown[])[] {
  if (typeof headers !== 'object' || headers === null) return [];
  if (Array.isArray(headers)) {
    const list = headers as unknown[];
    if (list.every((item) => Array.isArray(item))) return list as unknown[][];
    return list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : []));
  }
  // A request has its headers beside much else; a header of that name would be a text.
  const { headers: inside } = headers as { headers?: unknown };
  if (typeof inside === 'object' && inside !== null) return pairsOf(inside);
  if (!isIterableMap(headers)) return Object.entries(headers);
  const pairs: unknown[][] = [];
  headers.forEach((value, name) => pairs.push([name, value]));
  return pairs;
}

function isIterableMap(headers: unknown): headers is Map<unknown, unknown> {
  const { forEach } = (headers ?? {}) as { forEach?: unknown };
  return typeof forEach === 'function';
}

/** With an empty secret, anyone could sign. */
function keyIn(secret: unknown): Buffer {
  const text = typeof secret === 'string' && secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  const key = Buffer.from(text, 'base64');
  if (key.length >= keyBytesMin && key.toString('base64') === text) return key;
  throw new TypeError('A webhook secret is whsec_ and at least 24 bytes in base64');
}
