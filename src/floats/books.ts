/** The movements in our books at the providers, and the amounts that a wallet's balance may or may not include yet. */
import type { PaymentsOf } from '../reconciliation/statement';
import type { Currency } from '../domain/money';
import { settledStates } from '../domain/payment';
import { lastBefore } from '../ledger/day-cut';
import type { Database } from '../store/database';

/** Amounts are minor units. */
export interface Turnover {
  /** Incoming less outgoing money. */
  net: bigint;
  /** The sum of the absolute amounts. */
  turnover: bigint;
  /** Bookings that may have moved before the opening adjustment, as absolute amounts. */
  unplaced: bigint;
  /** The wallet may have this much less than `net`: unbooked outgoing money, and incoming money that it does not show yet. */
  less: bigint;
  /** The wallet may have this much more than `net`. */
  more: bigint;
}

/** The turnover of payments with the same rail, provider, country and currency. */
export interface RailTurnover extends Turnover {
  rail: string;
  /** The payment's provider; null for a booking without a payment. */
  provider: string | null;
  /** The payment's country. */
  country: string | null;
  currency: Currency;
}

/** An account at a provider, with the payments in its wallets. */
interface ProviderAccount {
  payments: readonly PaymentsOf[];
}

const railsOf = ({ payments }: ProviderAccount) => payments.map(({ rail }) => rail);

type TurnoverRow = Record<keyof Turnover, string | number | null> &
  Pick<RailTurnover, 'rail' | 'provider' | 'country' | 'currency'>;

const groups = `rail, provider, country, currency`;
const ofPayment = `p.provider AS provider, JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.country')) AS country`;

/**
 * Bookings of statement lines (unmatched receipts and the provider's fees) come long after the movement, so the known balance of
 * the wallet may already include them.
 */
const byStatement = `e.source_type IN ('unmatched', 'provider_fee')`;

/** Postings on the clearing accounts, which are the other side of every movement at a provider. Incoming money is negative. */
const booked = (upTo: string) => `
  SELECT a.rail AS rail, ${ofPayment}, a.currency AS currency, e.at AS at,
         IF(${byStatement}, 0, -l.amount) AS net, IF(${byStatement}, 0, ABS(l.amount)) AS turnover,
         IF(${byStatement}, ABS(l.amount), 0) AS unplaced
  FROM ledger_accounts a
  STRAIGHT_JOIN ledger_postings l ON l.account_id = a.account_id AND l.seq > ? ${upTo}
  STRAIGHT_JOIN ledger_entries e ON e.entry_id = l.entry_id
  LEFT JOIN payments p ON p.payment_id = e.payment_id
  WHERE a.class = 'clearing' AND a.rail IN (?)`;

/** Submitted payments without a booking: open ones, and those that ended a moment ago. Their money may have moved. */
const notBooked = (from: string) => `
  SELECT p.rail AS rail, ${ofPayment}, p.instructed_currency AS currency, p.kind = 'deposit' AS is_in,
         p.instructed_minor AS minor
  FROM payments p
  WHERE p.rail IN (?) AND ${from} AND EXISTS (SELECT 1 FROM attempts t WHERE t.payment_id = p.payment_id)`;
const settled = settledStates.map((state) => `'${state}'`).join(', ');

/**
 * The bookings after `counted`, and the payments in progress, of a provider. It is one SQL statement, so it sees one state of
 * the books.
 * @param since a wallet may not show payments that were booked or ended after this time.
 */
