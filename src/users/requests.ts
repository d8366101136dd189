/** Pending requests of a merchant's members. A request ends in the same transaction as its requester's right. */
import type { Transaction } from '../store/database';
import type { EndedWhy } from '../store/user-tables';
import { holdRows, rowChanged } from './audit-log';

/**
 * The hours that a request waits, the same as for operators. A payout list may be this old when approval is requested.
 */
export const waitsHours = 72;
/** Older requests are never pending. */
const oldestHours = 2 * waitsHours;
const young = (column: string) => `${column} > UTC_TIMESTAMP(3) - INTERVAL ${String(oldestHours)} HOUR`;

/** The ids of the ended requests, for the audit line. */
export interface Ended {
  batches: string[];
  keys: string[];
}

/**
 * Ends the pending requests of one user, or of all users.
 * @param userId the requester; all users if it is omitted.
 */
export async function endRequestsOf(
  trx: Transaction,
  { merchantId, userId }: { merchantId: string; userId?: string },
  why: EndedWhy,
): Promise<Ended> {
  const ended = { ended_why: why, decided_at: trx.raw<Date>('UTC_TIMESTAMP(3)') };
  const batches = await trx('payout_batches')
    .where({ merchant_id: merchantId, ...(userId !== undefined && { made_by: userId }) })
    .whereRaw(young('made_at'))
    .whereIn('state', ['draft', 'waiting'])
    .forUpdate()
    .pluck('batch_id');
  if (batches.length > 0) {
    await holdRows(trx, 'payout_batches', ...batches);
    await trx('payout_batches')
      .whereIn('batch_id', batches)
      .update({ state: 'rejected', ...ended });
    await rowChanged(trx, 'payout_batches', ...batches);
  }
  const keys = await trx('key_confirmations')
    .where({ merchant_id: merchantId, state: 'waiting', ...(userId !== undefined && { asked_by: userId }) })
    .whereRaw(young('asked_at'))
    .forUpdate()
    .pluck('confirmation_id');
  await endConfirmations(trx, keys, why);
  return { batches, keys };
}

/** Ends the pending requests for revoked keys. */
export async function endKeyRequests(
  trx: Transaction,
  merchantId: string,
  apiKeys: readonly string[],
): Promise<void> {
  if (apiKeys.length === 0) return;
  const waiting = await trx('key_confirmations')
    .where({ merchant_id: merchantId, state: 'waiting' })
    .whereRaw(young('asked_at'))
    .whereIn('api_key', [...apiKeys])
    .forUpdate()
    .pluck('confirmation_id');
  await endConfirmations(trx, waiting, 'key_ended');
}

async function endConfirmations(trx: Transaction, ids: readonly string[], why: EndedWhy): Promise<void> {
  if (ids.length === 0) return;
  await holdRows(trx, 'key_confirmations', ...ids);
  await trx('key_confirmations')
    .whereIn('confirmation_id', [...ids])
    .update({ state: 'refused', ended_why: why, decided_at: trx.raw<Date>('UTC_TIMESTAMP(3)') });
  await rowChanged(trx, 'key_confirmations', ...ids);
}

/** The details for the audit line; empty if nothing ended. */
export function endedDetails({ batches, keys }: Ended): Record<string, string[]> {
  return {
    ...(batches.length > 0 && { ended_batches: batches }),
    ...(keys.length > 0 && { ended_keys: keys }),
  };
}

/** The codes of expected errors about users. The portal has a text for each, in every language. */
type UserErrorCode =
  | 'email_invalid'
  | 'email_taken'
  | 'already_member'
  | 'too_many_invited'
  | 'last_owner'
  | 'password_weak'
  | 'link_dead';

/** An expected error about users. */
export class UserError extends Error {
  constructor(
    readonly code: UserErrorCode,
    message: string,
  ) {
    super(message);
  }
}
