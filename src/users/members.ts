/** The members of merchants' teams. */
import { holdRows, rowChanged } from './audit-log';
import type { Database, Transaction } from '../store/database';
import type { MembershipRow, MerchantRow } from '../store/tables';
import type { EndedWhy } from '../store/user-tables';
import { UserError, endRequestsOf, type Ended } from './requests';
import { beginsToDecide, endsToDecide, type ActingUser } from './deciders';
import { handlesMoney, type MerchantRole } from './roles';

export type Member = Pick<MembershipRow, 'user_id' | 'role' | 'created_at' | 'accepted_at'> & {
  email: string;
  /** 1 if the member has a second factor. */
  has_second: number;
};

/** The maximum of open invitations. Removing one frees its place. */
const invitedMax = 20;

async function expectFewInvited(trx: Transaction, merchantId: string, userId: string): Promise<void> {
  const invited = await trx('memberships')
    .where({ merchant_id: merchantId })
    .whereNull('accepted_at')
    .pluck('user_id');
  if (invited.length >= invitedMax && !invited.includes(userId))
    throw new UserError(
      'too_many_invited',
      `${String(invitedMax)} invitations are not accepted yet. Remove some of them first.`,
    );
}

/** @throws UserError already_member, too_many_invited */
export async function addMember(
  trx: Transaction,
  { merchantId, userId, role, by }: { merchantId: string; userId: string; role: MerchantRole; by: string },
): Promise<void> {
  await expectFewInvited(trx, merchantId, userId);
  await holdRows(trx, 'memberships', `${merchantId}|${userId}`);
  await trx('memberships')
    .insert({
      merchant_id: merchantId,
      user_id: userId,
      role,
      created_by: by,
      created_at: trx.raw<Date>('UTC_TIMESTAMP(3)'),
    })
    .onConflict()
    .ignore();
  await rowChanged(trx, 'memberships', `${merchantId}|${userId}`);
  // A user with an open invitation is invited again.
  const added = await trx('memberships')
    .where({ merchant_id: merchantId, user_id: userId })
    .forUpdate()
    .first();
  if (added?.accepted_at !== null || added.role !== role)
    throw new UserError(
      'already_member',
      'This user is already a member of the merchant, or is invited with another role.',
    );
}

