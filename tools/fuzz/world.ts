/** Values that requests use by name: keys of this run, and its ids, references and tokens. */
import { randomUUID } from 'node:crypto';
import type { NewMerchant } from '../../src/merchants/merchants';
import type { Database } from '../../src/store/database';

export interface World {
  valueOf(name: string, place: number): string;
  /** Reads the current payments. */
  refresh(): Promise<void>;
}

const keptMax = 400;

export function createWorld(db: Database, merchants: readonly NewMerchant[], challenge: string): World {
  let payments: { id: string; reference: string; token: string }[] = [];
  const merchantAt = (place: number) => merchants[place % merchants.length];
  const known: Record<string, (place: number) => string | undefined> = {
    key: (place) => merchantAt(place)?.api_key,
    secret: (place) => merchantAt(place)?.api_secret,
    merchant: (place) => merchantAt(place)?.merchant_id,
    challenge: () => challenge,
    id: (place) => payments[place % Math.max(1, payments.length)]?.id,
    reference: (place) => payments[place % Math.max(1, payments.length)]?.reference,
    token: (place) => payments[place % Math.max(1, payments.length)]?.token,
  };
  return {
    valueOf: (name, place) => known[name]?.(place) ?? randomUUID().replaceAll('-', ''),
    async refresh() {
      const rows = await db('payments')
        .orderBy('created_at', 'desc')
        .limit(keptMax)
        .select('payment_id', 'provider_reference', 'callback_token');
      payments = rows.map((row) => ({
        id: row.payment_id,
        reference: row.provider_reference ?? row.payment_id,
        token: row.callback_token ?? row.payment_id,
      }));
    },
  };
}
