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

/**
 * @param rawBody as it came, before anything has parsed it.
 * @param headers in lower case, as Node has them.
 * @param secret `whsec_…`
 * @throws WebhookError for what is not ours, or older than five minutes.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: Record<string, string | string[] | undefined>,
  secret: string,
  nowS = Date.now() / 1000,
): Webhook {
  const [id, timestamp, signatures, type] = [
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'x-callback-type',
  ].map((name) => String(headers[name] ?? ''));
  if (!(Math.abs(nowS - Number(timestamp)) < toleranceS))
    throw new WebhookError('It is too old, or has no time');
  const body = Buffer.from(rawBody);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const wanted = createHmac('sha256', key)
    .update(`${id ?? ''}.${timestamp ?? ''}.`)
    .update(body)
    .digest();
  const isOurs = (signatures ?? '').split(' ').some((one) => {
    const [version, text = ''] = one.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  if (!isOurs) throw new WebhookError('The signature is not ours');
  return { id, type, body: JSON.parse(body.toString('utf8')) as unknown } as Webhook;
}
