/** The second factor: codes of an authenticator app (RFC 6238), and recovery codes. */
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

/** The parameters that every app supports. */
const shape = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const issuer = 'Malipo';
/** 160 bits, as RFC 4226 (4, R6) recommends. */
const secretBytes = 20;
/** Phone clocks differ and users are slow, so the previous and the next code are valid too. */
const window = 1;

const recoveryCodes = 10;
/** 80 bits cannot be guessed, so a fast hash is enough. */
const recoveryBytes = 10;

const contextOf = (userId: string) => `totp:${userId}`;

export interface NewSecondFactor {
  /** For manual entry. */
  secret: string;
  /** For the QR code. */
  uri: string;
}

export function newSecondFactor(email: string, secretText?: string): NewSecondFactor {
  const secret = secretText === undefined ? new Secret({ size: secretBytes }) : Secret.fromBase32(secretText);
  const totp = new TOTP({ ...shape, issuer, label: email, secret });
  return { secret: secret.base32, uri: totp.toString() };
}

/** @returns the 30-second step of the code, or undefined for a wrong code. */
function stepOf(secret: string, code: string, atMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = new TOTP({ ...shape, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, window, timestamp: atMs });
  return delta === null ? undefined : Math.floor(atMs / 1_000 / shape.period) + delta;
}

/** Removes the spaces and dashes that users type. */
const withoutSpaces = (text: string) => text.replace(/[\s-]/g, '');

/**
 * Adds the app, or replaces it, after a correct code.
 * @returns recovery codes, which are stored only as hashes; undefined if the code is wrong.
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
    /** The session of the change. */
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
      .update({ totp_secret: box.encrypt(secret, contextOf(userId)), totp_last_step: String(step) });
    const codes = await writeRecoveryCodes(trx, userId);
    await renewCredentials(trx, userId, keptOf(before, session?.sessionId));
    await alongside(trx);
    return codes;
  });
}

/**
 * After the first second factor, all sessions stay but must show it. After any other change, the other sessions end.
 */
export function keptOf(
  { totp_secret: secret, passkeys }: Pick<UserRow, 'totp_secret' | 'passkeys'>,
  sessionId: string | undefined,
): { sessionId: string } | 'all' | undefined {
  if (secret === null && passkeys === 0) return 'all';
  return sessionId === undefined ? undefined : { sessionId };
}

/**
 * Removes every second factor and the recovery codes.
 * @param sessionId the session that stays; all others end.
 */
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
 * Removes the app. With the last second factor, the recovery codes end too.
 * @param mustStay whether one second factor must remain, as in live.
 * @returns false if the app is the last one and must stay.
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

/** Writes new recovery codes and deletes the earlier ones. */
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

export type FactorKind = 'app' | 'recovery_code' | 'passkey';

/**
 * Accepts a code of the app or a recovery code, each once, also for two requests at the same moment.
 * @returns the kind of the code; undefined if it is wrong.
 */
export async function takeCode(
  db: Database,
  box: SecretBox,
  { userId, code, atMs = Date.now() }: { userId: string; code: string; atMs?: number },
): Promise<FactorKind | undefined> {
  const user = await db('users').where({ user_id: userId }).first('totp_secret');
  const encrypted = user?.totp_secret ?? null;
  const step =
    encrypted === null
      ? undefined
      : stepOf(box.open(encrypted, contextOf(userId)), withoutSpaces(code), atMs);
  if (step !== undefined) {
    const taken = await db('users')
      .where({ user_id: userId, totp_secret: encrypted })
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

/**
 * Re-encrypts the secrets with the newest key; see merchants/secrets.ts.
 * @returns the counts, and the users whose secret no key can decrypt.
 */
export async function reEncryptSecondFactors(
  db: Database,
  box: SecretBox,
): Promise<{ re_encrypted: number; current: number; unreadable: string[] }> {
  const result = { re_encrypted: 0, current: 0, unreadable: [] as string[] };
  const users = await db('users').whereNotNull('totp_secret').select('user_id', 'totp_secret');
  for (const { user_id: userId, totp_secret: encrypted } of users) {
    if (encrypted === null) continue;
    try {
      const secret = box.open(encrypted, contextOf(userId));
      if (box.isCurrent(encrypted)) {
        result.current += 1;
        continue;
      }
      // A secret that is replaced at this moment already has the newest key.
      result.re_encrypted += await inTransaction(db, async (trx) => {
        await holdRows(trx, 'users', userId);
        const re_encrypted = await trx('users')
          .where({ user_id: userId, totp_secret: encrypted })
          .update({ totp_secret: box.encrypt(secret, contextOf(userId)) });
        if (re_encrypted > 0) await rowChanged(trx, 'users', userId);
        return re_encrypted;
      });
    } catch {
      result.unreadable.push(userId);
    }
  }
  return result;
}
