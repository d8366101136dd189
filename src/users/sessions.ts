/** Who is signed in, from where, and for how long still. */
import { v7 as uuidV7, validate as isUuid } from 'uuid';
import { cutText } from '../domain/cut-text';
import { holdRows, rowChanged } from './audit-log';
import type { Database, Transaction } from '../store/database';
import { isKeyedHash, keyedHash } from '../store/keyed-hash';
import type { UserRow, UserSessionRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { CredentialsChanged, holdCredentials, renewCredentials, idInToken, mintTokenOf } from './credentials';
import { personOf, type Person } from './users';

/** A working day, and a coffee. */
const sessionHours = 12;
const idleMinutes = 30;
/** How long a proof counts before something dangerous. */
const proofMinutes = 10;
/** A page more does not write. */
const seenEverySeconds = 60;
const agentLengthMax = 200;

export interface Session {
  sessionId: string;
  person: Person;
  /** Whether the second factor was shown in it. */
  passedSecond: boolean;
  /** Whether its owner has proved it within the last minutes. */
  isFresh: boolean;
  /** The version of the credentials that it was begun with. */
  credentials: number;
}

export interface NewSession {
  userId: string;
  address: string;
  /** What the browser says it is. */
  agent: string;
  passedSecond: boolean;
  /** The version of the credentials that were proved; those of now where it is left out. */
  credentials?: number;
}

/**
 * @returns what the browser keeps.
 * @throws CredentialsChanged where others count by now.
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
    session_hash: keyedHash(trx, token, saidOf(sessionId, session.userId)),
    session_id: sessionId,
    user_id: session.userId,
    credentials_version: version,
    created_at: now,
    seen_at: now,
    expires_at: trx.raw<Date>(`UTC_TIMESTAMP(3) + INTERVAL ${String(sessionHours)} HOUR`),
    passed_second: session.passedSecond ? 1 : 0,
    proved_at: now,
    address: session.address.slice(0, 64),
    agent: cutText(printable(session.agent), agentLengthMax),
  });
  await rowChanged(trx, 'user_sessions', sessionId);
  return token;
}

/** A session is nobody else's. */
const saidOf = (sessionId: string, userId: string) => ['session', sessionId, userId] as const;

/** A browser may say anything of itself, and it is shown again. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

const alive = `s.expires_at > UTC_TIMESTAMP(3) AND s.seen_at > UTC_TIMESTAMP(3) - INTERVAL ${String(idleMinutes)} MINUTE`;

/**
 * The session of a browser, which counts as used now; undefined once it is over.
 * @param byItself of a page that renews itself: nobody need sit before it.
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
        `(s.proved_at > UTC_TIMESTAMP(3) - INTERVAL ${String(proofMinutes)} MINUTE) AS is_fresh,
         (s.seen_at < UTC_TIMESTAMP(3) - INTERVAL ${String(seenEverySeconds)} SECOND) AS is_old`,
      ),
    );
  if (!row || !isKeyedHash(db, row.session_hash, token, saidOf(sessionId, row.user_id))) return undefined;
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

/** Keeps a session until the transaction ends. @throws CredentialsChanged where it has ended. */
export async function holdSession(trx: Transaction, sessionId: string): Promise<void> {
  const session = await trx('user_sessions').where({ session_id: sessionId }).forUpdate().first('session_id');
  if (!session) throw new CredentialsChanged();
}

/** Its owner has just proved it again. @returns false where it has ended meanwhile. */
export async function noteProof(
  trx: Transaction,
  sessionId: string,
  { passedSecond }: { passedSecond: boolean },
): Promise<boolean> {
  await holdRows(trx, 'user_sessions', sessionId);
  const noted = await trx('user_sessions')
    .where({ session_id: sessionId })
    .update({ proved_at: trx.raw<Date>('UTC_TIMESTAMP(3)'), ...(passedSecond && { passed_second: 1 }) });
  await rowChanged(trx, 'user_sessions', sessionId);
  return noted === 1;
}

/** Gives the session another token, whenever it may do more than before: one that somebody planted is worth nothing then. */
export async function renewToken(trx: Transaction, sessionId: string): Promise<string> {
  const token = mintTokenOf(sessionId);
  await holdRows(trx, 'user_sessions', sessionId);
  const session = await trx('user_sessions').where({ session_id: sessionId }).first('user_id');
  await trx('user_sessions')
    .where({ session_id: sessionId })
    .update({ session_hash: keyedHash(trx, token, saidOf(sessionId, session?.user_id ?? '')) });
  await rowChanged(trx, 'user_sessions', sessionId);
  return token;
}

export type ListedSession = Pick<
  UserSessionRow,
  'session_id' | 'created_at' | 'seen_at' | 'address' | 'agent'
>;

/** Those that are not over, the newest first. */
export function listSessions(db: Database, userId: string): Promise<ListedSession[]> {
  return db('user_sessions as s')
    .where('s.user_id', userId)
    .whereRaw(alive)
    .orderBy('s.created_at', 'desc')
    .limit(100)
    .select('s.session_id', 's.created_at', 's.seen_at', 's.address', 's.agent');
}

/** @returns whether it was one of this user's. */
export async function endSession(
  trx: Database | Transaction,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  // The column is ASCII, and the database refuses to compare it with more.
  if (!isUuid(sessionId)) return false;
  return (await trx('user_sessions').where({ session_id: sessionId, user_id: userId }).delete()) === 1;
}

/**
 * Ends the others, what is about to become one, and what browsers are known by.
 * @returns how many there were beside the one that stays.
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
