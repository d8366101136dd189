/**
 * Compares our clearing accounts with the books of the simulated providers. Only the simulator has such a query; real
 * providers have statements.
 */
import { request } from 'undici';
import { formatAmount, isCurrency, parseAmount, type Currency } from '../domain/money';
import type { Database, Transaction } from '../store/database';
import { rowsOf, type Check, type Violation } from './check';

interface Total {
  successes: number;
  amount: string;
}
/** Collections, and separately payouts, returns, refunds and reversals. */
type CurrencyTotals = Total & { payouts?: Total; returns?: Total; refunds?: Total; reversals?: Total };
/** Per rail and currency: the answer of GET /control/books. */
type Totals = Record<string, Record<string, CurrencyTotals>>;
/** Per rail: the answer of GET /control/books?detail=1. */
type Successes = Record<string, Success[]>;
interface Success {
  kind?: string;
  reference: string;
  amount: string;
  currency: string;
  phone?: string;
}

export function providerBooksCheck(db: Database, simulatorUrl: string): Check {
  return {
    id: 'P11',
    promise: "the providers' books agree with our clearing accounts",
    async find({ trx }) {
      // The snapshot is older than this query, so the provider can only be ahead of us.
      const [ours, theirs] = [await ourTotals(trx), await ask<Totals>(simulatorUrl, '')];
      const differing = differences(ours, theirs);
      if (differing.length === 0) return [];
      const successes = await ask<Successes>(simulatorUrl, '?detail=1');
      const rails = [...new Set(differing.map(({ rail }) => rail))];
      const found: Violation[] = [];
      let explained = false;
      for (const rail of rails) {
        const compared = await compareRail(db, trx, rail, successes[rail] ?? []);
        found.push(...compared.violations);
        explained ||= compared.explained;
      }
      // If every payment agrees, the sums differ because of postings without a payment.
      return found.length > 0 || explained
        ? found
        : differing.map(({ rail, text }) => ({ id: rail, detail: text }));
    },
  };
}

async function ask<T>(simulatorUrl: string, query: string): Promise<T> {
  const response = await request(`${simulatorUrl}/control/books${query}`, {
    bodyTimeout: 30_000,
    headersTimeout: 30_000,
  });
  if (response.statusCode !== 200) {
    throw new Error(`the simulator's books cannot be read: HTTP ${String(response.statusCode)}`);
  }
  return (await response.body.json()) as T;
}

/** The book of a payment: a cross-border payment through pawaPay is in the book of the mobile money provider. */
const bookOf = `IF(p.rail = 'xb' AND p.provider = 'pawapay', 'momo', a.rail)`;
const bookOfPayment = `IF(p.rail = 'xb' AND p.provider = 'pawapay', 'momo', p.rail)`;

/** Without the bookings of statement lines that belong to no payment. */
const ofPayments = "e.source_type NOT IN ('unmatched', 'provider_fee')";

async function ourTotals(trx: Transaction): Promise<Totals> {
  const rows = await rowsOf<{
    rail: string;
    currency: Currency;
    kind: string;
    entries: string;
    minor: string;
  }>(
    trx,
    `SELECT ${bookOf} AS rail, a.currency AS currency,
            IF(e.leg LIKE 'reversed:%', 'reversal', COALESCE(p.kind, 'deposit')) AS kind,
            COUNT(DISTINCT l.entry_id) - 2 * COUNT(DISTINCT IF(e.leg LIKE 'returned%', l.entry_id, NULL)) AS entries,
            ABS(SUM(l.amount)) AS minor
     FROM ledger_postings l
     JOIN ledger_accounts a ON a.account_id = l.account_id
     JOIN ledger_entries e ON e.entry_id = l.entry_id
     LEFT JOIN payments p ON p.payment_id = e.payment_id
     WHERE a.class = 'clearing' AND ${ofPayments}
     GROUP BY ${bookOf}, a.currency, IF(e.leg LIKE 'reversed:%', 'reversal', COALESCE(p.kind, 'deposit'))`,
  );
  const totals: Totals = {};
  for (const { rail, currency, kind, entries, minor } of rows) {
    const total = { successes: Number(entries), amount: formatAmount(BigInt(minor), currency) };
    const ofRail = (totals[rail] ??= {});
    const known = (ofRail[currency] ??= { ...none });
    if (kind === 'payout') known.payouts = total;
    else if (kind === 'refund') known.refunds = total;
    else if (kind === 'reversal') known.reversals = total;
    else Object.assign(known, total);
  }
  return totals;
}

