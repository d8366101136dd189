/** The second factor: codes of an app (RFC 6238), and codes on paper for who has lost it. */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { holdRows, rowChanged } from './audit-log';
import type { SecretBox } from '../merchants/secrets';
import type { Database, Transaction } from '../store/database';
import { keyedHash, keyedHashes } from '../store/keyed-hash';
import type { UserRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { holdCredentials, renewCredentials } from './credentials';
import type { Session } from './sessions';

/** What every app takes. */
const shape = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const issuer = 'Malipo';
/** Of 160 bits, as RFC 4226 (4, R6) recommends. */
const secretBytes = 20;
/** Clocks of phones are off, and people are slow: the code before and the one after count, too. */
const window = 1;

const recoveryCodes = 10;
/** 80 bits each: nobody guesses one, so a quick hash does. */
const recoveryBytes = 10;

const contextOf = (userId: string) => `totp:${userId}`;

export interface NewSecondFactor {
  /** For whoever types it. */
  secret: string;
  /** For the picture that an app reads. */
  uri: string;
}

export function newSecondFactor(email: string, secretText?: string): NewSecondFactor {
  const secret = secretText === undefined ? new Secret({ size: secretBytes }) : Secret.fromBase32(secretText);
  const totp = new TOTP({ ...shape, issuer, label: email, secret });
  return { secret: secret.base32, uri: totp.toString() };
}

/** @returns the 30 seconds that the code belongs to, or undefined where it is none of these. */
function stepOf(secret: string, code: string, atMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...shape, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, window, timestamp: atMs });
  return delta === null ? undefined : Math.floor(atMs / 1_000 / shape.period) + delta;
}

/** As people write it: with spaces, and in groups. */
const withoutSpaces = (text: string) => text.replace(/[\s-]/g, '');

/**
 * Adds the app, or another in its place, once it has shown a code.
 * @returns codes for paper, of which only hashes are kept; undefined where the code is wrong.
 */
export function addSecondFactor(
  db: Database,
  box: SecretBox,
  {
    userId,
    secret,
    code,
    atMs = Date.now(),
    session,
  }: {
    userId: string;
    secret: string;
    code: string;
    atMs?: number;
    /** In which it is added. */
    session?: Pick<Session, 'sessionId' | 'credentials'>;
  },
  alongside: (trx: Transaction) => Promise<void>,
): Promise<string[] | undefined> {
  const step = stepOf(secret, withoutSpaces(code), atMs);
  if (step === undefined) return Promise.resolve(undefined);
  return inTransaction(db, async (trx) => {
    const before = await holdCredentials(trx, userId, session?.credentials);
    await holdRows(trx, 'users', userId);
    await trx('users')
      .where({ user_id: userId })
      .update({ totp_secret: box.seal(secret, contextOf(userId)), totp_last_step: String(step) });
    const codes = await writeRecoveryCodes(trx, userId);
    await renewCredentials(trx, userId, keptOf(before, session?.sessionId));
    await alongside(trx);
    return codes;
  });
}

/** With the first one each session has to show it; with any other change the others end. */
export function keptOf(
  { totp_secret: secret, passkeys }: Pick<UserRow, 'totp_secret' | 'passkeys'>,
  sessionId: string | undefined,
): { sessionId: string } | 'all' | undefined {
  if (secret === null && passkeys === 0) return 'all';
  return sessionId === undefined ? undefined : { sessionId };
}

/** Takes every second factor away, with the codes for paper. @param sessionId which stays; all others end. */
export async function removeSecondFactor(
  trx: Transaction,
  userId: string,
  sessionId?: string,
): Promise<void> {
  await holdRows(trx, 'users', userId);
  await trx('users')
    .where({ user_id: userId })
    .update({ totp_secret: null, totp_last_step: null, passkeys: 0 });
  const passkeys = await trx('passkeys').where({ user_id: userId }).pluck('passkey_id');
  await holdRows(trx, 'passkeys', ...passkeys);
  for (const table of ['passkeys', 'recovery_codes'] as const)
    await trx(table).where({ user_id: userId }).delete();
  await rowChanged(trx, 'passkeys', ...passkeys);
  await renewCredentials(trx, userId, sessionId === undefined ? undefined : { sessionId });
}

