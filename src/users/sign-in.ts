/** Sign-in: the password, then the second factor if the user has one. */
import type { Environment } from '../config';
import type { RateLimitDecision } from '../merchants/rate-limit';
import { takeToken } from '../merchants/rate-limit';
import type { SecretBox } from '../merchants/secrets';
import { recordAction } from './audit-log';
import { noOperator } from './operators';
import type { Database, Transaction } from '../store/database';
import { inTransaction } from '../store/transaction';
import type { UserRow } from '../store/tables';
import { CredentialsChanged, holdCredentials } from './credentials';
import { isPassword, PasswordsBusy, knownBrowser, canTryCode, canTryPassword, type Trier } from './passwords';
import { takePasskey, type Answered, type Site } from './passkeys';
import { takeCode, type FactorKind } from './second-factor';
import { recordFactor, openSession, renewToken, type Session } from './sessions';
import { actorOf, findUser, personOf, type Person } from './users';

/** The missing step before the pages are shown. */
export type Stage = 'second_factor' | 'enrol' | 'in';

/** Live requires a second factor. */
export function stageOf({ person, passedSecond }: Session, environment: Environment): Stage {
  if (person.hasSecondFactor) return passedSecond ? 'in' : 'second_factor';
  return environment === 'live' ? 'enrol' : 'in';
}

export type Refused =
  | {
      kind: 'wrong';
      /** Set after many wrong attempts in a row: the owner to inform. */
      alarming?: Pick<UserRow, 'email' | 'locale'>;
    }
  | { kind: 'slow'; retryAfterSeconds: number }
  /** The password queue is full; nothing was checked. */
  | { kind: 'busy'; retryAfterSeconds: number };

/** The tokens for the browser's cookies: the session, and the known browser. */
export interface SignedIn {
  kind: 'in';
  token: string;
  browser: string;
  person: Person;
}

export interface Proved {
  kind: 'in';
  /** The session's new token. */
  token: string;
  with: FactorKind | 'password';
}

const slow = (decision: RateLimitDecision): Refused | undefined =>
  decision.allowed ? undefined : { kind: 'slow', retryAfterSeconds: decision.retryAfterSeconds };

/** A concurrent change of the credentials counts as wrong. A full password queue is `slow` or `busy`. */
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

/** Checks the password. A missing account gets the same answer in the same time as a wrong password. */
export function signIn(
  db: Database,
  box: SecretBox,
  given: Trier & { email: string; password: string; agent: string },
): Promise<SignedIn | Refused> {
  return orRefused(async () => {
    const email = given.email.trim().toLowerCase();
    const user = await findUser(db, email);
    const credentials = user?.credentials_version;
    const refused = slow(await canTryPassword(db, box, { ...given, email, credentials }));
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

/** Checks a code, at the sign-in or again before a dangerous action. */
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

/** Checks a passkey instead of a code. */
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
  take: () => Promise<FactorKind | undefined>,
): Promise<(Proved & { browser: string }) | Refused> {
  const { email } = person;
  return orRefused(async () => {
    const refused = slow(await canTryCode(db, box, { ...trier, email, credentials, sessionId }));
    if (refused) return refused;
    const proof = await take();
    if (proof === undefined) return wrong(db, 'user.second_factor', person.userId);
    const how = { action: 'user.second_factor', by: proof, passedSecond: true } as const;
    const browser = knownBrowser(box, { email, credentials });
    return { ...(await proved(db, { person, sessionId, credentials }, how)), browser };
  });
}

/** Confirms the identity of a user without a second factor, which only the sandbox allows. */
export function showPassword(
  db: Database,
  box: SecretBox,
  { person, sessionId, credentials }: Session,
  given: Trier & { password: string },
): Promise<Proved | Refused> {
  return orRefused(async () => {
    const trier = { ...given, email: person.email, credentials, sessionId };
    const refused = slow(await canTryPassword(db, box, trier));
    if (refused) return refused;
    const user = await findUser(db, person.email);
    if (!(await isPassword(given.password, user?.password_hash, given.address)))
      return wrong(db, 'user.confirm', person.userId);
    const how = { action: 'user.confirm', by: 'password', passedSecond: false } as const;
    return proved(db, { person, sessionId, credentials }, how);
  });
}

/** @throws CredentialsChanged if the credentials changed since the session began, or the session has ended. */
async function proved(
  db: Database,
  { person, sessionId, credentials }: Pick<Session, 'person' | 'sessionId' | 'credentials'>,
  { action, by, passedSecond }: { action: string; by: Proved['with']; passedSecond: boolean },
): Promise<Proved> {
  const token = await inTransaction(db, async (trx) => {
    await holdCredentials(trx, person.userId, credentials);
    if (!(await recordFactor(trx, sessionId, { passedSecond }))) throw new CredentialsChanged();
    const renewed = await renewToken(trx, sessionId);
    await recordOwn(trx, person, action, { with: by });
    return renewed;
  });
  return { kind: 'in', token, with: by };
}

/**
 * Writes the audit line of a user's change of the own account. It is the last statement of its transaction, as every
 * audit line.
 */
export function recordOwn(
  trx: Transaction,
  person: Pick<Person, 'userId'>,
  action: string,
  details: Record<string, string | number | boolean> = {},
): Promise<void> {
  const subject = { kind: 'user', id: person.userId };
  return recordAction(trx, { by: actorOf(person), action, subject, details });
}

/** Failures per minute that the audit log records. The log is permanent, and attempts are unlimited. */
const failuresLoggedPerMinute = 30;
/**
 * The number of wrong attempts before a mail to the owner, and again at each doubling, at most once per hour. It counts
 * attempts of one day, or with less than an hour between two of them.
 */
const alarmingTries = 8;
const ofAlarms = { ratePerMinute: 1 / 60, burst: 1 };

async function isAlarming(db: Database, userId: string, tries: number): Promise<boolean> {
  if (tries < alarmingTries || !Number.isInteger(Math.log2(tries / alarmingTries))) return false;
  return (await takeToken(db, { bucket: `portal:alarms:${userId}`, ...ofAlarms })).allowed;
}

async function wrong(db: Database, action: string, userId = ''): Promise<Refused> {
  await recordFailure(db, action, userId);
  // For a missing account, the query finds no row, but takes the same time.
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
  const isNew = tries !== undefined && (await isAlarming(db, userId, tries.refused_tries));
  return { kind: 'wrong', ...(isNew && { alarming: tries }) };
}

async function recordFailure(db: Database, action: string, userId: string): Promise<void> {
  const limit = { ratePerMinute: failuresLoggedPerMinute, burst: failuresLoggedPerMinute };
  if (!(await takeToken(db, { bucket: 'portal:refused', ...limit })).allowed) return;
  await inTransaction(db, (trx) =>
    recordAction(trx, {
      by: noOperator,
      action: `${action}.refused`,
      subject: { kind: 'user', id: userId },
    }),
  );
}
