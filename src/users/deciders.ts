/**
 * Who may decide on a merchant's money beside who asked for it: who has a role with that right, and has had it for a while.
 * Who lost it within that while still counts as one who could, so that nobody decides alone by taking the right from others.
 */
import type { Database, Transaction } from '../store/database';
import { holdRows, rowChanged } from './audit-log';
import { moneyRoles, movesMoney, type MerchantRole } from './roles';

/** Since when a member has the right; what earlier code wrote does not say, and counts from the acceptance on. */
const since = 'COALESCE(m.decides_since, m.accepted_at)';
const before = (seconds: number) => `UTC_TIMESTAMP(3) - INTERVAL ${String(Math.floor(seconds))} SECOND`;

export interface Somebody {
  merchantId: string;
  userId: string;
}

/** Notes that a member may decide from now on. Who could before, and lost it, counts without a gap. */
export async function beginsToDecide(trx: Transaction, { merchantId, userId }: Somebody): Promise<void> {
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

/** Notes that a member could decide until now. */
export async function endsToDecide(trx: Transaction, { merchantId, userId }: Somebody): Promise<void> {
  const until_at = trx.raw<Date>('UTC_TIMESTAMP(3)');
  const row = `${merchantId}|${userId}`;
  await holdRows(trx, 'memberships', row);
  await holdRows(trx, 'former_deciders', row);
  await trx('memberships')
    .where({ merchant_id: merchantId, user_id: userId })
    .update({ decides_since: null });
  // The membership is locked: nobody else adds the row meanwhile.
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

/** Whoever else of the merchant decides, or will once the role has stood long enough. */
export function othersWithTheRight(
  db: Database | Transaction,
  { merchantId, userId }: Somebody,
): Promise<{ email: string; locale: string }[]> {
  return members(db, merchantId)
    .whereNot('m.user_id', userId)
    .orderBy('u.email')
    .select('u.email', 'u.locale');
}

/** @param standingSeconds how long the right has to have been there. */
export async function couldAnotherDecide(
  db: Database | Transaction,
  { merchantId, userId }: Somebody,
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

/** What somebody may decide now. */
export async function rightToDecide(
  db: Database | Transaction,
  { merchantId, userId }: Somebody,
  standingSeconds: number,
): Promise<Right> {
  const query = db('memberships as m')
    .join('users as u', 'u.user_id', 'm.user_id')
    .where({ 'm.merchant_id': merchantId, 'm.user_id': userId })
    .whereNotNull('m.accepted_at')
    .whereNull('u.ended_at');
  // Whoever takes the role away meanwhile comes before, or after.
  if (db.isTransaction) void query.forUpdate();
  const found = await query.first<{ role: MerchantRole; stands: number | string } | undefined>(
    'm.role',
    db.raw(`(${since} <= ${before(standingSeconds)}) AS stands`),
  );
  if (!found || !movesMoney(found.role)) return 'none';
  return Number(found.stands) === 1 ? 'may' : 'too_new';
}
