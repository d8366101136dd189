import { v7 as uuidV7 } from 'uuid';
import { holdRows, isAsWritten, rowChanged } from './audit-log';
import { isMailAddress } from '../mail/enqueue-mail';
import { findActive, type Operator } from './operators';
import type { Database, Transaction } from '../store/database';
import type { UserRow } from '../store/tables';
import { duplicateKeyOf } from '../store/transaction';
import { renewCredentials } from './credentials';
import { leaveAll, roleAt } from './members';
import type { MerchantRole } from './roles';
import { preparePassword, type PreparedPassword } from './passwords';
import { UserError } from './requests';

/** A user without secrets. */
export interface Person {
  userId: string;
  email: string;
  locale: string;
  hasPassword: boolean;
  /** Whether the user has an app or a passkey. */
  hasSecondFactor: boolean;
  hasApp: boolean;
  hasPasskey: boolean;
  /** The operator of this user, if any. */
  operatorName: string | null;
}

export function personOf(row: UserRow): Person {
  return {
    userId: row.user_id,
    email: row.email,
    locale: row.locale,
    hasPassword: row.password_hash !== null,
    hasSecondFactor: hasSecondFactor(row),
    hasApp: row.totp_secret !== null,
    hasPasskey: row.passkeys > 0,
    operatorName: row.operator_name,
  };
}

export function hasSecondFactor({
  totp_secret: secret,
  passkeys,
}: Pick<UserRow, 'totp_secret' | 'passkeys'>): boolean {
  return secret !== null || passkeys > 0;
}

/** The actor in the audit log. It is not the e-mail address, because lines are permanent. */
export function actorOf({ userId }: Pick<Person, 'userId'>): string {
  return `user:${userId}`;
}

/** @returns the address in its stored form, or undefined if it is invalid. */
function readEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return isMailAddress(email) ? email : undefined;
}

export async function findUser(db: Database | Transaction, email: string): Promise<UserRow | undefined> {
  const known = readEmail(email);
  return known === undefined ? undefined : db('users').where({ email: known, ended_at: null }).first();
}

/**
 * The user of an e-mail address; a missing one is added without a password.
 * @throws UserError email_invalid; email_taken if the account was closed.
 */
export async function ensureUser(
  trx: Transaction,
  { email, locale, by }: { email: string; locale: string; by: string },
): Promise<UserRow> {
  const known = readEmail(email);
  if (known === undefined) throw new UserError('email_invalid', 'This is not an e-mail address.');
  const there = await trx('users').where({ email: known }).forUpdate().first();
  if (there?.ended_at)
    throw new UserError('email_taken', 'The account of this address was closed permanently.');
  if (there) return there;
  const userId = uuidV7();
  await trx('users').insert({
    user_id: userId,
    email: known,
    locale,
    created_by: by,
    created_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
  });
  await rowChanged(trx, 'users', userId);
  const made = await trx('users').where({ user_id: userId }).first();
  if (!made) throw new Error('the new user row is missing');
  return made;
}

/**
 * Sets a password, and ends every session and reset link.
 * @param password as typed, or hashed before the transaction, because hashing takes time.
 * @param kept the session of the change.
 * @throws UserError password_weak
 */
export async function setPassword(
  trx: Transaction,
  { user_id: userId, email }: Pick<UserRow, 'user_id' | 'email'>,
  password: string | PreparedPassword,
  kept?: { sessionId: string },
): Promise<void> {
  const { hashed } = typeof password === 'string' ? await preparePassword(password, email) : password;
  await holdRows(trx, 'users', userId);
  await trx('users')
    .where({ user_id: userId })
    .update({ password_hash: hashed, password_set_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
  await renewCredentials(trx, userId, kept);
}

export async function setLocale(db: Database | Transaction, userId: string, locale: string): Promise<void> {
  await db('users').where({ user_id: userId }).update({ locale });
}

/** @throws UserError email_taken if the operator already belongs to another user. */
export async function linkOperator(trx: Transaction, userId: string, operatorName: string): Promise<void> {
  await holdRows(trx, 'users', userId);
  await trx('users')
    .where({ user_id: userId })
    .update({ operator_name: operatorName })
    .catch((error: unknown) => {
      if (duplicateKeyOf(error) === undefined) throw error;
      throw new UserError('email_taken', `The operator ${operatorName} already belongs to another user.`);
    });
  await rowChanged(trx, 'users', userId);
}

/**
 * The active operator of a user. Revoked operators do not count, nor rows of the operator or the user that were changed
 * from outside Malipo.
 */
export async function operatorOf(
  db: Database,
  { userId, operatorName }: Pick<Person, 'userId' | 'operatorName'>,
): Promise<Operator | undefined> {
  if (operatorName === null || !(await isAsWritten(db, 'users', userId))) return undefined;
  return findActive(db, operatorName);
}

/**
 * A user's role at a merchant; undefined for a user who is not a member, or if a row was changed from outside Malipo.
 */
export async function roleOf(
  db: Database,
  merchantId: string,
  { userId }: Pick<Person, 'userId'>,
): Promise<MerchantRole | undefined> {
  const role = await roleAt(db, merchantId, userId);
  if (role === undefined || !(await isAsWritten(db, 'users', userId))) return undefined;
  return (await isAsWritten(db, 'memberships', `${merchantId}|${userId}`)) ? role : undefined;
}

/**
 * Closes an account permanently, with its sessions, links and second factors.
 * @returns the user's former merchants, and the requests that ended.
 */
export async function endUser(trx: Transaction, userId: string): ReturnType<typeof leaveAll> {
  const left = await leaveAll(trx, userId);
  await holdRows(trx, 'users', userId);
  await trx('users')
    .where({ user_id: userId })
    .update({
      ended_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
      password_hash: null,
      totp_secret: null,
      passkeys: 0,
    });
  await renewCredentials(trx, userId);
  const passkeys = await trx('passkeys').where({ user_id: userId }).pluck('passkey_id');
  await holdRows(trx, 'passkeys', ...passkeys);
  for (const table of ['user_sessions', 'user_links', 'recovery_codes', 'passkeys'] as const)
    await trx(table).where({ user_id: userId }).delete();
  await rowChanged(trx, 'passkeys', ...passkeys);
  return left;
}

export function listUsers(db: Database): Promise<UserRow[]> {
  return db('users').orderBy('email');
}