/**
 * Takes the app away; the codes for paper go with the last second factor.
 * @param mustStay whether one has to be left, as in live.
 * @returns false where it would have been the last.
 */
export async function removeApp(
  trx: Transaction,
  { person, sessionId, credentials }: Session,
  mustStay: boolean,
): Promise<boolean> {
  const { userId } = person;
  const { passkeys: others } = await holdCredentials(trx, userId, credentials);
  if (mustStay && others === 0) return false;
  if (others === 0) await removeSecondFactor(trx, userId, sessionId);
  else {
    await holdRows(trx, 'users', userId);
    await trx('users').where({ user_id: userId }).update({ totp_secret: null, totp_last_step: null });
    await renewCredentials(trx, userId, { sessionId });
  }
  return true;
}

/** New codes for paper, in place of all before. */
export async function writeRecoveryCodes(trx: Transaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, () => recoveryCodeOf(randomBytes(recoveryBytes)));
  await trx('recovery_codes').where({ user_id: userId }).delete();
  await trx('recovery_codes').insert(
    codes.map((code) => ({
      user_id: userId,
      code_hash: keyedHash(trx, plainCode(code), ['recovery code', userId]),
    })),
  );
  return codes;
}

/** `abcd-efgh-ijkl-mnop` */
function recoveryCodeOf(bytes: Buffer): string {
  const text = new Secret({ buffer: new Uint8Array(bytes).buffer }).base32.toLowerCase();
  return text.match(/.{4}/g)?.join('-') ?? text;
}

const plainCode = (code: string) => withoutSpaces(code).toLowerCase();

export async function countRecoveryCodes(db: Database, userId: string): Promise<number> {
  const [row] = await db('recovery_codes')
    .where({ user_id: userId, used_at: null })
    .count<{ n: string | number }[]>({ n: '*' });
  return Number(row?.n ?? 0);
}

export type Proof = 'app' | 'recovery_code' | 'passkey';

/**
 * Takes a code of the app, or one of those on paper: each once, also of two who send it at the same moment.
 * @returns which it was; undefined where it is none.
 */
export async function takeCode(
  db: Database,
  box: SecretBox,
  { userId, code, atMs = Date.now() }: { userId: string; code: string; atMs?: number },
): Promise<Proof | undefined> {
  const user = await db('users').where({ user_id: userId }).first('totp_secret');
  const sealed = user?.totp_secret ?? null;
  const step =
    sealed === null ? undefined : stepOf(box.open(sealed, contextOf(userId)), withoutSpaces(code), atMs);
  if (step !== undefined) {
    const taken = await db('users')
      .where({ user_id: userId, totp_secret: sealed })
      .where((earlier) => {
        void earlier.whereNull('totp_last_step').orWhere('totp_last_step', '<', step);
      })
      .update({ totp_last_step: String(step) });
    return taken === 1 ? 'app' : undefined;
  }
  const used = await db('recovery_codes')
    .where({ user_id: userId, used_at: null })
    .whereIn('code_hash', keyedHashes(db, plainCode(code), ['recovery code', userId]))
    .update({ used_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
  return used === 1 ? 'recovery_code' : undefined;
}

/** Seals them with the newest key; see merchants/secrets.ts. @returns whose no key opens. */
export async function resealSecondFactors(
  db: Database,
  box: SecretBox,
): Promise<{ resealed: number; current: number; unreadable: string[] }> {
  const result = { resealed: 0, current: 0, unreadable: [] as string[] };
  const users = await db('users').whereNotNull('totp_secret').select('user_id', 'totp_secret');
  for (const { user_id: userId, totp_secret: sealed } of users) {
    if (sealed === null) continue;
    try {
      const secret = box.open(sealed, contextOf(userId));
      if (box.isCurrent(sealed)) {
        result.current += 1;
        continue;
      }
      // One that is replaced at this moment is sealed with the newest key already.
      result.resealed += await inTransaction(db, async (trx) => {
        await holdRows(trx, 'users', userId);
        const resealed = await trx('users')
          .where({ user_id: userId, totp_secret: sealed })
          .update({ totp_secret: box.seal(secret, contextOf(userId)) });
        if (resealed > 0) await rowChanged(trx, 'users', userId);
        return resealed;
      });
    } catch {
      result.unreadable.push(userId);
    }
  }
  return result;
}
