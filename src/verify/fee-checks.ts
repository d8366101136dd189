import { isCurrency } from '../domain/money';
import { notGone, settledStates } from '../domain/payment';
import { convertMinor, convertMinorUp } from '../fx/convert';
import type { FxQuoteRow } from '../store/tables';
import { bySql, quoted, ofEach, rowsOf, type Check } from './check';

const wide = 'DECIMAL(40, 0)';

/** What the fee is computed of: the amount of a payout, and what a collection credited. */
const base = `CAST(IF(p.kind = 'payout', p.requested_minor, COALESCE(p.credited_minor, p.confirmed_minor)) AS ${wide})`;
const share = `f.fixed + (${base} * f.per_million + 500000) DIV 1000000`;
const bounded = `LEAST(GREATEST(${share}, COALESCE(f.minimum, 0)), COALESCE(f.maximum, CAST(1e30 AS ${wide})))`;
/** Nothing until a collection is credited. */
const due = `CASE WHEN p.kind = 'payout' THEN ${bounded}
  WHEN p.state IN (${quoted(settledStates)}) THEN LEAST(${bounded}, ${base}) END`;
const currency = `IF(p.kind = 'payout', p.currency, COALESCE(p.credited_currency, p.instructed_currency))`;

/** What the platform has of a fee: of a payout once it is paid and while it stays so, of a collection what did not go back. */
const kept = `CASE WHEN p.kind = 'payout' THEN IF(p.state = 'succeeded', p.fee_minor, 0)
  WHEN p.given_back_minor >= p.confirmed_minor THEN 0
  ELSE p.fee_minor - CAST(p.fee_minor AS ${wide}) * p.given_back_minor DIV p.confirmed_minor END`;

/** How long before it was accepted a payment may have been begun, or its schedule set before it was in force. */
const grace = 'INTERVAL 60 SECOND';

