/** The totals of a merchant's payments over some days, and the merchant's balances. */
import { finalStates, settledStates } from '../domain/payment';
import type { Currency } from '../domain/money';
import type { Database } from '../store/database';

/** Minor units. */
export interface Sums {
  collected: bigint;
  paidOut: bigint;
  /** Amounts that were reversed by the provider or refunded by the merchant. */
  wentBack: bigint;
  /** Fees of booked payments, without the share that was refunded with a collection. */
  fees: bigint;
  /** Payments with a fee in another currency. Their fee is not in `fees`. */
  feesElsewhere: number;
  /** Successful payments; `ended` counts all payments that ended. */
  succeeded: number;
  ended: number;
  waiting: number;
}

export interface Figure extends Sums {
  rail: string;
  currency: Currency;
  /** The sums of each day, in order. */
  days: Sums[];
}

export interface OwnBalance {
  kind: 'wallet' | 'wallet_reserved' | 'float' | 'float_reserved';
  rail: string | null;
  country: string | null;
  currency: Currency;
  minor: bigint;
}

/** The number of payments that the database sums within some milliseconds, with a margin. */
export const summedAtOnce = 5_000;

interface Row {
  /** Starts at 1. */
  day: string | number;
  rail: string;
  kind: string;
  state: string;
  currency: Currency;
  n: string | number;
  minor: string;
  back: string;
  fee: string;
  elsewhere: string | number;
}

/** Whether there are too many payments to sum while the page loads. It reads only the index. */
export async function areMany(db: Database, merchantId: string, from: Date): Promise<boolean> {
  const beyond = await db('payments')
    .where({ merchant_id: merchantId })
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .offset(summedAtOnce)
    .first('created_at');
  return beyond !== undefined;
}

/** The merchant's balances, account by account. */
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
 * Reads the index of a merchant's payments by time. It counts the booked amount: the confirmed amount if it has the
 * payment's currency, otherwise the requested amount.
 * @param days the beginning of each day in the merchant's time zone; not every day has 24 hours.
 */
export async function readFigures(
  db: Database,
  merchantId: string,
  days: readonly Date[],
): Promise<Figure[]> {
  const [first] = days;
  if (!first) return [];
  const begins = days.map((day) => Math.floor(day.getTime() / 1_000));
  const [rows] = (await db.raw(
    `SELECT INTERVAL(TIMESTAMPDIFF(SECOND, '1970-01-01', created_at), ${begins.map(() => '?').join(', ')}) AS day,
         rail, kind, state, currency, COUNT(*) AS n,
         SUM(IF(instructed_currency = currency, COALESCE(confirmed_minor, requested_minor), requested_minor)) AS minor,
         SUM(IF(instructed_currency = currency, returned_minor,
           requested_minor * LEAST(returned_minor, COALESCE(confirmed_minor, 0)) DIV COALESCE(NULLIF(confirmed_minor, 0), 1))) AS back,
         SUM(IF(COALESCE(credited_currency, currency) <> currency OR returned_minor >= COALESCE(confirmed_minor, requested_minor), 0,
           COALESCE(fee_minor, 0) - (COALESCE(fee_minor, 0) * returned_minor) DIV COALESCE(NULLIF(confirmed_minor, 0), requested_minor))) AS fee,
         SUM(COALESCE(fee_minor, 0) > 0 AND COALESCE(credited_currency, currency) <> currency) AS elsewhere
       FROM payments WHERE merchant_id = ? AND created_at >= ?
       GROUP BY day, rail, kind, state, currency`,
    [...begins, merchantId, first],
  )) as unknown as [Row[]];
  const figures = new Map<string, Figure>();
  for (const row of rows) {
    const { rail, currency } = row;
    const key = `${rail} ${currency}`;
    const figure = figures.get(key) ?? { rail, currency, ...noSums(), days: days.map(noSums) };
    add(figure, row);
    const day = figure.days[Number(row.day) - 1];
    if (day) add(day, row);
    figures.set(key, figure);
  }
  return [...figures.values()].sort((a, b) => (a.rail + a.currency < b.rail + b.currency ? -1 : 1));
}

const isBooked = (state: string) => (settledStates as readonly string[]).includes(state);
const isEnded = (state: string) => (finalStates as readonly string[]).includes(state);
const noSums = (): Sums => ({
  collected: 0n,
  paidOut: 0n,
  wentBack: 0n,
  fees: 0n,
  feesElsewhere: 0,
  succeeded: 0,
  ended: 0,
  waiting: 0,
});

function add(sums: Sums, { kind, state, n, minor, back, fee, elsewhere }: Row): void {
  if (kind === 'deposit' && isBooked(state)) sums.collected += BigInt(minor);
  if (kind === 'deposit' && isBooked(state)) sums.wentBack += BigInt(back);
  if (kind === 'refund' && state === 'succeeded') sums.wentBack += BigInt(minor);
  if (kind === 'deposit' ? isBooked(state) : state === 'succeeded') sums.fees += BigInt(fee);
  sums.feesElsewhere += Number(elsewhere);
  if (kind === 'payout' && state === 'succeeded') sums.paidOut += BigInt(minor);
  if (!isEnded(state)) sums.waiting += Number(n);
  else sums.ended += Number(n);
  if (isBooked(state)) sums.succeeded += Number(n);
}
