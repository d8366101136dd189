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
import { PeopleRefusal } from './asked';

/** A person as others may know one: nothing of this is a secret. */
export interface Person {
  userId: string;
  email: string;
  locale: string;
  hasPassword: boolean;
  /** Either of the two that follow. */
  hasSecondFactor: boolean;
  hasApp: boolean;
  hasPasskey: boolean;
  /** The operator who this is, if any. */
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

/** Who acts in the audit log: no address, since a line of it is for good. */
export function actorOf({ userId }: Pick<Person, 'userId'>): string {
  return `user:${userId}`;
}

/** @returns the address as it is kept, or undefined where it is none. */
function readEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return isMailAddress(email) ? email : undefined;
}

export async function findUser(db: Database | Transaction, email: string): Promise<UserRow | undefined> {
  const known = readEmail(email);
  return known === undefined ? undefined : db('users').where({ email: known, ended_at: null }).first();
}

/**
 * The user of an address, who is added without a password where there is none yet.
 * @throws PeopleRefusal email_invalid; email_taken where the user was ended.
 */
export async function ensureUser(
  trx: Transaction,
  { email, locale, by }: { email: string; locale: string; by: string },
): Promise<UserRow> {
  const known = readEmail(email);
  if (known === undefined) throw new PeopleRefusal('email_invalid', 'This is no mail address.');
  const there = await trx('users').where({ email: known }).forUpdate().first();
  if (there?.ended_at) throw new PeopleRefusal('email_taken', 'The user of this address was ended for good.');
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
  if (!made) throw new Error('a user who was just written is not there');
  return made;
}

/**
 * Ends every session, and every link to a new password.
 * @param password as it was typed, or prepared before the transaction: to hash it takes a while.
 * @param kept the session in which it is changed.
 * @throws PeopleRefusal password_weak
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

/** @throws PeopleRefusal email_taken where the operator is somebody else's already. */
export async function linkOperator(trx: Transaction, userId: string, operatorName: string): Promise<void> {
  await holdRows(trx, 'users', userId);
  await trx('users')
    .where({ user_id: userId })
    .update({ operator_name: operatorName })
    .catch((error: unknown) => {
      if (duplicateKeyOf(error) === undefined) throw error;
      throw new PeopleRefusal('email_taken', `Somebody else is ${operatorName} already.`);
    });
  await rowChanged(trx, 'users', userId);
}

/**
 * The operator who a person is now: one who was revoked is none, and nobody is one by a row that was changed past us, of the
 * operator or of the person.
 */
export async function operatorOf(
  db: Database,
  { userId, operatorName }: Pick<Person, 'userId' | 'operatorName'>,
): Promise<Operator | undefined> {
  if (operatorName === null || !(await isAsWritten(db, 'users', userId))) return undefined;
  return findActive(db, operatorName);
}

/** What a person may do at a merchant's, where both rows are as we have written them; undefined for who is no member. */
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
 * Ends a user for good: the sessions, the links and what they could be replaced by go at once.
 * @returns where the user worked, and what of theirs has ended.
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
