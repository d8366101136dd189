/** How much of a merchant's limits is used up, read by whoever has the turn. */
import type { Transaction } from '../store/database';
import type { Currency } from '../domain/money';
import { inChunks } from '../store/in-chunks';
import { clockOf, inRealTime, limitKinds, type LimitInForce } from './limits';

export interface Usage {
  /** What counts against a limit now, in minor units; of one recipient where the limit is. */
  of(limit: LimitInForce, recipient?: Buffer): bigint;
  /** When as much as `minor` of that counts no more. */
  whenGone(limit: LimitInForce, recipient: Buffer | undefined, minor: bigint): Promise<Date | undefined>;
}

export const noUsage: Usage = { of: () => 0n, whenGone: () => Promise.resolve(undefined) };

interface Sum {
  currency: string;
  rail: string;
  /** Of 24 hours, and of the last of them. */
  day: string;
  hour: string;
}

interface Place {
  merchantId: string;
  aheadMs: number;
}

const hour = 3_600;
const day = 86_400;

/**
 * Nothing bounds a window from above: what another process with a clock ahead of ours has written counts, too.
 * @param recipients those whose own sums are needed.
 */
export async function readUsage(
  trx: Transaction,
  place: Place,
  currencies: readonly Currency[],
  recipients: readonly Buffer[],
): Promise<Usage> {
  const within = (seconds: number) => countedSince(trx, place, seconds);
  const summed = (name: 'day' | 'hour', seconds: number) =>
    trx.raw('SUM(IF(accepted_at > ? - INTERVAL ? SECOND, amount, 0)) AS ??', [
      clockOf(trx, place.aheadMs),
      seconds,
      name,
    ]);
  const sums = [summed('day', day), summed('hour', hour)];
  const total = await within(day)
    .whereIn('currency', [...currencies])
    .groupBy('currency', 'rail')
    .select<Sum[]>('currency', 'rail', ...sums);
  const ofEach = new Map<string, Sum[]>();
  for (const some of inChunks(distinct(recipients))) {
    const rows = await within(day)
      .whereIn('recipient_hash', some)
      .groupBy('currency', 'rail', 'recipient_hash')
      .select<(Sum & { recipient_hash: Buffer })[]>('currency', 'rail', 'recipient_hash', ...sums);
    for (const row of rows) {
      const name = row.recipient_hash.toString('hex');
      ofEach.set(name, [...(ofEach.get(name) ?? []), row]);
    }
  }
  return {
    of(limit, recipient) {
      const sums = (recipient ? (ofEach.get(recipient.toString('hex')) ?? []) : total).filter(
        ({ currency, rail }) => currency === limit.currency && (limit.rail === null || rail === limit.rail),
      );
      const { windowSeconds } = limitKinds[limit.kind];
      return sums.reduce((sum, row) => sum + BigInt(windowSeconds === hour ? row.hour : row.day), 0n);
    },
    async whenGone({ kind, currency, rail }, recipient, minor) {
      const { windowSeconds = 0 } = limitKinds[kind];
      const counted = within(windowSeconds).where({ currency });
      if (rail !== null) void counted.where({ rail });
      if (recipient) void counted.where({ recipient_hash: recipient });
      const gone = trx.raw<string>('SUM(amount) OVER (ORDER BY accepted_at, payment_id)');
      const [last] = await trx
        .from(counted.select('accepted_at', 'payment_id', { gone }).as('counted'))
        // A text beside a sum is compared as a float.
        .whereRaw('gone >= CAST(? AS DECIMAL(30))', [minor.toString()])
        .orderBy(['accepted_at', 'payment_id'])
        .limit(1)
        .select<{ accepted_at: Date }[]>('accepted_at');
      return last && inRealTime(place, new Date(last.accepted_at.getTime() + windowSeconds * 1_000));
    },
  };
}

function countedSince(trx: Transaction, { merchantId, aheadMs }: Place, seconds: number) {
  return trx('outflows')
    .where({ merchant_id: merchantId, released_at: null })
    .where('accepted_at', '>', trx.raw('? - INTERVAL ? SECOND', [clockOf(trx, aheadMs), seconds]));
}

function distinct(hashes: readonly Buffer[]): Buffer[] {
  return [...new Map(hashes.map((hash) => [hash.toString('hex'), hash])).values()];
}
