import { createHash } from 'node:crypto';
import { exponentOf, type Currency } from '../domain/money';
import type { Database } from '../store/database';
import type { OutflowDefaultRow } from '../store/tables';
import type { LimitInForce } from './limits';

/** The highest amount per payment in whole units: about 500 US dollars, in each currency with payouts. */
const defaultPerPayment: Partial<Record<Currency, bigint>> = {
  CDF: 1_400_000n,
  ETB: 60_000n,
  GHS: 7_000n,
  KES: 65_000n,
  LSL: 9_000n,
  MWK: 850_000n,
  MZN: 32_000n,
  NGN: 800_000n,
  RWF: 650_000n,
  SLE: 11_000n,
  TZS: 1_300_000n,
  UGX: 1_800_000n,
  USD: 500n,
  XAF: 300_000n,
  XOF: 300_000n,
  ZMW: 13_000n,
};

export const defaultCurrencies = Object.keys(defaultPerPayment) as Currency[];

/** Multiples of it: twice a day to a recipient; per merchant ten times an hour and forty times a day. */
const defaultTimes = { per_payment: 1n, per_recipient_day: 2n, per_hour: 10n, per_day: 40n } as const;

/** @returns the default limits of a currency. A currency without an amount has the limit 0 until an operator sets one. */
export function defaultLimitsOf(currency: Currency): LimitInForce[] {
  const perPayment = (defaultPerPayment[currency] ?? 0n) * 10n ** BigInt(exponentOf(currency));
  return Object.entries(defaultTimes).map(([kind, times]) => ({
    kind: kind as keyof typeof defaultTimes,
    currency,
    rail: null,
    amountMinor: perPayment * times,
  }));
}

const allDefaults = defaultCurrencies.flatMap(defaultLimitsOf).map(({ kind, currency, amountMinor }) => {
  return { kind, currency, amount: amountMinor.toString() };
});

/** The name of default limits is a digest of their amounts. */
export function nameOfDefaults(rows: readonly Omit<OutflowDefaultRow, 'defaults_id'>[]): string {
  const lines = rows.map(({ currency, kind, amount }) => `${currency} ${kind} ${amount}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
}

/** The name of this version's defaults. Each payout stores it, so the limits that it was created with stay known. */
export const defaultsId = nameOfDefaults(allDefaults);

/** Stores the amounts of the name, for ever. */
export async function keepDefaults(db: Database): Promise<void> {
  await db('outflow_defaults')
    .insert(allDefaults.map((one) => ({ ...one, defaults_id: defaultsId })))
    .onConflict()
    .ignore();
}
