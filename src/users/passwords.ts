/** Passwords (stored only as Argon2id hashes), and the rate limits of sign-in attempts. */
import { createHash } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { addressBlock } from '../domain/ip-address';
import { takeToken, type Limit, type RateLimitDecision } from '../merchants/rate-limit';
import type { SecretBox } from '../merchants/secrets';
import type { Database } from '../store/database';
import { UserError } from './requests';
import { mintToken } from './credentials';

/** OWASP's password storage cheat sheet: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** NIST SP 800-63B: at least 8 with a second factor, 15 without one; 64 must be accepted. */
const passwordLengthMin = 12;
const passwordLengthMax = 128;
const nameLengthMin = 4;

/** The hash of no password. An account without a password, or a missing one, takes the same time to check. */
const decoy = hash('a password that nobody has', cost);

/** The maximum number of hashes at once, each with 19 MiB. More would block the thread pool. */
const atOnceMax = 2;
/** The maximum number in the queue. The last one waits one or two seconds, or ten on a slow machine. */
const waitingMax = 24;
/** The maximum per network, running and queued, so that one network cannot fill the queue. */
const ofNetworkMax = 8;
const waiting: (() => void)[] = [];
const ofNetwork = new Map<string, number>();
let working = 0;

/** The password queue is full. Nothing was done; the user can try later. */
export class PasswordsBusy extends Error {
  readonly retryAfterSeconds = 5;
  /** @param isOfNetwork whether the caller's network has used up its own share. */
  constructor(readonly isOfNetwork: boolean) {
    super('the password queue is full');
  }
}

/** @throws PasswordsBusy */
async function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
  const network = addressBlock(address);
  const theirs = ofNetwork.get(network) ?? 0;
  // Work of the deployment itself has no network.
  if (network !== '' && theirs >= ofNetworkMax) throw new PasswordsBusy(true);
  if (working >= atOnceMax && waiting.length >= waitingMax) throw new PasswordsBusy(false);
  ofNetwork.set(network, theirs + 1);
  try {
    if (working >= atOnceMax) await new Promise<void>((go) => waiting.push(go));
    else working += 1;
    try {
      return await work();
    } finally {
      // The slot goes directly to the next in the queue, so that no new caller overtakes it.
      const next = waiting.shift();
      if (next) next();
      else working -= 1;
    }
  } finally {
    const left = (ofNetwork.get(network) ?? 1) - 1;
    if (left > 0) ofNetwork.set(network, left);
    else ofNetwork.delete(network);
  }
}

/** @throws UserError password_weak */
export function expectUsablePassword(password: string, email: string): void {
  // The normalized length, because normalization can make a text longer than the limit.
  const { length } = password.normalize('NFKC');
  const [name = email] = email.split('@');
  // A short name is part of many words.
  const hasName = name.length >= nameLengthMin && password.toLowerCase().includes(name);
  const isPlain = new Set(password).size < 5 || hasName;
  if (length >= passwordLengthMin && length <= passwordLengthMax && !isPlain) return;
  throw new UserError(
    'password_weak',
    `A password needs ${String(passwordLengthMin)} to ${String(passwordLengthMax)} characters, at least five different ones, without the name in the e-mail address.`,
  );
}

/** An accepted password, hashed. */
export interface PreparedPassword {
  hashed: string;
}

/**
 * @param address of the requester.
 * @throws UserError password_weak; PasswordsBusy
 */
export async function preparePassword(
  password: string,
  email: string,
  address = '',
): Promise<PreparedPassword> {
  expectUsablePassword(password, email);
  return { hashed: await hashPassword(password, address) };
}

/**
 * @param address of the requester.
 * @throws PasswordsBusy
 */
export function hashPassword(password: string, address = ''): Promise<string> {
  return inTurn(address, () => hash(password.normalize('NFKC'), cost));
}

/**
 * @param stored undefined without a password; then the check takes the same time and fails.
 * @param address of the requester.
 * @throws PasswordsBusy
 */
export async function isPassword(
  password: string,
  stored: string | null | undefined,
  address = '',
): Promise<boolean> {
  // Text longer than any allowed password must not take longer to hash.
  const given = password.normalize('NFKC').slice(0, 4 * passwordLengthMax);
  const against = stored ?? (await decoy);
  const isRight = await inTurn(address, () => verify(against, given));
  return isRight && typeof stored === 'string';
}

// Rate limits of sign-in attempts. Unknown browsers share one allowance per account. A browser with an earlier sign-in
// has its own. So an attacker who uses up the shared allowance does not lock the owner out.

/** Ten at once, then one in two minutes: 720 per day, against passwords of at least 12 characters. */
const ofAccount = { ratePerMinute: 0.5, burst: 10 };
/**
 * Five at once, then ten per hour: 240 per day. Three of a million codes are valid, so a guess succeeds once in 1,400
 * days.
 */
