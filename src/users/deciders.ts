/**
 * Who may decide about a merchant's money besides the requester: a member whose role has had that right for a minimum
 * time. A member who lost it within that time still counts as possible approver. So nobody can take the right from all
 * others and then decide alone.
 */
import type { Database, Transaction } from '../store/database';
import { holdRows, rowChanged } from './audit-log';
import { moneyRoles, handlesMoney, type MerchantRole } from './roles';

/** Since when a member has the right. Old rows have no time; for them it counts from the acceptance. */
const since = 'COALESCE(m.decides_since, m.accepted_at)';
const before = (seconds: number) => `UTC_TIMESTAMP(3) - INTERVAL ${String(Math.floor(seconds))} SECOND`;

export interface ActingUser {
  merchantId: string;
  userId: string;
}

/**
 * Records that a member may decide from now on. For a member who had lost the right, the former period ends now,
 * without a gap.
 */
export async function beginsToDecide(trx: Transaction, { merchantId, userId }: ActingUser): Promise<void> {
  const where = { merchant_id: merchantId, user_id: userId };
  const now = trx.raw<Date>('UTC_TIMESTAMP(3)');
  const row = `${merchantId}|${userId}`;
  await holdRows(trx, 'memberships', row);
  await holdRows(trx, 'former_deciders', row);
  await trx('memberships').where(where).update({ decides_since: now });
  const known = await trx('former_deciders').where(where).update({ until_at: now });
  await rowChanged(trx, 'memberships', row);
  if (known > 0) await rowChanged(trx, 'former_deciders', row);
}

/** Records that a member could decide until now. */
export async function endsToDecide(trx: Transaction, { merchantId, userId }: ActingUser): Promise<void> {
  const until_at = trx.raw<Date>('UTC_TIMESTAMP(3)');
  const row = `${merchantId}|${userId}`;
  await holdRows(trx, 'memberships', row);
  await holdRows(trx, 'former_deciders', row);
  await trx('memberships')
    .where({ merchant_id: merchantId, user_id: userId })
    .update({ decides_since: null });
  // The membership is locked, so no other transaction adds the row.
  const known = await trx('former_deciders')
    .where({ merchant_id: merchantId, user_id: userId })
    .update({ until_at });
  if (known === 0)
    await trx('former_deciders').insert({ merchant_id: merchantId, user_id: userId, until_at });
  await rowChanged(trx, 'memberships', row);
  await rowChanged(trx, 'former_deciders', row);
}

const members = (db: Database | Transaction, merchantId: string) =>
  db('memberships as m')
    .join('users as u', 'u.user_id', 'm.user_id')
    .where('m.merchant_id', merchantId)
    .whereIn('m.role', [...moneyRoles])
    .whereNotNull('m.accepted_at')
    .whereNull('u.ended_at');

export function everybodyWithTheRight(
  db: Database | Transaction,
  merchantId: string,
): Promise<{ email: string; locale: string }[]> {
  return members(db, merchantId).orderBy('u.email').select('u.email', 'u.locale');
}

/** The merchant's other members who may decide, including those whose role is still too new. */
export function othersWithTheRight(
  db: Database | Transaction,
  { merchantId, userId }: ActingUser,
): Promise<{ email: string; locale: string }[]> {
  return members(db, merchantId)
    .whereNot('m.user_id', userId)
    .orderBy('u.email')
    .select('u.email', 'u.locale');
}

/** @param standingSeconds the minimum age of the right. */
export async function couldAnotherDecide(
  db: Database | Transaction,
  { merchantId, userId }: ActingUser,
  standingSeconds: number,
): Promise<boolean> {
  const there = await members(db, merchantId)
    .whereNot('m.user_id', userId)
    .whereRaw(`${since} <= ${before(standingSeconds)}`)
    .first<{ user_id: string } | undefined>('m.user_id');
  if (there) return true;
  const former = await db('former_deciders')
    .where({ merchant_id: merchantId })
    .whereNot({ user_id: userId })
    .whereRaw(`until_at > ${before(standingSeconds)}`)
    .first('user_id');
  return former !== undefined;
}

export type Right = 'may' | 'too_new' | 'none';

/** Whether a user may decide now. */
export async function rightToDecide(
  db: Database | Transaction,
  { merchantId, userId }: ActingUser,
  standingSeconds: number,
): Promise<Right> {
  const query = db('memberships as m')
    .join('users as u', 'u.user_id', 'm.user_id')
    .where({ 'm.merchant_id': merchantId, 'm.user_id': userId })
    .whereNotNull('m.accepted_at')
    .whereNull('u.ended_at');
  // The lock orders this with a concurrent change of the role.
  if (db.isTransaction) void query.forUpdate();
  const found = await query.first<{ role: MerchantRole; stands: number | string } | undefined>(
    'm.role',
    db.raw(`(${since} <= ${before(standingSeconds)}) AS stands`),
  );
  if (!found || !handlesMoney(found.role)) return 'none';
  return Number(found.stands) === 1 ? 'may' : 'too_new';
}
