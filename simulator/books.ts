/**
 * The providers' own books: every payment that succeeded, whether the caller knows it or not. Per currency, `successes`
 * and `amount` are the collections. Outgoing money is beside them, under its own name.
 */
import type { Clock } from './clock';
import type { Journal } from './journal';

export interface Success {
  provider: string;
  /** Absent for a collection. */
  kind?: 'payout' | 'return' | 'refund' | 'reversal';
  /** The provider's id of the payment. */
  reference: string;
  receipt: string;
  /** The caller's id, if the provider's statement contains it. */
  callerReference?: string;
  /** Decimal, two places. */
  amount: string;
  currency: string;
  phone?: string;
  /** ISO 8601, in real time: a caller who compares it with their own books does not know the time scale. */
  at: string;
}

export interface Total {
  successes: number;
  amount: string;
}

export interface CurrencyTotal extends Total {
  payouts?: Total;
  /** Payouts that were returned. */
  returns?: Total;
  refunds?: Total;
  /** Collections that the provider reversed. */
  reversals?: Total;
}

export interface Books {
  /** Books a success once; the same reference again changes nothing. */
  book(success: Omit<Success, 'at'>): void;
  /** Removes a booking, as if it had never existed. */
  unbook(success: Pick<Success, 'provider' | 'kind' | 'reference'>): void;
  totals(provider: string): Record<string, CurrencyTotal>;
  successes(provider: string): Omit<Success, 'provider'>[];
  /** In cents: money in minus money out, for each currency with bookings. */
  nets(provider: string): Map<string, bigint>;
}

interface Sum {
  successes: number;
  cents: bigint;
}

const column = { payout: 'payouts', return: 'returns', refund: 'refunds', reversal: 'reversals' } as const;
const outgoing = Object.values(column);
type Sums = Record<'collections' | (typeof outgoing)[number], Sum>;
const nothing: Sum = { successes: 0, cents: 0n };
const nothingYet: Sums = {
  collections: nothing,
  payouts: nothing,
  returns: nothing,
  refunds: nothing,
  reversals: nothing,
};

export function openBooks(journal: Journal, clock: Pick<Clock, 'callersNow'>): Books {
  const booked = journal.collection<Success>('successes');
  const providers = new Map<string, Map<string, Sums>>();

  const idOf = ({ provider, kind, reference }: Pick<Success, 'provider' | 'kind' | 'reference'>) =>
    [provider, ...(kind ? [kind] : []), reference].join(':');
  const addUp = ({ provider, currency, amount, kind }: Success, sign: 1 | -1 = 1) => {
    const currencies = providers.get(provider) ?? new Map<string, Sums>();
    const sums = currencies.get(currency) ?? nothingYet;
    const name = kind ? column[kind] : 'collections';
    const { successes, cents } = sums[name];
    const sum = { successes: successes + sign, cents: cents + BigInt(sign) * centsOf(amount) };
    currencies.set(currency, { ...sums, [name]: sum });
    providers.set(provider, currencies);
  };
  for (const success of booked.values()) addUp(success);

  return {
    book(reported) {
      const id = idOf(reported);
      if (booked.get(id)) return;
      const success = { ...reported, at: new Date(clock.callersNow()).toISOString() };
      booked.put(id, success);
      addUp(success);
    },
    unbook(success) {
      const id = idOf(success);
      const known = booked.get(id);
      if (!known) return;
      booked.delete(id);
      addUp(known, -1);
    },
    totals: (provider) =>
      Object.fromEntries(
        [...(providers.get(provider) ?? [])].map(([currency, sums]) => [
          currency,
          {
            ...totalOf(sums.collections),
            ...Object.fromEntries(
              outgoing.filter((name) => sums[name].successes > 0).map((name) => [name, totalOf(sums[name])]),
            ),
          },
        ]),
      ),
    successes: (wanted) =>
      [...booked.values()]
        .filter(({ provider }) => provider === wanted)
        .map(({ provider: _, ...success }) => success),
    nets: (wanted) =>
      new Map([...(providers.get(wanted) ?? [])].map(([currency, sums]) => [currency, netOf(sums)])),
  };
}

function netOf({ collections, payouts, returns, refunds, reversals }: Sums): bigint {
  return collections.cents + returns.cents - payouts.cents - refunds.cents - reversals.cents;
}

function totalOf({ successes, cents }: Sum): Total {
  return { successes, amount: decimalOf(cents) };
}

export function centsOf(amount: string): bigint {
  if (!/^\d+\.\d{2}$/.test(amount)) throw new Error(`${amount} is not an amount with two decimals`);
  return BigInt(amount.replace('.', ''));
}

export function decimalOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
