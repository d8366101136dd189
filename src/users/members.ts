/** Who works for which merchant. */
import { holdRows, rowChanged } from './audit-log';
import type { Database, Transaction } from '../store/database';
import type { MembershipRow, MerchantRow } from '../store/tables';
import type { EndedWhy } from '../store/user-tables';
import { PeopleRefusal, endAsked, type Ended } from './asked';
import { beginsToDecide, endsToDecide, type Somebody } from './deciders';
import { movesMoney, type MerchantRole } from './roles';

export type Member = Pick<MembershipRow, 'user_id' | 'role' | 'created_at' | 'accepted_at'> & {
  email: string;
  /** 1 where the member signs in with a second factor. */
  has_second: number;
};

/** Those who were invited and have not come: their places are free again once somebody takes the invitation back. */
const invitedMax = 20;

async function expectFewInvited(trx: Transaction, merchantId: string, userId: string): Promise<void> {
  const invited = await trx('memberships')
    .where({ merchant_id: merchantId })
    .whereNull('accepted_at')
    .pluck('user_id');
  if (invited.length >= invitedMax && !invited.includes(userId))
    throw new PeopleRefusal(
      'too_many_invited',
      `${String(invitedMax)} people are invited and have not come. Remove some of them first.`,
    );
}

/** @throws PeopleRefusal already_member, too_many_invited */
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
  // Whoever was invited before, and has not come yet, is invited once more.
  const added = await trx('memberships')
    .where({ merchant_id: merchantId, user_id: userId })
    .forUpdate()
    .first();
  if (added?.accepted_at !== null || added.role !== role)
    throw new PeopleRefusal('already_member', 'This person works for the merchant already, or is invited.');
}

export async function acceptMembership(trx: Transaction, merchantId: string, userId: string): Promise<void> {
  await holdRows(trx, 'memberships', `${merchantId}|${userId}`);
  const accepted = await trx('memberships')
    .where({ merchant_id: merchantId, user_id: userId, accepted_at: null })
    .update({ accepted_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
  await rowChanged(trx, 'memberships', `${merchantId}|${userId}`);
  const there = accepted === 1 && (await lockMember(trx, { merchantId, userId }));
  if (there && movesMoney(there.role)) await beginsToDecide(trx, { merchantId, userId });
}

/** What a member was, and what of theirs has ended with it. */
export interface Left extends Ended {
  role: MerchantRole;
  /** Who was only invited may never have heard of us. */
  hadAccepted: boolean;
}

/**
 * Takes a member away, with all that they have asked others to decide.
 * @returns undefined for who is no member.
 * @throws PeopleRefusal last_owner
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
 * @returns undefined for who is no member.
 * @throws PeopleRefusal last_owner
 */
export async function changeRole(
  trx: Transaction,
  { merchantId, userId, role }: Somebody & { role: MerchantRole },
): Promise<Left | undefined> {
  if (role !== 'owner') await expectAnotherOwner(trx, merchantId, userId);
  const there = await lockMember(trx, { merchantId, userId });
  if (!there) return undefined;
  await holdRows(trx, 'memberships', `${merchantId}|${userId}`);
  await trx('memberships').where({ merchant_id: merchantId, user_id: userId }).update({ role });
  await rowChanged(trx, 'memberships', `${merchantId}|${userId}`);
  const hadAccepted = there.accepted_at !== null;
  if (hadAccepted && movesMoney(role) && !movesMoney(there.role))
    await beginsToDecide(trx, { merchantId, userId });
  const ended = movesMoney(role) ? nothing : await losesTheRight(trx, there, 'maker_role');
  return { role: there.role, hadAccepted, ...ended };
}

/** A person who is ended is nobody's member any more. @returns what each was, and what of theirs has ended. */
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
  if (acceptedAt === null || !movesMoney(role)) return nothing;
  await endsToDecide(trx, { merchantId, userId });
  return endAsked(trx, { merchantId, userId }, why);
}

function lockMember(trx: Transaction, { merchantId, userId }: Somebody): Promise<MembershipRow | undefined> {
  return trx('memberships').where({ merchant_id: merchantId, user_id: userId }).forUpdate().first();
}

/** All owners are locked, so that of two who take each other away one is refused. */
async function expectAnotherOwner(trx: Transaction, merchantId: string, userId: string): Promise<void> {
  const owners = await trx('memberships')
    .where({ merchant_id: merchantId, role: 'owner' })
    .whereNotNull('accepted_at')
    .forUpdate()
    .pluck('user_id');
  if (owners.length === 1 && owners[0] === userId)
    throw new PeopleRefusal('last_owner', 'A merchant keeps one owner at least.');
}

/** Kept until the transaction ends. @returns undefined for who does not work there, or has not accepted yet. */
export async function lockRole(trx: Transaction, who: Somebody): Promise<MerchantRole | undefined> {
  const member = await lockMember(trx, who);
  return member?.accepted_at === null ? undefined : member?.role;
}

/** Those who are invited included, the oldest first. */
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

/** The merchants that a person works for, by name. */
export function workplacesOf(db: Database, userId: string): Promise<Workplace[]> {
  return db('memberships as m')
    .join('merchants as t', 't.merchant_id', 'm.merchant_id')
    .where('m.user_id', userId)
    .whereNotNull('m.accepted_at')
    .orderBy(['t.name', 't.merchant_id'])
    .select('t.merchant_id', 't.name', 't.status', 'm.role');
}

/** @returns undefined for who does not work there, or has not accepted yet. */
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