/**
 * Refunds and reversals together. If the provider refunded in several parts, we may have one entry, so only the sums are
 * compared.
 */
function wentBack(own: CurrencyTotals, other: CurrencyTotals, currency: string): { mine: Total; its: Total } {
  if ((!own.reversals && !other.reversals) || !isCurrency(currency))
    return { mine: own.refunds ?? none, its: other.refunds ?? none };
  const sumOf = ({ refunds = none, reversals = none }: CurrencyTotals): Total => {
    const minor = [refunds, reversals].map(({ amount }) => parseAmount(amount, currency) ?? 0n);
    return {
      successes: 0,
      amount: formatAmount(
        minor.reduce((one, more) => one + more),
        currency,
      ),
    };
  };
  return { mine: sumOf(own), its: sumOf(other) };
}

/** Payouts less returned ones, as in our books: we may never have booked a returned payout as paid. */
function staysOut({ payouts = none, returns }: CurrencyTotals, currency: string): Total {
  if (!returns || !isCurrency(currency)) return payouts;
  const [went = 0n, back = 0n] = [payouts, returns].map(({ amount }) => parseAmount(amount, currency));
  return {
    successes: payouts.successes - returns.successes,
    amount: formatAmount(went - back, currency),
  };
}

const none: CurrencyTotals = { successes: 0, amount: '0.00' };

function differences(ours: Totals, theirs: Totals): { rail: string; text: string }[] {
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((rail) =>
    [...new Set([...Object.keys(ours[rail] ?? {}), ...Object.keys(theirs[rail] ?? {})])].flatMap(
      (currency) => {
        const [own, other] = [ours[rail]?.[currency] ?? none, theirs[rail]?.[currency] ?? none];
        return [
          { what: 'collections', mine: own, its: other },
          { what: 'payouts', mine: own.payouts ?? none, its: staysOut(other, currency) },
          { what: 'refunds', ...wentBack(own, other, currency) },
        ]
          .filter(
            ({ mine, its }) =>
              mine.successes !== its.successes || !isSameAmount(mine.amount, its.amount, currency),
          )
          .map(({ what, mine, its }) => ({
            rail,
            text:
              `${String(mine.successes)} ${what} and ${mine.amount} ${currency} in our books, ` +
              `${String(its.successes)} and ${its.amount} in the provider's`,
          }));
      },
    ),
  );
}

/** Both sides write decimal text, but with different numbers of decimals. */
function isSameAmount(ours: string, theirs: string, currency: string): boolean {
  if (!isCurrency(currency)) return ours === theirs;
  return parseAmount(ours, currency) === parseAmount(theirs, currency);
}

interface OurPayment {
  payment_id: string;
  reference: string | null;
  state: string;
  is_final: number;
  currency: Currency;
  minor: string | null;
  has_case: number;
}

