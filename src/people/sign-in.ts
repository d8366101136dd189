/** How a person becomes one who is signed in: the password, then the second factor of who has one. */
import type { Environment } from '../config';
import type { RateLimitDecision } from '../merchants/rate-limit';
import { takeToken } from '../merchants/rate-limit';
import type { SecretBox } from '../merchants/secrets';
import { recordAction } from '../operators/audit-log';
import { nobody } from '../operators/operators';
import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import { isPassword } from './passwords';
import { takePasskey, type Answered, type Site } from './passkeys';
import { takeCode, type Proof } from './second-factor';
import { noteProof, openSession, renewToken, type Session } from './sessions';
import { knownBrowser, mayTryCode, mayTryPassword, type Trier } from './tries';
import { actorOf, findUser, personOf, type Person } from './users';

/** What is still missing before anything is shown. */
export type Stage = 'second_factor' | 'enrol' | 'in';

/** In live nobody works without a second factor. */
export function stageOf({ person, passedSecond }: Session, environment: Environment): Stage {
  if (person.hasSecondFactor) return passedSecond ? 'in' : 'second_factor';
  return environment === 'live' ? 'enrol' : 'in';
}

export type Refused = { kind: 'wrong' } | { kind: 'slow'; retryAfterSeconds: number };

/** What the browser keeps: the session's token, and what it is known by later. */
export interface SignedIn {
  kind: 'in';
  token: string;
  browser: string;
  person: Person;
}

export interface Proved {
  kind: 'in';
  /** The session's new one. */
  token: string;
  with: Proof | 'password';
}

const slow = (decision: RateLimitDecision): Refused | undefined =>
  decision.allowed ? undefined : { kind: 'slow', retryAfterSeconds: decision.retryAfterSeconds };

/** Says no to the wrong password and to nobody's account alike, and takes as long for both. */
export async function signIn(
  db: Database,
  box: SecretBox,
  given: Trier & { email: string; password: string; agent: string },
): Promise<SignedIn | Refused> {
  const email = given.email.trim().toLowerCase();
  const refused = slow(await mayTryPassword(db, box, { ...given, email }));
  if (refused) return refused;
  const user = await findUser(db, email);
  if (!(await isPassword(given.password, user?.password_hash)) || !user) {
    await recordFailure(db, 'user.sign_in', user?.user_id);
    return { kind: 'wrong' };
  }
  const person = personOf(user);
  const token = await inTransaction(db, async (trx) => {
    const opened = await openSession(trx, { ...given, userId: person.userId, passedSecond: false });
    await recordOwn(trx, person, 'user.sign_in', { second_factor_follows: person.hasSecondFactor });
    return opened;
  });
  return { kind: 'in', token, browser: knownBrowser(box, email), person };
}

/** Shows the second factor, at the sign-in or again before something dangerous. */
export function showCode(
  db: Database,
  box: SecretBox,
  session: Session,
  given: Trier & { code: string },
): Promise<(Proved & { browser: string }) | Refused> {
  return showSecond(db, box, session, given, () =>
    takeCode(db, box, { userId: session.person.userId, code: given.code }),
  );
}

/** Shows a passkey in place of a code. */
export function showPasskey(
  db: Database,
  box: SecretBox,
  session: Session,
  { site, ...given }: Trier & Answered & { site: Site },
): Promise<(Proved & { browser: string }) | Refused> {
  return showSecond(db, box, session, given, async () =>
    (await takePasskey(db, box, site, session, given)) ? 'passkey' : undefined,
  );
}

async function showSecond(
  db: Database,
  box: SecretBox,
  { person, sessionId }: Session,
  trier: Trier,
  take: () => Promise<Proof | undefined>,
): Promise<(Proved & { browser: string }) | Refused> {
  const refused = slow(await mayTryCode(db, box, { ...trier, email: person.email }));
  if (refused) return refused;
  const proof = await take();
  if (proof === undefined) {
    await recordFailure(db, 'user.second_factor', person.userId);
    return { kind: 'wrong' };
  }
  const how = { action: 'user.second_factor', by: proof, passedSecond: true } as const;
  return { ...(await proved(db, { person, sessionId }, how)), browser: knownBrowser(box, person.email) };
}

/** Of who has no second factor, which only the sandbox lets in. */
export async function showPassword(
  db: Database,
  box: SecretBox,
  { person, sessionId }: Session,
  given: Trier & { password: string },
): Promise<Proved | Refused> {
  const refused = slow(await mayTryPassword(db, box, { ...given, email: person.email }));
  if (refused) return refused;
  const user = await findUser(db, person.email);
  if (!(await isPassword(given.password, user?.password_hash))) {
    await recordFailure(db, 'user.confirm', person.userId);
    return { kind: 'wrong' };
  }
  return proved(db, { person, sessionId }, { action: 'user.confirm', by: 'password', passedSecond: false });
}

async function proved(
  db: Database,
  { person, sessionId }: Pick<Session, 'person' | 'sessionId'>,
  { action, by, passedSecond }: { action: string; by: Proved['with']; passedSecond: boolean },
): Promise<Proved> {
  const token = await inTransaction(db, async (trx) => {
    await noteProof(trx, sessionId, { passedSecond });
    const renewed = await renewToken(trx, sessionId);
    await recordOwn(trx, person, action, { with: by });
    return renewed;
  });
  return { kind: 'in', token, with: by };
}

/** What people do to their own account. The last statement of its transaction, as every line of the log. */
export function recordOwn(
  trx: Transaction,
  person: Pick<Person, 'userId'>,
  action: string,
  details: Record<string, string | number | boolean> = {},
): Promise<void> {
  const subject = { kind: 'user', id: person.userId };
  return recordAction(trx, { by: actorOf(person), action, subject, details });
}

/** Failures a minute that are written down: the log is for good, and anybody can fail without end. */
const failuresToldPerMinute = 30;

async function recordFailure(db: Database, action: string, userId = ''): Promise<void> {
  const limit = { ratePerMinute: failuresToldPerMinute, burst: failuresToldPerMinute };
  if (!(await takeToken(db, { bucket: 'portal:refused', ...limit })).allowed) return;
  await inTransaction(db, (trx) =>
    recordAction(trx, {
      by: nobody,
      action: `${action}.refused`,
      subject: { kind: 'user', id: userId },
    }),
  );
}
