/** What our books have moved at the providers, and what of it their wallets may not show yet, or show already. */
import type { PaymentsOf } from '../reconciliation/statement';
import type { Currency } from '../domain/money';
import { settledStates } from '../domain/payment';
import { lastBefore } from '../ledger/day-cut';
import type { Database } from '../store/database';

/** Amounts are minor units. */
export interface Moved {
  /** What came in, less what went out. */
  net: bigint;
  /** The same without signs. */
  turnover: bigint;
  /** What was booked of which nobody can say that it has moved there since its baseline, without signs. */
  unplaced: bigint;
  /** A wallet may have so much less than `net` says: what went out and is not booked, or came in and does not show. */
  less: bigint;
  /** And so much more. */
  more: bigint;
}

/** Of the payments that have these in common. */
export interface MovedBy extends Moved {
  rail: string;
  /** Of the payment; null where a booking is about none. */
  provider: string | null;
  /** As the payment has it. */
  country: string | null;
  currency: Currency;
}

/** Whose payments are in its wallets. */
interface ProviderAccount {
  payments: readonly PaymentsOf[];
}

const railsOf = ({ payments }: ProviderAccount) => payments.map(({ rail }) => rail);

type MovedRow = Record<keyof Moved, string | number | null> &
  Pick<MovedBy, 'rail' | 'provider' | 'country' | 'currency'>;

const groups = `rail, provider, country, currency`;
const ofPayment = `p.provider AS provider, JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.country')) AS country`;

/**
 * What a statement tells of is booked long after it has moved, and what was learnt of the wallet may have it already: money
 * without an owner, and what the provider kept.
 */
const byStatement = `e.source_type IN ('orphan', 'provider_fee')`;

/** The other side of everything that a provider moves is the clearing account of its rail, which falls when money comes in. */
const booked = (upTo: string) => `
  SELECT a.rail AS rail, ${ofPayment}, a.currency AS currency, e.at AS at,
         IF(${byStatement}, 0, -l.amount) AS net, IF(${byStatement}, 0, ABS(l.amount)) AS turnover,
         IF(${byStatement}, ABS(l.amount), 0) AS unplaced
  FROM ledger_accounts a
  STRAIGHT_JOIN ledger_postings l ON l.account_id = a.account_id AND l.seq > ? ${upTo}
  STRAIGHT_JOIN ledger_entries e ON e.entry_id = l.entry_id
  LEFT JOIN payments p ON p.payment_id = e.payment_id
  WHERE a.class = 'clearing' AND a.rail IN (?)`;

/** Who has been sent and has no end yet, or has come to an end without a booking a moment ago: it may have moved. */
const notBooked = (from: string) => `
  SELECT p.rail AS rail, ${ofPayment}, p.instructed_currency AS currency, p.kind = 'deposit' AS is_in,
         p.instructed_minor AS minor
  FROM payments p
  WHERE p.rail IN (?) AND ${from} AND EXISTS (SELECT 1 FROM attempts t WHERE t.payment_id = p.payment_id)`;
const settled = settledStates.map((state) => `'${state}'`).join(', ');

/**
 * What was booked after `counted`, and beside it what is under way, of the payments of a provider. One statement, which
 * sees one state of the books.
 * @param since what was booked or ended from then on may not show in a wallet yet.
 */
export function movedAfter(
  db: Database,
  account: ProviderAccount,
  counted: string,
  since: Date,
): Promise<MovedBy[]> {
  const rails = railsOf(account);
  return movedIn(
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

/** What was booked after `counted`, up to and with `upTo`. */
export function movedBetween(
  db: Database,
  account: ProviderAccount,
  counted: string,
  upTo: string,
): Promise<MovedBy[]> {
  return movedIn(
    db,
    account,
    `SELECT ${groups}, SUM(net) AS net, SUM(turnover) AS turnover, SUM(unplaced) AS unplaced,
            0 AS less, 0 AS more
     FROM (${booked('AND l.seq <= ?')}) bookings GROUP BY ${groups}`,
    [counted, upTo, railsOf(account)],
  );
}

async function movedIn(
  db: Database,
  account: ProviderAccount,
  statement: string,
  bindings: (string | Date | string[])[],
): Promise<MovedBy[]> {
  const [rows] = (await db.raw(statement, bindings)) as unknown as [MovedRow[]];
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

/** Nothing of ours is open for as long as this: what is older and was not committed will not be. */
const openAtMostSeconds = 3_600;

/** The last posting before the first that is young; `counted` where there is none. Nothing before it is still to come. */
export async function lastOldPosting(db: Database, counted: string): Promise<string> {
  const sql = 'e.at >= UTC_TIMESTAMP(3) - INTERVAL ? SECOND';
  return (await lastBefore(db, counted, { sql, bindings: [String(openAtMostSeconds)] })).last;
}

/** Whether such money is in the wallets of a provider; what is about no payment, where the rail is its own. */
function isOf(
  { rail, provider }: Pick<MovedBy, 'rail' | 'provider'>,
  { payments }: ProviderAccount,
): boolean {
  return provider === null
    ? payments[0]?.rail === rail
    : payments.some((one) => one.rail === rail && (one.provider ?? provider) === provider);
}

/**
 * Places what moved: in the wallet of its country, else in the only one of its currency. What fits several is held to
 * have moved in each of them, or not.
 */
export function inWallets<W extends { country: string; currency: Currency }>(
  wallets: readonly W[],
  moved: readonly MovedBy[],
): Map<W, Moved> {
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
