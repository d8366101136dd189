/** Passwords, of which only an Argon2id hash is kept. */
import { createHash } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { addressBlock } from '../domain/ip-address';
import { takeToken, type Limit, type RateLimitDecision } from '../merchants/rate-limit';
import type { SecretBox } from '../merchants/secrets';
import type { Database } from '../store/database';
import { PeopleRefusal } from './asked';
import { mintToken } from './credentials';

/** OWASP's password storage cheat sheet: 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** NIST SP 800-63B asks for 8 at least where there is a second factor, for 15 where there is none; and for 64 to be taken. */
const passwordLengthMin = 12;
const passwordLengthMax = 128;
const nameLengthMin = 4;

/** Of no password: who has none, or does not exist, costs as much as who does. */
const decoy = hash('a password that nobody has', cost);

/** How many are worked on at once, each with its 19 MiB: more would keep the threads from everything else. */
const atOnceMax = 2;
/** How many wait beside those: the last of them waits for a second or two, on a slow machine for ten. */
const waitingMax = 24;
/** Of one network, at work and waiting: however many it sends, there is room for others. */
const ofNetworkMax = 8;
const waiting: (() => void)[] = [];
const ofNetwork = new Map<string, number>();
let working = 0;

/** Too many passwords are worked on: nothing was done, and later it is. */
export class PasswordsBusy extends Error {
  readonly retryAfterSeconds = 5;
  /** @param isOfNetwork whether it is their own network's share that is used up. */
  constructor(readonly isOfNetwork: boolean) {
    super('too many passwords are worked on');
  }
}

