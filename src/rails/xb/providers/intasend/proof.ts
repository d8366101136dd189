/** What tells the provider's notifications from a stranger's. None of it proves what they say: it may have been seen on its way. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IntasendSettings } from '../../settings';

type Headers = Record<string, string | string[] | undefined>;

/**
 * The challenge is documented as a field of the body; integrators of the provider also read it from the header
 * `x-intasend-challenge`. Some read `x-intasend-signature`, the HMAC-SHA256 of the raw body in hexadecimal digits, which
 * counts where we were given its secret: a right one is enough, and beside a wrong one nothing is.
 * @returns why it may be anybody's; undefined where it is not.
 */
export function doubtAbout(
  headers: Headers,
  rawBody: Buffer,
  body: Record<string, unknown>,
  { challenge, webhookSecret }: Pick<IntasendSettings, 'challenge' | 'webhookSecret'>,
): string | undefined {
  const signature = headers['x-intasend-signature'];
  if (webhookSecret !== undefined && signature !== undefined) {
    const right = createHmac('sha256', webhookSecret).update(rawBody).digest('hex');
    const told = typeof signature === 'string' ? signature.toLowerCase() : signature;
    return isSecret(told, right) ? undefined : 'wrong signature';
  }
  const told = [headers['x-intasend-challenge'], body['challenge']];
  return told.some((each) => isSecret(each, challenge)) ? undefined : 'wrong or missing challenge';
}

function isSecret(told: unknown, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return typeof told === 'string' && timingSafeEqual(digest(told), digest(secret));
}