/** What merchants were charged. */
export const feeChecks: Check[] = [
  {
    id: 'F3',
    promise:
      'each fee is what the schedule says that its payment was accepted with, and no payment has another one',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is a ', p.kind, ' that is ', p.state, ' with a fee of ', COALESCE(p.fee_minor, 'nothing'), ' by ',
                    COALESCE(p.fee_id, 'no schedule'), ', which makes it ', COALESCE(${due}, 'nothing')) AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN fee_schedules f ON f.fee_id = p.fee_id
      WHERE (p.fee_id IS NOT NULL OR p.fee_minor IS NOT NULL)
        AND (f.fee_id IS NULL OR NOT (p.fee_minor <=> ${due})
             OR f.operation <> IF(p.kind = 'payout', 'payout', 'collection') OR p.kind = 'refund'
             OR COALESCE(f.merchant_id, p.merchant_id) <> p.merchant_id OR COALESCE(f.rail, p.rail) <> p.rail
             OR f.currency <> ${currency})`,
      // A process of before fees accepts payments without one.
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('was accepted without the schedule ', MIN(f.fee_id)) AS detail
      FROM ${scope.about('payments', 'p')}
      JOIN fee_schedules f ON f.operation = IF(p.kind = 'payout', 'payout', 'collection') AND f.currency = ${currency}
       AND COALESCE(f.merchant_id, p.merchant_id) = p.merchant_id AND COALESCE(f.rail, p.rail) = p.rail
      WHERE p.fee_id IS NULL AND p.kind <> 'refund' AND p.created_at > f.from_at + ${grace}
        AND (f.ended_at IS NULL OR p.created_at < f.ended_at - ${grace})
      GROUP BY p.payment_id`,
    ),
  },
  {
    id: 'F4',
    promise: "the platform's fees are those of payments that are paid, less what went back with their money",
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is a ', p.kind, ' that is ', p.state, ' with a fee of ', p.fee_minor, ', of which ',
                    COALESCE(SUM(l.amount), 0), ' is booked as ours') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN ledger_entries e ON e.source_type = 'fee' AND e.source_id = p.payment_id
      LEFT JOIN (ledger_postings l JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class = 'fees')
        ON l.entry_id = e.entry_id AND l.currency = ${currency}
      WHERE p.fee_minor IS NOT NULL
      GROUP BY p.payment_id, p.kind, p.state, p.fee_minor, p.given_back_minor, p.confirmed_minor
      HAVING COALESCE(SUM(l.amount), 0) <> ${kept}`,
      // Of a payout, what is not ours is in its float, or set aside as its amount is.
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is a payout that is ', p.state, ' with a fee of ', p.fee_minor, ', of which ',
                    COALESCE(SUM(IF(l.account_id = h.reserved_account_id, l.amount, 0)), 0), ' is set aside and ',
                    COALESCE(SUM(IF(l.account_id = h.account_id, -l.amount, 0)), 0), ' has left its float') AS detail
      FROM ${scope.about('payments', 'p')}
      JOIN holds h ON h.payment_id = p.payment_id
      LEFT JOIN ledger_entries e ON e.source_type = 'fee' AND e.source_id = p.payment_id
      LEFT JOIN ledger_postings l ON l.entry_id = e.entry_id
      WHERE p.kind = 'payout' AND p.fee_minor IS NOT NULL
      GROUP BY p.payment_id, p.state, p.fee_minor
      HAVING COALESCE(SUM(IF(l.account_id = h.reserved_account_id, l.amount, 0)), 0) <> IF(MAX(h.state = 'open'), p.fee_minor, 0)
          OR COALESCE(SUM(IF(l.account_id = h.account_id, -l.amount, 0)), 0)
             <> IF(p.state IN (${quoted(notGone)}), 0, p.fee_minor)`,
      (scope) => `
      SELECT e.source_id AS id,
             CONCAT('entry ', e.entry_id, ' books ', l.amount, ' on account ', a.code, ' for a fee of ',
                    COALESCE(CONCAT('a ', p.kind, ' of merchant ', p.merchant_id), 'no payment')) AS detail
      FROM ${scope.about('ledger_entries', 'e', 'source_id')}
      JOIN ledger_postings l ON l.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = l.account_id
      LEFT JOIN payments p ON p.payment_id = e.source_id
      WHERE e.source_type = 'fee'
        AND (p.fee_minor IS NULL OR NOT (a.class = 'fees' OR (a.merchant_id <=> p.merchant_id
             AND IF(p.kind = 'payout', a.class IN ('float', 'float_reserved'), a.class = 'wallet'))))`,
      // What the platform does with its own money is an operator's transfer.
      (scope) => `
      SELECT a.code AS id, CONCAT('posting ', l.seq, ' moves ', l.amount, ' of it for no payment') AS detail
      FROM ledger_accounts a
      STRAIGHT_JOIN ledger_postings l ON l.account_id = a.account_id
      JOIN ledger_entries e ON e.entry_id = l.entry_id
      WHERE a.class = 'fees' AND e.source_type NOT IN ('fee', 'transfer') AND ${scope.added('ledger_postings', 'l')}`,
    ),
  },
];

/** What refunds of our own gave back of a deposit, in its provider's currency and in its wallet's. */
const refundedMinor = 'COALESCE(SUM(r.requested_minor), 0)';
const refundDebitedMinor = 'COALESCE(SUM(COALESCE(r.credited_minor, r.requested_minor)), 0)';

