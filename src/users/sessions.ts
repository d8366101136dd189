/** Sessions of signed-in users. */
import { v7 as uuidV7, validate as isUuid } from 'uuid';
import { cutText } from '../domain/cut-text';
import { holdRows, rowChanged } from './audit-log';
import type { Database, Transaction } from '../store/database';
import { isKeyedHash, keyedHash } from '../store/keyed-hash';
import type { UserRow, UserSessionRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { CredentialsChanged, holdCredentials, renewCredentials, idInToken, mintTokenOf } from './credentials';
import { personOf, type Person } from './users';

/** A working day; `idleMinutes` ends a session without requests. */
const sessionHours = 12;
const idleMinutes = 30;
/** How long a confirmation is valid for dangerous actions. */
const factorMinutes = 10;
/** `seen_at` is written at most once in this time. */
const seenEverySeconds = 60;
const agentLengthMax = 200;

export interface Session {
  sessionId: string;
  person: Person;
  /** Whether the user has shown the second factor in this session. */
  passedSecond: boolean;
  /** Whether the user has confirmed the identity in the last minutes. */
  isFresh: boolean;
  /** The version of the credentials at the start of the session. */
  credentials: number;
}

export interface NewSession {
  userId: string;
  address: string;
  /** The user agent of the browser. */
  agent: string;
  passedSecond: boolean;
  /** The proved version of the credentials; by default the current one. */
  credentials?: number;
}

/**
 * @returns the token for the browser's cookie.
 * @throws CredentialsChanged if the credentials have changed.
 */
export async function openSession(db: Database | Transaction, session: NewSession): Promise<string> {
  return db.isTransaction ? open(db as Transaction, session) : inTransaction(db, (trx) => open(trx, session));
}

async function open(trx: Transaction, session: NewSession): Promise<string> {
  const { credentials_version: version } = await holdCredentials(trx, session.userId, session.credentials);
  const sessionId = uuidV7();
  const token = mintTokenOf(sessionId);
  const now = trx.raw<Date>('UTC_TIMESTAMP(3)');
  await trx('user_sessions').insert({
    session_hash: keyedHash(trx, token, signedParts(sessionId, session.userId)),
    session_id: sessionId,
    user_id: session.userId,
    credentials_version: version,
    created_at: now,
    seen_at: now,
    expires_at: trx.raw<Date>(`UTC_TIMESTAMP(3) + INTERVAL ${String(sessionHours)} HOUR`),
    passed_second: session.passedSecond ? 1 : 0,
    verified_at: now,
    address: session.address.slice(0, 64),
    agent: cutText(printable(session.agent), agentLengthMax),
  });
  await rowChanged(trx, 'user_sessions', sessionId);
  return token;
}

/** The hash includes the user, so a session row cannot be moved to another user. */
const signedParts = (sessionId: string, userId: string) => ['session', sessionId, userId] as const;

/** The user agent may contain anything, and pages show it. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

const alive = `s.expires_at > UTC_TIMESTAMP(3) AND s.seen_at > UTC_TIMESTAMP(3) - INTERVAL ${String(idleMinutes)} MINUTE`;

/**
 * Finds the session of a browser and records its use; undefined after its end.
 * @param byItself for an automatic update of a page, which does not count as use.
 */
export async function findSession(
  db: Database,
  token: string,
  { byItself = false }: { byItself?: boolean } = {},
): Promise<Session | undefined> {
  const sessionId = idInToken(token);
  if (sessionId === undefined) return undefined;
  const row = await db('user_sessions as s')
    .join('users as u', 'u.user_id', 's.user_id')
    .where('s.session_id', sessionId)
    .whereNull('u.ended_at')
    .whereRaw('s.credentials_version = u.credentials_version')
    .whereRaw(alive)
    .first<Found | undefined>(
      'u.*',
      's.session_id',
      's.session_hash',
      's.passed_second',
      db.raw(
        `(s.verified_at > UTC_TIMESTAMP(3) - INTERVAL ${String(factorMinutes)} MINUTE) AS is_fresh,
         (s.seen_at < UTC_TIMESTAMP(3) - INTERVAL ${String(seenEverySeconds)} SECOND) AS is_old`,
      ),
    );
  if (!row || !isKeyedHash(db, row.session_hash, token, signedParts(sessionId, row.user_id)))
    return undefined;
  if (Number(row.is_old) === 1 && !byItself)
    await db('user_sessions')
      .where({ session_id: sessionId })
      .update({ seen_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
  return {
    sessionId: row.session_id,
    person: personOf(row),
    passedSecond: row.passed_second === 1,
    isFresh: Number(row.is_fresh) === 1,
    credentials: row.credentials_version,
  };
}

interface Found extends UserRow, Pick<UserSessionRow, 'session_id' | 'session_hash' | 'passed_second'> {
  is_fresh: number | string;
  is_old: number | string;
}

/**
 * Locks a session until the transaction ends.
 * @throws CredentialsChanged if it has ended.
 */
export async function holdSession(trx: Transaction, sessionId: string): Promise<void> {
  const session = await trx('user_sessions').where({ session_id: sessionId }).forUpdate().first('session_id');
  if (!session) throw new CredentialsChanged();
}

/**
 * Records a new confirmation of the identity.
 * @returns false if the session has ended.
 */
export async function recordFactor(
  trx: Transaction,
  sessionId: string,
  { passedSecond }: { passedSecond: boolean },
): Promise<boolean> {
  await holdRows(trx, 'user_sessions', sessionId);
  const noted = await trx('user_sessions')
    .where({ session_id: sessionId })
    .update({ verified_at: trx.raw<Date>('UTC_TIMESTAMP(3)'), ...(passedSecond && { passed_second: 1 }) });
  await rowChanged(trx, 'user_sessions', sessionId);
  return noted === 1;
}

/**
 * Gives the session a new token when it gets more rights. So a token that an attacker planted before becomes useless.
 */
export async function renewToken(trx: Transaction, sessionId: string): Promise<string> {
  const token = mintTokenOf(sessionId);
  await holdRows(trx, 'user_sessions', sessionId);
  const session = await trx('user_sessions').where({ session_id: sessionId }).first('user_id');
  await trx('user_sessions')
    .where({ session_id: sessionId })
    .update({ session_hash: keyedHash(trx, token, signedParts(sessionId, session?.user_id ?? '')) });
  await rowChanged(trx, 'user_sessions', sessionId);
  return token;
}

export type ListedSession = Pick<
  UserSessionRow,
  'session_id' | 'created_at' | 'seen_at' | 'address' | 'agent'
>;

/** Lists the open sessions, newest first. */
export function listSessions(db: Database, userId: string): Promise<ListedSession[]> {
  return db('user_sessions as s')
    .where('s.user_id', userId)
    .whereRaw(alive)
    .orderBy('s.created_at', 'desc')
    .limit(100)
    .select('s.session_id', 's.created_at', 's.seen_at', 's.address', 's.agent');
}

/** @returns whether the user had this session. */
export async function endSession(
  trx: Database | Transaction,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  // The column is ASCII. The database refuses to compare it with other text.
  if (!isUuid(sessionId)) return false;
  return (await trx('user_sessions').where({ session_id: sessionId, user_id: userId }).delete()) === 1;
}

/**
 * Ends all other sessions, pending sign-ins and known browsers.
 * @returns the number of the other sessions.
 */
export async function endOtherSessions(
  trx: Transaction,
  userId: string,
  sessionId: string | undefined,
): Promise<number> {
  await holdCredentials(trx, userId);
  const kept = sessionId === undefined ? undefined : { sessionId };
  const [row] = await trx('user_sessions')
    .where({ user_id: userId })
    .whereNot({ session_id: sessionId ?? '' })
    .count<{ n: string | number }[]>({ n: '*' });
  await renewCredentials(trx, userId, kept);
  return Number(row?.n ?? 0);
}
