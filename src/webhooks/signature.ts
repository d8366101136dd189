/** Signs webhooks the way standardwebhooks.com describes, so that merchants verify them with a ready library. */
import { Webhook } from 'standardwebhooks';

export interface SignatureHeaders {
  'webhook-id': string;
  /** Seconds since 1970. Merchants refuse what is older than five minutes, so that a copy cannot be replayed. */
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * @param secrets `whsec_…` texts; while a secret is being rotated there are two, and either verifies.
 * @param body exactly as it is sent.
 */
export function signatureHeaders(
  webhookId: string,
  at: Date,
  body: string,
  secrets: string[],
): SignatureHeaders {
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(webhookId, at, body)).join(' '),
  };
}