/** Payments whose money changed its currency, or went back. */
export const conversionChecks: Check[] = [
  {
    id: 'F1',
    promise: 'each converted amount is what its stored rate makes of it, and the rounding stored with it',
    find: ofEach(async ({ trx, scope }) => {
      const rows = await rowsOf<FxQuoteRow>(trx, `SELECT q.* FROM ${scope.about('fx_quotes', 'q')}`);
      return rows
        .filter((row) => !isSound(row))
        .map(
          ({
            payment_id: id,
            purpose,
            from_minor,
            base,
            rate,
            rounding_minor: rounding,
            to_minor,
            quote,
          }) => ({
            id,
            detail: `${purpose}: ${from_minor} ${base} at ${rate} and ${rounding ?? '0'} is not ${to_minor} ${quote}`,
          }),
        );
    }),
  },
  {
    id: 'F2',
    promise: 'each payment in two currencies has the rates it was converted at',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('asks ', p.requested_minor, ' ', p.currency, ' and instructs ', p.instructed_minor, ' ',
                    p.instructed_currency, ' without a stored rate for it') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN fx_quotes q ON q.payment_id = p.payment_id AND q.purpose = 'instruct'
      WHERE p.currency <> p.instructed_currency
        AND (q.payment_id IS NULL OR q.from_minor <> p.requested_minor OR q.to_minor <> p.instructed_minor)`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('credits ', p.credited_minor, ' ', p.credited_currency, ' for ', p.confirmed_minor, ' ',
                    p.instructed_currency, ' without a stored rate for it') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN fx_quotes q ON q.payment_id = p.payment_id AND q.purpose = 'credit'
      WHERE p.kind = 'deposit' AND p.credited_minor IS NOT NULL
        AND (q.payment_id IS NULL OR q.from_minor <> p.confirmed_minor OR q.to_minor <> p.credited_minor)`,
      // A buyer may be asked for a minor unit more, a payout never gives one more. What was ordered in the wallet's
      // currency and paid as instructed is credited as ordered. Nothing else is rounded.
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('asked ', p.requested_minor, ' ', p.currency, ' for a ', p.kind, ' and ', q.purpose, 's ', q.to_minor, ' ',
                    q.quote, ', of which ', q.rounding_minor, ' is rounding') AS detail
      FROM ${scope.about('payments', 'p')}
      JOIN fx_quotes q ON q.payment_id = p.payment_id AND q.rounding_minor IS NOT NULL
      WHERE (q.rounding_minor <> 0 OR q.purpose = 'credit')
        AND IF(q.purpose = 'instruct', p.kind <> 'deposit',
               IF(p.credited_currency = p.currency AND p.confirmed_minor = p.instructed_minor,
                  p.credited_minor <> p.requested_minor, q.rounding_minor <> 0))`,
    ),
  },
  {
    id: 'P15',
    promise: 'what went back was booked, and no more went back than had come, or a person was told',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('was paid ', COALESCE(p.confirmed_minor, 0), ', and ', p.given_back_minor + p.refunded_minor,
                    ' went back') AS detail
      FROM ${scope.about('payments', 'p')}
      WHERE (p.given_back_minor + p.refunded_minor > COALESCE(p.confirmed_minor, 0)
             AND NOT EXISTS (SELECT 1 FROM cases c
                             WHERE c.payment_id = p.payment_id AND c.reason = 'given_back_differs'))
         OR (p.given_back_minor + p.refunded_minor > 0) <> (p.kind = 'deposit' AND p.state IN ('refunded', 'reversed'))`,
      (scope) => `
      SELECT d.payment_id AS id,
             CONCAT(d.refunded_minor, ' (', d.refund_debited_minor, ' of the wallet) is told to be refunded by us, ',
                    ${refundedMinor}, ' (', ${refundDebitedMinor}, ') is') AS detail
      FROM ${scope.about('payments', 'd')}
      LEFT JOIN payments r FORCE INDEX (by_parent) ON r.parent_id = d.payment_id AND r.kind = 'refund' AND r.state = 'succeeded'
      WHERE d.kind = 'deposit' AND (d.rail = 'walletpay' OR d.refunded_minor <> 0)
      GROUP BY d.payment_id, d.refunded_minor, d.refund_debited_minor
      HAVING d.refunded_minor <> ${refundedMinor} OR d.refund_debited_minor <> ${refundDebitedMinor}`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT(p.given_back_minor, ' went back, ', COALESCE(SUM(l.amount), 0), ' is booked') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN ledger_entries e
        ON e.payment_id = p.payment_id AND e.source_type = 'deposit' AND e.leg LIKE 'given\\\\_back:%'
      LEFT JOIN (ledger_postings l JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class = 'clearing')
        ON l.entry_id = e.entry_id
      GROUP BY p.payment_id, p.given_back_minor
      HAVING p.given_back_minor <> COALESCE(SUM(l.amount), 0)`,
    ),
  },
];

/** What is asked for is rounded up at most, what is given down; and by less than a minor unit of what is paid. */
function isSound({ purpose, base, quote, rate, from_minor, to_minor, rounding_minor }: FxQuoteRow): boolean {
  if (!isCurrency(base) || !isCurrency(quote)) return false;
  const at = { base, quote, rate };
  const [from, rounding] = [BigInt(from_minor), BigInt(rounding_minor ?? 0)];
  const least = convertMinor(from, at);
  if (least + rounding !== BigInt(to_minor)) return false;
  return purpose === 'instruct'
    ? rounding === 0n || least + rounding === convertMinorUp(from, at)
    : rounding <= 0n && -rounding <= convertMinor(1n, at) + 1n;
}
