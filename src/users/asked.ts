/** What somebody has asked others to decide: it ends with the right to ask for it, in the same transaction. */
import type { Transaction } from '../store/database';
import type { EndedWhy } from '../store/user-tables';
import { holdRows, rowChanged } from './audit-log';

/** As long as what operators ask for; what was put together is as old at most when it is asked for. */
export const waitsHours = 72;
/** Nothing that is older waits any more. */
const oldestHours = 2 * waitsHours;
const young = (column: string) => `${column} > UTC_TIMESTAMP(3) - INTERVAL ${String(oldestHours)} HOUR`;

/** The ids of what has ended, for the line of the audit log. */
export interface Ended {
  batches: string[];
  keys: string[];
}

/**
 * Ends what waits: of one person, or of everybody.
 * @param userId who has asked for it; everybody where it is left out.
 */
export async function endAsked(
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

/** What waits for keys that have ended waits for nothing. */
export async function endAskedForKeys(
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

/** As the audit log tells it: nothing where nothing waited. */
export function endedDetails({ batches, keys }: Ended): Record<string, string[]> {
  return {
    ...(batches.length > 0 && { ended_batches: batches }),
    ...(keys.length > 0 && { ended_keys: keys }),
  };
}

/** Why a person does not get what was asked for; the portal has a sentence for each in every language. */
type PeopleRefusalCode =
  | 'email_invalid'
  | 'email_taken'
  | 'already_member'
  | 'too_many_invited'
  | 'last_owner'
  | 'password_weak'
  | 'link_dead';

/** A definite no about people. */
export class PeopleRefusal extends Error {
  constructor(
    readonly code: PeopleRefusalCode,
    message: string,
  ) {
    super(message);
  }
}
