/** Notifications that came before their payment could be found: they are looked at again, and not for ever. */
import { inTransaction } from '../../store/transaction';
import type { InboxRow } from '../../store/tables';
import { openRailCase } from '../../controls/cases';
import type { PaymentsContext } from '../../rail-kit/context';

export interface ParkedAges {
  /** Milliseconds between two looks at one. */
  lookEveryMs: number;
  /** Milliseconds after which it is given up: a payment's row is older than any word of its provider. */
  giveUpAfterMs: number;
}

const parkedAges: ParkedAges = { lookEveryMs: 30_000, giveUpAfterMs: 600_000 };

const batch = 100;

/**
 * Gives parked notifications to the payments that they are about. Safe to run twice and by several processes at once.
 * @returns how many found theirs; the sweeper wakes those payments.
 */
export async function matchParked(context: PaymentsContext, ages: ParkedAges = parkedAges): Promise<number> {
  const { db } = context;
  const before = new Date(Date.now() - ages.lookEveryMs);
  const parked = await db('inbox')
    .where({ state: 'parked' })
    .where((row) => void row.whereNull('processed_at').orWhere('processed_at', '<', before))
    .orderBy('received_at')
    .limit(batch);
  let matched = 0;
  for (const row of parked) if (await matchOne(context, row, ages)) matched += 1;
  return matched;
}

async function matchOne(
  { db, rails, log }: PaymentsContext,
  { inbox_id, rail, body, received_at: receivedAt }: InboxRow,
  { giveUpAfterMs }: ParkedAges,
): Promise<boolean> {
  // Of a rail that this deployment serves no more nothing can be found, and a person is told of it all the same.
  const payment = await rails.all.find(({ name }) => name === rail)?.matchNotification?.(db, body);
  const still = { inbox_id, state: 'parked' } as const;
  if (payment) {
    const found = { payment_id: payment.payment_id, state: 'new', reason: null, processed_at: null } as const;
    return (await db('inbox').where(still).update(found)) === 1;
  }
  const now = new Date();
  if (now.getTime() - receivedAt.getTime() < giveUpAfterMs) {
    await db('inbox').where(still).update({ processed_at: now });
    return false;
  }
  await inTransaction(db, async (trx) => {
    const given = await trx('inbox')
      .where(still)
      .update({ state: 'ignored', reason: 'no payment matches', processed_at: now });
    if (given !== 1) return;
    await openRailCase(trx, rail, 'unmatched_notification', `inbox ${inbox_id}`);
  });
  log.warn('a notification matches no payment and was given up', { rail, inbox_id });
  return false;
}
