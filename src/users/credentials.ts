/**
 * The version of a user's credentials, which rises with each change. Everything from before a change becomes invalid: a
 * pending sign-in, a session, a mailed link, a known browser.
 */
import { randomBytes } from 'node:crypto';
import { parse, validate } from 'uuid';
import type { Transaction } from '../store/database';
import type { UserRow } from '../store/tables';
import { holdRows, rowChanged } from './audit-log';

/** The credentials changed after the user proved them. */
export class CredentialsChanged extends Error {
  constructor() {
    super('the credentials have changed');
  }
}

/**
 * Locks a user until the transaction ends, so that a change of the credentials comes before or after it.
 * @param version the proved version; any version if it is omitted.
 * @throws CredentialsChanged also if the account was closed.
 */
export async function holdCredentials(trx: Transaction, userId: string, version?: number): Promise<UserRow> {
  const user = await trx('users').where({ user_id: userId }).forUpdate().first();
  if (user?.ended_at !== null) throw new CredentialsChanged();
  if (version !== undefined && user.credentials_version !== version) throw new CredentialsChanged();
  return user;
}

/**
 * Invalidates everything that the previous credentials allowed.
 * @param kept the session of the change, or `all` if every session must prove more from now on; otherwise no session
 * stays.
 */
export async function renewCredentials(
  trx: Transaction,
  userId: string,
  kept?: { sessionId: string } | 'all',
): Promise<void> {
  await holdRows(trx, 'users', userId);
  await trx('users').where({ user_id: userId }).increment('credentials_version');
  const user = await trx('users').where({ user_id: userId }).first('credentials_version');
  // Open reset links end too, because an intruder in the mailbox may be the reason of the change.
  await trx('user_links').where({ user_id: userId, kind: 'reset' }).delete();
  const sessions = () => trx('user_sessions').where({ user_id: userId });
  if (kept !== 'all')
    await sessions()
      .modify((others) => {
        if (kept) void others.whereNot({ session_id: kept.sessionId });
      })
      .delete();
  const ids = kept ? await sessions().pluck('session_id') : [];
  await holdRows(trx, 'user_sessions', ...ids);
  if (kept && user) await sessions().update({ credentials_version: user.credentials_version });
  await rowChanged(trx, 'users', userId);
  await rowChanged(trx, 'user_sessions', ...ids);
}

// Tokens for cookies and links. The token of a row consists of the row's id and 128 random bits. The database stores
// only its hash, with a key that the database does not have (store/keyed-hash.ts).

const tokenShape = /^[\w-]{43}$/;
const idBytes = 16;

/** A token without a row: 256 random bits. */
export function mintToken(): string {
  return randomBytes(32).toString('base64url');
}

/** @param id a UUID. */
export function mintTokenOf(id: string): string {
  return Buffer.concat([parse(id), randomBytes(32 - idBytes)]).toString('base64url');
}

/** The row id in a token; undefined for a text that cannot be a token. */
export function idInToken(token: string): string | undefined {
  if (!tokenShape.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const hex = bytes.subarray(0, idBytes).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return validate(id) ? id : undefined;
}