export async function acceptMembership(trx: Transaction, merchantId: string, userId: string): Promise<void> {
  await holdRows(trx, 'memberships', `${merchantId}|${userId}`);
  const accepted = await trx('memberships')
    .where({ merchant_id: merchantId, user_id: userId, accepted_at: null })
    .update({ accepted_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
  await rowChanged(trx, 'memberships', `${merchantId}|${userId}`);
  const there = accepted === 1 && (await lockMember(trx, { merchantId, userId }));
  if (there && handlesMoney(there.role)) await beginsToDecide(trx, { merchantId, userId });
}

/** The former role of a member, and the requests that ended with it. */
export interface Left extends Ended {
  role: MerchantRole;
  /** False for a member who was only invited. */
  hadAccepted: boolean;
}

/**
 * Removes a member and ends the member's pending requests.
 * @returns undefined for a user who is not a member.
 * @throws UserError last_owner
 */
export async function removeMember(
  trx: Transaction,
  merchantId: string,
  userId: string,
): Promise<Left | undefined> {
  await expectAnotherOwner(trx, merchantId, userId);
  await trx('user_links').where({ merchant_id: merchantId, user_id: userId, kind: 'invitation' }).delete();
  const there = await lockMember(trx, { merchantId, userId });
  if (!there) return undefined;
  await holdRows(trx, 'memberships', `${merchantId}|${userId}`);
  const ended = await losesTheRight(trx, there, 'maker_removed');
  await trx('memberships').where({ merchant_id: merchantId, user_id: userId }).delete();
  await rowChanged(trx, 'memberships', `${merchantId}|${userId}`);
  return { role: there.role, hadAccepted: there.accepted_at !== null, ...ended };
}

/**
 * @returns undefined for a user who is not a member.
 * @throws UserError last_owner
 */
export async function changeRole(
  trx: Transaction,
  { merchantId, userId, role }: ActingUser & { role: MerchantRole },
): Promise<Left | undefined> {
  if (role !== 'owner') await expectAnotherOwner(trx, merchantId, userId);
  const there = await lockMember(trx, { merchantId, userId });
  if (!there) return undefined;
  await holdRows(trx, 'memberships', `${merchantId}|${userId}`);
  await trx('memberships').where({ merchant_id: merchantId, user_id: userId }).update({ role });
  await rowChanged(trx, 'memberships', `${merchantId}|${userId}`);
  const hadAccepted = there.accepted_at !== null;
  if (hadAccepted && handlesMoney(role) && !handlesMoney(there.role))
    await beginsToDecide(trx, { merchantId, userId });
  const ended = handlesMoney(role) ? nothing : await losesTheRight(trx, there, 'maker_role');
  return { role: there.role, hadAccepted, ...ended };
}

/**
 * Removes a closed account from all merchants.
 * @returns each former role, and the requests that ended.
 */
export async function leaveAll(trx: Transaction, userId: string): Promise<(Left & { merchantId: string })[]> {
  const all = await trx('memberships').where({ user_id: userId }).orderBy('merchant_id').forUpdate();
  const rows = all.map(({ merchant_id: merchantId }) => `${merchantId}|${userId}`);
  await holdRows(trx, 'memberships', ...rows);
  const left: (Left & { merchantId: string })[] = [];
  for (const one of all)
    left.push({
      ...{ merchantId: one.merchant_id, role: one.role, hadAccepted: one.accepted_at !== null },
      ...(await losesTheRight(trx, one, 'maker_ended')),
    });
  await trx('memberships').where({ user_id: userId }).delete();
  await rowChanged(trx, 'memberships', ...rows);
  return left;
}

const nothing: Ended = { batches: [], keys: [] };

async function losesTheRight(
  trx: Transaction,
  { merchant_id: merchantId, user_id: userId, role, accepted_at: acceptedAt }: MembershipRow,
  why: EndedWhy,
): Promise<Ended> {
  if (acceptedAt === null || !handlesMoney(role)) return nothing;
  await endsToDecide(trx, { merchantId, userId });
  return endRequestsOf(trx, { merchantId, userId }, why);
}

function lockMember(
  trx: Transaction,
  { merchantId, userId }: ActingUser,
): Promise<MembershipRow | undefined> {
  return trx('memberships').where({ merchant_id: merchantId, user_id: userId }).forUpdate().first();
}

/** Locks all owners. So if two owners remove each other at once, one of them fails. */
async function expectAnotherOwner(trx: Transaction, merchantId: string, userId: string): Promise<void> {
  const owners = await trx('memberships')
    .where({ merchant_id: merchantId, role: 'owner' })
    .whereNotNull('accepted_at')
    .forUpdate()
    .pluck('user_id');
  if (owners.length === 1 && owners[0] === userId)
    throw new UserError('last_owner', 'A merchant needs at least one owner.');
}

/**
 * Locks a member's role until the transaction ends.
 * @returns undefined for a user who is not a member, or has not accepted yet.
 */
export async function lockRole(trx: Transaction, who: ActingUser): Promise<MerchantRole | undefined> {
  const member = await lockMember(trx, who);
  return member?.accepted_at === null ? undefined : member?.role;
}

/** Lists the members, including invited ones, oldest first. */
export function listMembers(db: Database, merchantId: string): Promise<Member[]> {
  return db('memberships as m')
    .join('users as u', 'u.user_id', 'm.user_id')
    .where('m.merchant_id', merchantId)
    .orderBy(['m.created_at', 'm.user_id'])
    .select(
      'm.user_id',
      'm.role',
      'm.created_at',
      'm.accepted_at',
      'u.email',
      db.raw('(u.totp_secret IS NOT NULL OR u.passkeys > 0) AS has_second'),
    );
}

export type Workplace = Pick<MerchantRow, 'merchant_id' | 'name' | 'status'> & { role: MerchantRole };

/** The merchants of a user, by name. */
export function workplacesOf(db: Database, userId: string): Promise<Workplace[]> {
  return db('memberships as m')
    .join('merchants as t', 't.merchant_id', 'm.merchant_id')
    .where('m.user_id', userId)
    .whereNotNull('m.accepted_at')
    .orderBy(['t.name', 't.merchant_id'])
    .select('t.merchant_id', 't.name', 't.status', 'm.role');
}

/** @returns undefined for a user who is not a member, or has not accepted yet. */
export async function roleAt(
  db: Database | Transaction,
  merchantId: string,
  userId: string,
): Promise<MerchantRole | undefined> {
  const found = await db('memberships')
    .where({ merchant_id: merchantId, user_id: userId })
    .whereNotNull('accepted_at')
    .first('role');
  return found?.role;
}
