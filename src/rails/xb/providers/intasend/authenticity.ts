/**
 * Separates the provider's notifications from those of other callers. It does not prove their content: an attacker may
 * have intercepted the secret.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IntasendSettings } from '../../settings';

type Headers = Record<string, string | string[] | undefined>;

/**
 * The challenge is documented as a field of the body. Integrators also read it from the header `x-intasend-challenge`.
 * Some read `x-intasend-signature`, the hexadecimal HMAC-SHA256 of the raw body, which counts if its secret is
 * configured. A valid signature is enough, and with an invalid one nothing else counts.
 * @returns why any caller may have sent it; undefined if it is authentic.
 */
export function authenticityFault(
  headers: Headers,
  rawBody: Buffer,
  body: Record<string, unknown>,
  { challenge, webhookSecret }: Pick<IntasendSettings, 'challenge' | 'webhookSecret'>,
): string | undefined {
  const signature = headers['x-intasend-signature'];
  if (webhookSecret !== undefined && signature !== undefined) {
    const right = createHmac('sha256', webhookSecret).update(rawBody).digest('hex');
    const reported = typeof signature === 'string' ? signature.toLowerCase() : signature;
    return isSecret(reported, right) ? undefined : 'wrong signature';
  }
  const reported = [headers['x-intasend-challenge'], body['challenge']];
  return reported.some((each) => isSecret(each, challenge)) ? undefined : 'wrong or missing challenge';
}

function isSecret(reported: unknown, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return typeof reported === 'string' && timingSafeEqual(digest(reported), digest(secret));
}