export function turnoverAfter(
  db: Database,
  account: ProviderAccount,
  counted: string,
  since: Date,
): Promise<RailTurnover[]> {
  const rails = railsOf(account);
  return turnoverIn(
    db,
    account,
    `SELECT ${groups}, SUM(net) AS net, SUM(turnover) AS turnover, SUM(unplaced) AS unplaced,
            SUM(IF(at >= ? AND net > 0, net, 0)) AS less, SUM(IF(at >= ? AND net < 0, -net, 0)) AS more
     FROM (${booked('')}) bookings GROUP BY ${groups}
     UNION ALL
     SELECT ${groups}, 0, 0, 0, SUM(IF(is_in, 0, minor)), SUM(IF(is_in, minor, 0))
     FROM (${notBooked('p.is_final = 0')}
       UNION ALL ${notBooked(`p.is_final = 1 AND p.changed_at >= ? AND p.state NOT IN (${settled})`)}) open_ones
     GROUP BY ${groups}`,
    [since, since, counted, rails, rails, rails, since],
  );
}

/** The bookings after `counted`, up to and with `upTo`. */
export function turnoverBetween(
  db: Database,
  account: ProviderAccount,
  counted: string,
  upTo: string,
): Promise<RailTurnover[]> {
  return turnoverIn(
    db,
    account,
    `SELECT ${groups}, SUM(net) AS net, SUM(turnover) AS turnover, SUM(unplaced) AS unplaced,
            0 AS less, 0 AS more
     FROM (${booked('AND l.seq <= ?')}) bookings GROUP BY ${groups}`,
    [counted, upTo, railsOf(account)],
  );
}

async function turnoverIn(
  db: Database,
  account: ProviderAccount,
  statement: string,
  bindings: (string | Date | string[])[],
): Promise<RailTurnover[]> {
  const [rows] = (await db.raw(statement, bindings)) as unknown as [TurnoverRow[]];
  const its = rows.filter((row) => isOf(row, account));
  return its.map(({ net, turnover, unplaced, less, more, ...rest }) => ({
    ...rest,
    net: BigInt(net ?? 0),
    turnover: BigInt(turnover ?? 0),
    unplaced: BigInt(unplaced ?? 0),
    less: BigInt(less ?? 0),
    more: BigInt(more ?? 0),
  }));
}

/** None of our transactions is open for this long, so no older posting can still appear. */
const openAtMostSeconds = 3_600;

/** The last posting before the first young one; `counted` if there is none. No posting can still appear before it. */
export async function lastOldPosting(db: Database, counted: string): Promise<string> {
  const sql = 'e.at >= UTC_TIMESTAMP(3) - INTERVAL ? SECOND';
  return (await lastBefore(db, counted, { sql, bindings: [String(openAtMostSeconds)] })).last;
}

/** Whether a turnover belongs to a provider. A booking without a payment belongs to the provider's own rail. */
function isOf(
  { rail, provider }: Pick<RailTurnover, 'rail' | 'provider'>,
  { payments }: ProviderAccount,
): boolean {
  return provider === null
    ? payments[0]?.rail === rail
    : payments.some((one) => one.rail === rail && (one.provider ?? provider) === provider);
}

/**
 * Assigns turnover to wallets: by country, or else to the only wallet of the currency. If several wallets fit, the amount may or
 * may not be in each of them.
 */
export function inWallets<W extends { country: string; currency: Currency }>(
  wallets: readonly W[],
  moved: readonly RailTurnover[],
): Map<W, Turnover> {
  const placed = new Map(
    wallets.map((wallet) => [wallet, { net: 0n, turnover: 0n, less: 0n, more: 0n, unplaced: 0n }]),
  );
  for (const { country, currency, net, turnover, unplaced, less, more } of moved) {
    const ofCurrency = wallets.filter((wallet) => wallet.currency === currency);
    const its = ofCurrency.find((wallet) => wallet.country === country) ?? ofCurrency[0];
    const isPlaced = its !== undefined && (ofCurrency.length === 1 || its.country === country);
    for (const wallet of isPlaced ? [its] : ofCurrency) {
      const sum = placed.get(wallet);
      if (!sum) continue;
      sum.less += less;
      sum.more += more;
      sum.unplaced += unplaced;
      if (isPlaced) {
        sum.net += net;
        sum.turnover += turnover;
      } else {
        sum.unplaced += turnover;
      }
    }
  }
  return placed;
}