const ofSecondFactor = { ratePerMinute: 1 / 6, burst: 5 };
/** For all known browsers of an account together, so that many browsers do not allow many attempts. */
const ofKnownAccount = { ratePerMinute: 1.5, burst: 30 };
const ofKnownSecondFactor = { ratePerMinute: 1 / 2, burst: 15 };
/** Enough for an office behind one address. An IPv6 /64 counts as one address, because its holder has all of it. */
const ofAddress = { ratePerMinute: 20, burst: 60 };
/** Mails to an address that anyone can enter. */
const ofMails = { ratePerMinute: 1 / 20, burst: 3 };

/** Twenty per day, more than a team needs. */
const ofInvitations = { ratePerMinute: 20 / 1_440, burst: 20 };

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 40);

export interface Trier {
  address: string;
  /** The cookie of an earlier sign-in; see `knownBrowser`. */
  browser: string | undefined;
}

const contextOf = (email: string) => `browser:${email}`;

/** The cookie of a browser after a sign-in: its own random number, valid for the current credentials. */
export function knownBrowser(box: SecretBox, { email, credentials }: Known): string {
  return box.encrypt(`${mintToken()}.${String(credentials)}`, contextOf(email));
}

/** The account, and the current version of its credentials. */
interface Known {
  email: string;
  /** Undefined if the account does not exist. */
  credentials: number | undefined;
}

/** @returns the number of a known browser; undefined for any other text. */
function numberOf(box: SecretBox, { email, credentials }: Known, kept: string): string | undefined {
  try {
    const [number, version] = box.open(kept, contextOf(email)).split('.');
    return version === String(credentials) ? number : undefined;
  } catch {
    return undefined;
  }
}

/** Takes one token of each bucket. The first empty bucket decides the waiting time. */
async function takeEach(db: Database, limits: Limit[]): Promise<RateLimitDecision> {
  for (const limit of limits) {
    const taken = await takeToken(db, limit);
    if (!taken.allowed) return taken;
  }
  return { allowed: true };
}

type Kind = 'account' | 'code';

/**
 * The buckets of an attempt: a known browser's own one within that of all known browsers, or the shared one. A session
 * has its own bucket too, so changing the browser cookie gives no more attempts.
 */
function bucketsOf(
  box: SecretBox,
  kind: Kind,
  { browser, sessionId, ...known }: Known & Pick<Trier, 'browser'> & { sessionId?: string | undefined },
): Limit[] {
  const each = { account: ofAccount, code: ofSecondFactor }[kind];
  const together = { account: ofKnownAccount, code: ofKnownSecondFactor }[kind];
  const number = browser === undefined ? undefined : numberOf(box, known, browser);
  const whose = digest(known.email);
  const name = (what: string) => `portal:${kind}:${what}`;
  return [
    ...(sessionId === undefined ? [] : [{ bucket: name(`session:${sessionId}`), ...each }]),
    ...(number === undefined
      ? [{ bucket: name(whose), ...each }]
      : [
          { bucket: name(`browser:${number}`), ...each },
          { bucket: name(`known:${whose}`), ...together },
        ]),
  ];
}

type Try = Trier & { email: string; credentials?: number | undefined; sessionId?: string | undefined };

/**
 * Takes the tokens for a password attempt. The answer does not depend on whether the account exists.
 * @param email in its stored form.
 */
export async function canTryPassword(
  db: Database,
  box: SecretBox,
  { address, credentials, ...given }: Try,
): Promise<RateLimitDecision> {
  const byAddress = { bucket: `portal:address:${digest(addressBlock(address))}`, ...ofAddress };
  return takeEach(db, [byAddress, ...bucketsOf(box, 'account', { ...given, credentials })]);
}

/** Takes the tokens for a second-factor attempt, which needs the password first. */
export function canTryCode(
  db: Database,
  box: SecretBox,
  { credentials, ...given }: Try,
): Promise<RateLimitDecision> {
  return takeEach(db, bucketsOf(box, 'code', { ...given, credentials }));
}

/** Whether another mail may go to an address that anyone can enter. */
export async function canMailAddress(db: Database, email: string): Promise<boolean> {
  return (await takeToken(db, { bucket: `portal:mail:${digest(email)}`, ...ofMails })).allowed;
}

/** Whether another mail about a member's role may be sent. This allowance is separate for each merchant. */
export async function canMail(db: Database, merchantId: string, email: string): Promise<boolean> {
  const bucket = `portal:told:${merchantId}:${digest(email)}`;
  return (await takeToken(db, { bucket, ...ofMails })).allowed;
}

/** Whether the merchant may invite one more user today. The limit counts all its owners together. */
export async function canInvite(db: Database, merchantId: string): Promise<boolean> {
  return (await takeToken(db, { bucket: `portal:invitations:${merchantId}`, ...ofInvitations })).allowed;
}
