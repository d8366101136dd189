/** How a person becomes one who is signed in: the password, then the second factor of who has one. */
import type { Environment } from '../config';
import type { RateLimitDecision } from '../merchants/rate-limit';
import { takeToken } from '../merchants/rate-limit';
import type { SecretBox } from '../merchants/secrets';
import { recordAction } from './audit-log';
import { nobody } from './operators';
import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import type { UserRow } from '../store/tables';
import { CredentialsChanged, holdCredentials } from './credentials';
import { isPassword, PasswordsBusy, knownBrowser, mayTryCode, mayTryPassword, type Trier } from './passwords';
import { takePasskey, type Answered, type Site } from './passkeys';
import { takeCode, type Proof } from './second-factor';
import { noteProof, openSession, renewToken, type Session } from './sessions';
import { actorOf, findUser, personOf, type Person } from './users';

/** What is still missing before anything is shown. */
export type Stage = 'second_factor' | 'enrol' | 'in';

/** In live nobody works without a second factor. */
export function stageOf({ person, passedSecond }: Session, environment: Environment): Stage {
  if (person.hasSecondFactor) return passedSecond ? 'in' : 'second_factor';
  return environment === 'live' ? 'enrol' : 'in';
}

export type Refused =
  | {
      kind: 'wrong';
      /** Whose owner is to be told of it: so many wrong ones came one after the other. */
      alarming?: Pick<UserRow, 'email' | 'locale'>;
    }
  | { kind: 'slow'; retryAfterSeconds: number }
  /** Too much is worked on, and nothing was looked at. */
  | { kind: 'busy'; retryAfterSeconds: number };

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

/** What was proved while something else changed it counts as wrong; what could not be worked on is told as that. */
async function orRefused<T>(work: () => Promise<T | Refused>): Promise<T | Refused> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CredentialsChanged) return { kind: 'wrong' };
    if (!(error instanceof PasswordsBusy)) throw error;
    const { retryAfterSeconds, isOfNetwork } = error;
    return { kind: isOfNetwork ? 'slow' : 'busy', retryAfterSeconds };
  }
}

/** Says no to the wrong password and to nobody's account alike, and takes as long for both. */
export function signIn(
  db: Database,
  box: SecretBox,
  given: Trier & { email: string; password: string; agent: string },
): Promise<SignedIn | Refused> {
  return orRefused(async () => {
    const email = given.email.trim().toLowerCase();
    const user = await findUser(db, email);
    const credentials = user?.credentials_version;
    const refused = slow(await mayTryPassword(db, box, { ...given, email, credentials }));
    if (refused) return refused;
    if (!(await isPassword(given.password, user?.password_hash, given.address)) || !user)
      return wrong(db, 'user.sign_in', user?.user_id);
    const person = personOf(user);
    const token = await inTransaction(db, async (trx) => {
      const opened = await openSession(trx, {
        ...given,
        userId: person.userId,
        passedSecond: false,
        credentials: user.credentials_version,
      });
      await recordOwn(trx, person, 'user.sign_in', { second_factor_follows: person.hasSecondFactor });
      return opened;
    });
    return { kind: 'in', token, browser: knownBrowser(box, { email, credentials }), person };
  });
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

function showSecond(
  db: Database,
  box: SecretBox,
  { person, sessionId, credentials }: Session,
  trier: Trier,
  take: () => Promise<Proof | undefined>,
): Promise<(Proved & { browser: string }) | Refused> {
  const { email } = person;
  return orRefused(async () => {
    const refused = slow(await mayTryCode(db, box, { ...trier, email, credentials, sessionId }));
    if (refused) return refused;
    const proof = await take();
    if (proof === undefined) return wrong(db, 'user.second_factor', person.userId);
    const how = { action: 'user.second_factor', by: proof, passedSecond: true } as const;
    const browser = knownBrowser(box, { email, credentials });
    return { ...(await proved(db, { person, sessionId, credentials }, how)), browser };
  });
}

/** Of who has no second factor, which only the sandbox lets in. */
export function showPassword(
  db: Database,
  box: SecretBox,
  { person, sessionId, credentials }: Session,
  given: Trier & { password: string },
): Promise<Proved | Refused> {
  return orRefused(async () => {
    const trier = { ...given, email: person.email, credentials, sessionId };
    const refused = slow(await mayTryPassword(db, box, trier));
    if (refused) return refused;
    const user = await findUser(db, person.email);
    if (!(await isPassword(given.password, user?.password_hash, given.address)))
      return wrong(db, 'user.confirm', person.userId);
    const how = { action: 'user.confirm', by: 'password', passedSecond: false } as const;
    return proved(db, { person, sessionId, credentials }, how);
  });
}

/** @throws CredentialsChanged where they did since the session began, or the session has ended. */
async function proved(
  db: Database,
  { person, sessionId, credentials }: Pick<Session, 'person' | 'sessionId' | 'credentials'>,
  { action, by, passedSecond }: { action: string; by: Proved['with']; passedSecond: boolean },
): Promise<Proved> {
  const token = await inTransaction(db, async (trx) => {
    await holdCredentials(trx, person.userId, credentials);
    if (!(await noteProof(trx, sessionId, { passedSecond }))) throw new CredentialsChanged();
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
/**
 * On one day, or one after the other with less than an hour between two, before the owner is told by mail: of these, and
 * whenever they are twice as many as the last time, but once in an hour at most.
 */
const alarmingTries = 8;
const ofAlarms = { ratePerMinute: 1 / 60, burst: 1 };

async function isAlarming(db: Database, userId: string, tries: number): Promise<boolean> {
  if (tries < alarmingTries || !Number.isInteger(Math.log2(tries / alarmingTries))) return false;
  return (await takeToken(db, { bucket: `portal:alarms:${userId}`, ...ofAlarms })).allowed;
}

async function wrong(db: Database, action: string, userId = ''): Promise<Refused> {
  await recordFailure(db, action, userId);
  // Of nobody's account it is asked, too, and finds no row: the answer takes as long.
  const tries = await inTransaction(db, async (trx) => {
    await trx('users')
      .where({ user_id: userId })
      .update({
        refused_tries: trx.raw(
          'IF(refused_at > UTC_TIMESTAMP(3) - INTERVAL 1 HOUR OR refused_at >= UTC_DATE(), refused_tries + 1, 1)',
        ),
        refused_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
      });
    return trx('users').where({ user_id: userId }).first('refused_tries', 'email', 'locale');
  });
  const isNews = tries !== undefined && (await isAlarming(db, userId, tries.refused_tries));
  return { kind: 'wrong', ...(isNews && { alarming: tries }) };
}

async function recordFailure(db: Database, action: string, userId: string): Promise<void> {
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