/** Finds the payments that differ between the two books. An open payment, or one with an open case, is explained. */
async function compareRail(
  db: Database,
  trx: Transaction,
  rail: string,
  successes: Successes[string],
): Promise<{ violations: Violation[]; explained: boolean }> {
  const violations: Violation[] = [];
  let explained = false;
  const ours = new Map<string, OurPayment>();
  for (const payment of await ourPayments(trx, rail))
    ours.set(payment.reference ?? payment.payment_id, payment);

  const unseen = await unseenPayments(trx, rail);
  const seen = new Set<string>();
  const back = successes.filter(({ kind }) => kind === 'return').map(({ reference }) => reference);
  const isBack = ({ kind = '', reference }: Success) =>
    ['payout', 'return'].includes(kind) && back.includes(reference);
  for (const success of successes.filter((each) => !isBack(each))) {
    const { kind = 'collection', reference, amount, currency } = success;
    const reported = `the provider booked ${amount} ${currency} under ${reference}`;
    const one = `${kind}:${reference}`;
    if (seen.has(one)) violations.push({ id: reference, detail: `${reported}, for the second time` });
    if (seen.has(one)) continue;
    seen.add(one);
    const payment = ours.get(reference);
    ours.delete(reference);
    // Created after the snapshot, or unknown to us.
    if (!payment) {
      const isNewer: unknown = await db('payments as p')
        .where({ provider_reference: reference })
        .whereRaw(`${bookOfPayment} = ?`, [rail])
        .first('payment_id');
      // An unmatched receipt of a statement is booked already.
      const isUnmatched: unknown = await trx('unmatched_receipts')
        .where({ provider_reference: reference })
        .first('receipt_id');
      // A refund or reversal by the provider is not a payment of ours; the sums cover it.
      const isReturned = kind === 'refund' || kind === 'reversal';
      if (isNewer || isUnmatched || takeUnseen(unseen, success)) explained = true;
      else if (!isReturned)
        violations.push({ id: reference, detail: `${reported}; no payment has this reference` });
    } else if (payment.minor === null) {
      if (payment.is_final === 0 || payment.has_case > 0) explained = true;
      else
        violations.push({ id: payment.payment_id, detail: `${reported}; the payment is ${payment.state}` });
    } else {
      const booked = formatAmount(BigInt(payment.minor), payment.currency);
      if (payment.currency === currency && isSameAmount(booked, amount, currency)) continue;
      violations.push({
        id: payment.payment_id,
        detail: `${reported}; we booked ${booked} ${payment.currency}`,
      });
    }
  }
  for (const payment of ours.values()) {
    if (payment.minor === null || !isCurrency(payment.currency)) continue;
    const booked = `${formatAmount(BigInt(payment.minor), payment.currency)} ${payment.currency}`;
    violations.push({
      id: payment.payment_id,
      detail: `we booked ${booked}; the provider has no success`,
    });
  }
  return { violations, explained };
}

interface Unseen {
  phone: string | null;
  currency: Currency;
  minor: string;
}

/** Submissions without an answer, if the payment is open or has an open case about it. */
function unseenPayments(trx: Transaction, rail: string): Promise<Unseen[]> {
  return rowsOf<Unseen>(
    trx,
    `SELECT p.phone_number AS phone, p.instructed_currency AS currency, p.instructed_minor AS minor
     FROM payments p
     WHERE p.rail = ? AND p.provider_reference IS NULL AND p.confirmed_minor IS NULL AND p.state <> 'received'
       AND (p.is_final = 0 OR EXISTS (
         SELECT 1 FROM cases c
         WHERE c.payment_id = p.payment_id AND c.reason = 'submission_unknown' AND c.closed_at IS NULL))`,
    [rail],
  );
}

/** Takes a payment without an answer that may be this success. @returns whether there was one. */
function takeUnseen(unseen: Unseen[], { amount, currency, phone }: Success): boolean {
  const found = unseen.findIndex(
    (ours) =>
      ours.currency === currency &&
      isSameAmount(formatAmount(BigInt(ours.minor), ours.currency), amount, currency) &&
      (phone === undefined || ours.phone === phone),
  );
  if (found === -1) return false;
  unseen.splice(found, 1);
  return true;
}

function ourPayments(trx: Transaction, rail: string): Promise<OurPayment[]> {
  return rowsOf<OurPayment>(
    trx,
    `SELECT p.payment_id, p.provider_reference AS reference, p.state, p.is_final,
            COALESCE(booked.currency, p.currency) AS currency,
            IF(p.kind = 'deposit', -booked.minor, booked.minor) AS minor,
            EXISTS (SELECT 1 FROM cases c WHERE c.payment_id = p.payment_id AND c.closed_at IS NULL) AS has_case
     FROM payments p
     LEFT JOIN (
       SELECT e.payment_id, a.currency, NULLIF(SUM(l.amount), 0) AS minor
       FROM ledger_entries e
       JOIN ledger_postings l ON l.entry_id = e.entry_id
       JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class = 'clearing'
       WHERE e.leg NOT LIKE 'reversed:%' AND ${ofPayments}
       GROUP BY e.payment_id, a.currency
     ) booked ON booked.payment_id = p.payment_id
     WHERE ${bookOfPayment} = ? AND (p.provider_reference IS NOT NULL OR booked.minor IS NOT NULL)`,
    [rail],
  );
}