/** @throws PasswordsBusy */
async function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
  const network = addressBlock(address);
  const theirs = ofNetwork.get(network) ?? 0;
  // Of no network is what this deployment does by itself.
  if (network !== '' && theirs >= ofNetworkMax) throw new PasswordsBusy(true);
  if (working >= atOnceMax && waiting.length >= waitingMax) throw new PasswordsBusy(false);
  ofNetwork.set(network, theirs + 1);
  try {
    if (working >= atOnceMax) await new Promise<void>((go) => waiting.push(go));
    else working += 1;
    try {
      return await work();
    } finally {
      // The place is handed on, so that nobody slips in between.
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

/** @throws PeopleRefusal password_weak */
export function expectUsablePassword(password: string, email: string): void {
  // As it is worked on: what grows by that must not be longer than what is compared.
  const { length } = password.normalize('NFKC');
  const [name = email] = email.split('@');
  // A name of a few letters is part of every other word.
  const hasName = name.length >= nameLengthMin && password.toLowerCase().includes(name);
  const isPlain = new Set(password).size < 5 || hasName;
  if (length >= passwordLengthMin && length <= passwordLengthMax && !isPlain) return;
  throw new PeopleRefusal(
    'password_weak',
    `A password has ${String(passwordLengthMin)} to ${String(passwordLengthMax)} characters, five different ones at least, and not the name of the mail address in it.`,
  );
}

/** One that may be set, and is hashed. */
export interface PreparedPassword {
  hashed: string;
}

/** @param address of who asks for it. @throws PeopleRefusal password_weak, PasswordsBusy */
export async function preparePassword(
  password: string,
  email: string,
  address = '',
): Promise<PreparedPassword> {
  expectUsablePassword(password, email);
  return { hashed: await hashPassword(password, address) };
}

/** @param address of who asks for it. @throws PasswordsBusy */
export function hashPassword(password: string, address = ''): Promise<string> {
  return inTurn(address, () => hash(password.normalize('NFKC'), cost));
}

/**
 * @param stored undefined where there is none: it takes as long, and is never right.
 * @param address of who asks.
 * @throws PasswordsBusy
 */
export async function isPassword(
  password: string,
  stored: string | null | undefined,
  address = '',
): Promise<boolean> {
  // What is longer than any password we take must not be worked on for longer.
  const given = password.normalize('NFKC').slice(0, 4 * passwordLengthMax);
  const against = stored ?? (await decoy);
  const isRight = await inTurn(address, () => verify(against, given));
  return isRight && typeof stored === 'string';
}

// How often anybody may try to be somebody. Strangers share one allowance for each account; a browser that its owner has
// signed in with before has one of its own: whoever uses up the strangers' keeps nobody out of an account.

/** Ten at once, then one in two minutes: 720 a day, of passwords with 12 characters and more. */
const ofAccount = { ratePerMinute: 0.5, burst: 10 };
/** Five at once, then ten an hour: of a million codes of which three count, 240 a day are one in 1,400. */
const ofSecondFactor = { ratePerMinute: 1 / 6, burst: 5 };
/** Of all known browsers of an account together, so that however many somebody has, tries are few. */
const ofKnownAccount = { ratePerMinute: 1.5, burst: 30 };
const ofKnownSecondFactor = { ratePerMinute: 1 / 2, burst: 15 };
/** An office behind one address signs in of a morning. Of IPv6 a /64 is one: whoever has one address has all of its. */
const ofAddress = { ratePerMinute: 20, burst: 60 };
/** Mails that somebody gets whom anybody can name. */
const ofMails = { ratePerMinute: 1 / 20, burst: 3 };

/** Twenty in a day: nobody has a team that comes faster. */
const ofInvitations = { ratePerMinute: 20 / 1_440, burst: 20 };

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 40);

export interface Trier {
  address: string;
  /** What the browser kept of an earlier time; see `knownBrowser`. */
  browser: string | undefined;
}

const contextOf = (email: string) => `browser:${email}`;

/** What a browser keeps once its owner was let in with it: a number of its own, good for these credentials. */
export function knownBrowser(box: SecretBox, { email, credentials }: Known): string {
  return box.seal(`${mintToken()}.${String(credentials)}`, contextOf(email));
}

/** Whose browser, and the version of the credentials that count. */
interface Known {
  email: string;
  /** Undefined where there is no such account. */
  credentials: number | undefined;
}

/** @returns what a known browser is counted by, whatever its text looks like; undefined of any other. */
function numberOf(box: SecretBox, { email, credentials }: Known, kept: string): string | undefined {
  try {
    const [number, version] = box.open(kept, contextOf(email)).split('.');
    return version === String(credentials) ? number : undefined;
  } catch {
    return undefined;
  }
}

/** Takes one token of each; the first that is empty tells how long to wait. */
async function takeEach(db: Database, limits: Limit[]): Promise<RateLimitDecision> {
  for (const limit of limits) {
    const taken = await takeToken(db, limit);
    if (!taken.allowed) return taken;
  }
  return { allowed: true };
}

type Kind = 'account' | 'code';

/**
 * A browser's own allowance, within that of all known browsers of the account; strangers share one. A session has no more
 * than a browser has, whichever it says it is.
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

/** The answer is the same whether there is such an account or not. @param email as it is kept. */
export async function mayTryPassword(
  db: Database,
  box: SecretBox,
  { address, credentials, ...given }: Try,
): Promise<RateLimitDecision> {
  const byAddress = { bucket: `portal:address:${digest(addressBlock(address))}`, ...ofAddress };
  return takeEach(db, [byAddress, ...bucketsOf(box, 'account', { ...given, credentials })]);
}

/** Only who has shown the password comes so far; a known browser counts by itself here, too. */
export function mayTryCode(
  db: Database,
  box: SecretBox,
  { credentials, ...given }: Try,
): Promise<RateLimitDecision> {
  return takeEach(db, bucketsOf(box, 'code', { ...given, credentials }));
}

/** Whether somebody gets another mail that anybody can ask for. */
export async function mayMail(db: Database, email: string): Promise<boolean> {
  return (await takeToken(db, { bucket: `portal:mail:${digest(email)}`, ...ofMails })).allowed;
}

/** Whether somebody gets another mail of what is done to them at a merchant: nobody else uses it up. */
export async function mayTell(db: Database, merchantId: string, email: string): Promise<boolean> {
  const bucket = `portal:told:${merchantId}:${digest(email)}`;
  return (await takeToken(db, { bucket, ...ofMails })).allowed;
}

/** Whether a merchant's people may invite somebody once more today, whoever of them asks. */
export async function mayInvite(db: Database, merchantId: string): Promise<boolean> {
  return (await takeToken(db, { bucket: `portal:invitations:${merchantId}`, ...ofInvitations })).allowed;
}
