/** The sum of payouts of the last day. Together with a float's balance it says how long the float lasts. */
import type { Currency } from '../domain/money';
import type { Database } from '../store/database';
import { inChunks } from '../store/in-chunks';

export interface PaidOut {
  merchantId: string;
  rail: string;
  currency: Currency;
  amountMinor: bigint;
}

/** @param since in the clock of the windows (see `clockOf` in limits.ts). Only merchants, rails and currencies with payouts. Each is one range of the index. */
export async function paidOutSince(db: Database, since: Date): Promise<PaidOut[]> {
  const turns = await db('merchant_locks').select('merchant_id', 'currency');
  const all: PaidOut[] = [];
  for (const currency of new Set(turns.map((turn) => turn.currency))) {
    const merchants = turns.filter((turn) => turn.currency === currency).map((turn) => turn.merchant_id);
    for (const some of inChunks(merchants)) {
      const sums: { merchant_id: string; rail: string; minor: string }[] = await db
        .from(db.raw('outflows FORCE INDEX (by_time)'))
        .whereIn('merchant_id', some)
        .where({ currency, released_at: null })
        .where('accepted_at', '>', since)
        .groupBy('merchant_id', 'rail')
        .select('merchant_id', 'rail')
        .sum({ minor: 'amount' });
      for (const { merchant_id: merchantId, rail, minor } of sums)
        all.push({ merchantId, rail, currency, amountMinor: BigInt(minor) });
    }
  }
  return all;
}
