/** What a merchant's payments of some days came to, and what the merchant has now. */
import { finalStates, settledStates } from '../domain/payment';
import type { Currency } from '../domain/money';
import type { Database } from '../store/database';

/** Of one rail and currency; minor units. */
export interface Figure {
  rail: string;
  currency: Currency;
  collected: bigint;
  paidOut: bigint;
  /** Payments that ended well, of those that ended. */
  succeeded: number;
  ended: number;
  waiting: number;
}

export interface OwnBalance {
  kind: 'wallet' | 'wallet_reserved' | 'float' | 'float_reserved';
  rail: string | null;
  country: string | null;
  currency: Currency;
  minor: bigint;
}

export interface Figures {
  figures: Figure[];
  /** Deposits that succeeded, by the day where the merchant is. */
  perDay: Map<string, number>;
}

/** Payments that are summed within some milliseconds, with room. */
export const summedAtOnce = 5_000;

interface Row {
  day: string;
  rail: string;
  kind: string;
  state: string;
  currency: Currency;
  n: string | number;
  minor: string;
}

/** Whether there are more payments than a page waits for: by the index alone. */
export async function areMany(db: Database, merchantId: string, from: Date): Promise<boolean> {
  const beyond = await db('payments')
    .where({ merchant_id: merchantId })
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .offset(summedAtOnce)
    .first('created_at');
  return beyond !== undefined;
}

/** What a merchant holds, account by account. */
export async function readBalances(db: Database, merchantId: string): Promise<OwnBalance[]> {
  const accounts = await db('ledger_accounts')
    .where({ merchant_id: merchantId })
    .whereNotNull('balance')
    .orderBy(['class', 'rail', 'country', 'currency'])
    .select('class', 'rail', 'country', 'currency', 'balance');
  return accounts.map((account) => ({
    kind: account.class as OwnBalance['kind'],
    rail: account.rail,
    country: account.country,
    currency: account.currency,
    minor: BigInt(account.balance ?? 0),
  }));
}

/**
 * By the index that has a merchant's payments by time. What was booked counts: the confirmed amount where it is in the
 * merchant's currency, and else what was asked for.
 * @param offsetMinutes of the merchant's clock from UTC.
 */
export async function readFigures(
  db: Database,
  merchantId: string,
  { from, offsetMinutes }: { from: Date; offsetMinutes: number },
): Promise<Figures> {
  const [rows] = (await db.raw(
    `SELECT DATE_FORMAT(created_at + INTERVAL ? MINUTE, '%Y-%m-%d') AS day, rail, kind, state, currency, COUNT(*) AS n,
         SUM(IF(instructed_currency = currency, COALESCE(confirmed_minor, requested_minor), requested_minor)) AS minor
       FROM payments WHERE merchant_id = ? AND created_at >= ?
       GROUP BY day, rail, kind, state, currency`,
    [offsetMinutes, merchantId, from],
  )) as unknown as [Row[]];
  const figures = new Map<string, Figure>();
  const perDay = new Map<string, number>();
  for (const row of rows) {
    add(figures, row);
    if (row.kind === 'deposit' && isBooked(row.state))
      perDay.set(row.day, (perDay.get(row.day) ?? 0) + Number(row.n));
  }
  return {
    figures: [...figures.values()].sort((a, b) => (a.rail + a.currency < b.rail + b.currency ? -1 : 1)),
    perDay,
  };
}

const isBooked = (state: string) => (settledStates as readonly string[]).includes(state);
const isEnded = (state: string) => (finalStates as readonly string[]).includes(state);

function add(figures: Map<string, Figure>, { rail, kind, state, currency, n, minor }: Row): void {
  const key = `${rail} ${currency}`;
  const figure = figures.get(key) ?? {
    ...{ rail, currency, collected: 0n, paidOut: 0n },
    ...{ succeeded: 0, ended: 0, waiting: 0 },
  };
  if (kind === 'deposit' && isBooked(state)) figure.collected += BigInt(minor);
  if (kind === 'payout' && state === 'succeeded') figure.paidOut += BigInt(minor);
  if (!isEnded(state)) figure.waiting += Number(n);
  else figure.ended += Number(n);
  if (isBooked(state)) figure.succeeded += Number(n);
  figures.set(key, figure);
}
