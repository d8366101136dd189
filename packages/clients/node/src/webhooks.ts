import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookError } from './errors.js';
import type { Webhooks } from './operations.js';

export type Webhook = {
  [Type in keyof Webhooks]: {
    /** The same at every try: deal with each once. */
    id: string;
    /** What kind of body it is: its `callback_type`, as the signed body has it. */
    type: Type;
    /** What became of the payment, such as `deposit.succeeded`; `test` for a test. */
    eventType: string;
    body: Webhooks[Type];
  };
}[keyof Webhooks];

/** As Node has them, a `Headers` object, or any map of names to values: the case of the names does not matter. */
export type WebhookHeaders =
  | Record<string, string | readonly string[] | undefined>
  | { forEach(each: (value: string, name: string) => void): void };

const toleranceS = 300;
const keyBytesMin = 24;

/**
 * @param rawBody as it came, before anything has parsed it.
 * @param secret `whsec_…`
 * @throws WebhookError for what is not ours, or older than five minutes; TypeError for a secret that is none of ours.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  nowS = Date.now() / 1000,
): Webhook {
  const key = keyIn(secret);
  const header = readerOf(headers);
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  if (!/^\d{1,15}$/.test(timestamp))
    throw new WebhookError('It has no webhook-timestamp header that is a time');
  if (Math.abs(nowS - Number(timestamp)) >= toleranceS)
    throw new WebhookError('It is too old, or from the future');
  const body = bytesOf(rawBody);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const wanted = Buffer.from(`v1,${signature}`);
  const isOurs = header('webhook-signature')
    .split(' ')
    .some((one) => {
      const given = Buffer.from(one);
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
  if (!isOurs) throw new WebhookError('The signature is not ours');
  const told = objectIn(body);
  // The header is not signed: it counts for nothing where the body says it.
  const type = told['callback_type'] ?? header('x-callback-type');
  const eventType = typeof told['event_type'] === 'string' ? told['event_type'] : '';
  return { id, type, eventType, body: told } as unknown as Webhook;
}

function bytesOf(rawBody: unknown): Buffer {
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) return Buffer.from(rawBody as string);
  throw new WebhookError('The body has to be the bytes or the text that came, before anything has parsed it');
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
  throw new WebhookError('The body is no JSON object');
}

function readerOf(headers: unknown): (name: string) => string {
  const byName = new Map<string, string>();
  const keep = (name: string, value: unknown) => {
    const [first] = Array.isArray(value) ? (value as unknown[]) : [value];
    if (typeof first === 'string') byName.set(name.toLowerCase(), first);
  };
  if (isIterableMap(headers)) headers.forEach((value, name) => keep(String(name), value));
  else for (const [name, value] of Object.entries(headers ?? {})) keep(name, value);
  return (name) => byName.get(name) ?? '';
}

function isIterableMap(headers: unknown): headers is Map<unknown, unknown> {
  const { forEach } = (headers ?? {}) as { forEach?: unknown };
  return typeof forEach === 'function' && !Array.isArray(headers);
}

/** With an empty secret anybody could sign. */
function keyIn(secret: string): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  const key = Buffer.from(text, 'base64');
  if (key.length >= keyBytesMin && key.toString('base64') === text) return key;
  throw new TypeError(
    'The secret of a webhook is whsec_ and at least 24 bytes in base64, as you were shown it',
  );
}
