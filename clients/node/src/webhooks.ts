import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookError } from './errors.js';
import type { Webhooks } from './operations.js';

export type Webhook = {
  [Type in keyof Webhooks]: {
    /** The same at every try: deal with each once. */
    id: string;
    /** The `X-Callback-Type`. */
    type: Type;
    body: Webhooks[Type];
  };
}[keyof Webhooks];

const toleranceS = 300;
const keyBytesMin = 24;

/**
 * @param rawBody as it came, before anything has parsed it.
 * @param headers in lower case, as Node has them.
 * @param secret `whsec_…`
 * @throws WebhookError for what is not ours, or older than five minutes; TypeError for a secret that is none of ours.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: Record<string, string | string[] | undefined>,
  secret: string,
  nowS = Date.now() / 1000,
): Webhook {
  const key = keyIn(secret);
  const [id, timestamp, signatures, type] = [
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'x-callback-type',
  ].map((name) => String(headers[name] ?? ''));
  if (!(Math.abs(nowS - Number(timestamp)) < toleranceS))
    throw new WebhookError('It is too old, or has no time');
  const body = Buffer.from(rawBody);
  const signature = createHmac('sha256', key)
    .update(`${id ?? ''}.${timestamp ?? ''}.`)
    .update(body)
    .digest('base64');
  const wanted = Buffer.from(`v1,${signature}`);
  const isOurs = (signatures ?? '').split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  if (!isOurs) throw new WebhookError('The signature is not ours');
  return { id, type, body: JSON.parse(body.toString('utf8')) as unknown } as Webhook;
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
