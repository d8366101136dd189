/**
 * What a person proves themselves by, as one number that rises with each change of it: whatever began before a change (a
 * sign-in that waits, a session, a link that was mailed, a browser that was known) counts for nothing after it.
 */
import { randomBytes } from 'node:crypto';
import { parse, validate } from 'uuid';
import type { Transaction } from '../store/database';
import type { UserRow } from '../store/tables';
import { holdRows, rowChanged } from './audit-log';

/** Something changed between the proof and what it was for. */
export class CredentialsChanged extends Error {
  constructor() {
    super('what this was proved by has changed meanwhile');
  }
}

/**
 * Locks a user until the transaction is over: a change of the credentials comes before it, or after.
 * @param version that something was proved by; any where it is left out.
 * @throws CredentialsChanged also where the user was ended.
 */
export async function holdCredentials(trx: Transaction, userId: string, version?: number): Promise<UserRow> {
  const user = await trx('users').where({ user_id: userId }).forUpdate().first();
  if (user?.ended_at !== null) throw new CredentialsChanged();
  if (version !== undefined && user.credentials_version !== version) throw new CredentialsChanged();
  return user;
}

/**
 * Ends what the credentials before were good for.
 * @param kept the session in which it was changed, or `all` where each of them has to prove more from now on; none else.
 */
export async function renewCredentials(
  trx: Transaction,
  userId: string,
  kept?: { sessionId: string } | 'all',
): Promise<void> {
  await holdRows(trx, 'users', userId);
  await trx('users').where({ user_id: userId }).increment('credentials_version');
  const user = await trx('users').where({ user_id: userId }).first('credentials_version');
  // A new password is asked for anew: whoever read the mailbox may have been the reason.
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

// What a browser or a mail holds. That of a row begins with the id by which it is found, and goes on with 128 random bits;
// only a hash of it is kept, under a key that the database does not have (store/keyed-hash.ts).

const tokenShape = /^[\w-]{43}$/;
const idBytes = 16;

/** Of nothing that is kept: 256 random bits. */
export function mintToken(): string {
  return randomBytes(32).toString('base64url');
}

/** @param id a UUID. */
export function mintTokenOf(id: string): string {
  return Buffer.concat([parse(id), randomBytes(32 - idBytes)]).toString('base64url');
}

/** Of whose row it is; undefined for a text that could be none of ours. */
export function idInToken(token: string): string | undefined {
  if (!tokenShape.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const hex = bytes.subarray(0, idBytes).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return validate(id) ? id : undefined;
}
