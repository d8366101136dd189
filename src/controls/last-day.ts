/** What went out, or is on its way out, since a day ago: beside what a float holds, how long it lasts. */
import type { Currency } from '../domain/money';
import type { Database } from '../store/database';

export interface PaidOut {
  merchantId: string;
  rail: string;
  currency: Currency;
  amountMinor: bigint;
}

/** Of every merchant, rail and currency that paid out at all. Each merchant's own is one stretch of an index. */
export async function paidOutSince(db: Database, since: Date): Promise<PaidOut[]> {
  const turns = await db('outflow_turns').select('merchant_id', 'currency');
  const all: PaidOut[] = [];
  for (const { merchant_id: merchantId, currency } of turns) {
    const sums: { rail: string; minor: string }[] = await db('outflows')
      .where({ merchant_id: merchantId, currency, released_at: null })
      .where('accepted_at', '>', since)
      .groupBy('rail')
      .select('rail')
      .sum({ minor: 'amount' });
    for (const { rail, minor } of sums) all.push({ merchantId, rail, currency, amountMinor: BigInt(minor) });
  }
  return all;
}
