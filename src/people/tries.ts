/**
 * How often anybody may try to be somebody. Strangers share one allowance for each account; a browser that its owner has
 * signed in with before has one of its own: whoever uses up the strangers' keeps nobody out of an account.
 */
import { createHash } from 'node:crypto';
import { addressBlock } from '../domain/ip-address';
import type { SecretBox } from '../merchants/secrets';
import { takeToken, type RateLimitDecision } from '../merchants/rate-limit';
import type { Database } from '../store/database';

/** Ten at once, then one in two minutes: 720 a day, of passwords with 12 characters and more. */
const ofAccount = { ratePerMinute: 0.5, burst: 10 };
/** Five at once, then ten an hour: of a million codes of which three count, 240 a day are one in 1,400. */
const ofSecondFactor = { ratePerMinute: 1 / 6, burst: 5 };
/** An office behind one address signs in of a morning. Of IPv6 a /64 is one: whoever has one address has all of its. */
const ofAddress = { ratePerMinute: 20, burst: 60 };
/** Mails that somebody gets whom anybody can name. */
const ofMails = { ratePerMinute: 1 / 20, burst: 3 };

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 40);

export interface Trier {
  address: string;
  /** What the browser kept of an earlier time; see `knownBrowser`. */
  browser: string | undefined;
}

const contextOf = (email: string) => `browser:${email}`;

/** What a browser keeps once its owner was let in with it. */
export function knownBrowser(box: SecretBox, email: string): string {
  return box.seal(digest(email), contextOf(email));
}

function isKnown(box: SecretBox, email: string, kept: string): boolean {
  try {
    return box.open(kept, contextOf(email)) === digest(email);
  } catch {
    return false;
  }
}

/** The answer is the same whether there is such an account or not. @param email as it is kept. */
export async function mayTryPassword(
  db: Database,
  box: SecretBox,
  { email, address, browser }: Trier & { email: string },
): Promise<RateLimitDecision> {
  const byAddress = await takeToken(db, {
    bucket: `portal:address:${digest(addressBlock(address))}`,
    ...ofAddress,
  });
  if (!byAddress.allowed) return byAddress;
  const whose =
    browser !== undefined && isKnown(box, email, browser) ? `browser:${digest(browser)}` : digest(email);
  return takeToken(db, { bucket: `portal:account:${whose}`, ...ofAccount });
}

/** Only who has shown the password comes so far; a known browser counts by itself here, too. */
export function mayTryCode(
  db: Database,
  box: SecretBox,
  { email, browser }: Trier & { email: string },
): Promise<RateLimitDecision> {
  const whose =
    browser !== undefined && isKnown(box, email, browser) ? `browser:${digest(browser)}` : digest(email);
  return takeToken(db, { bucket: `portal:code:${whose}`, ...ofSecondFactor });
}

/** Whether somebody gets another mail that anybody can ask for. */
export async function mayMail(db: Database, email: string): Promise<boolean> {
  return (await takeToken(db, { bucket: `portal:mail:${digest(email)}`, ...ofMails })).allowed;
}
