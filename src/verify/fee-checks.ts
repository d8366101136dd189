import { isCurrency } from '../domain/money';
import { notGone, settledStates } from '../domain/payment';
import { convertMinor, convertMinorUp } from '../fx/convert';
import type { FxQuoteRow } from '../store/tables';
import { bySql, quoted, ofEach, rowsOf, type Check } from './check';

const wide = 'DECIMAL(40, 0)';

/** The base of the fee: the amount of a payout, or the credited amount of a collection. */
const base = `CAST(IF(p.kind = 'payout', p.requested_minor, COALESCE(p.credited_minor, p.confirmed_minor)) AS ${wide})`;
const share = `f.fixed + (${base} * f.per_million + 500000) DIV 1000000`;
const bounded = `LEAST(GREATEST(${share}, COALESCE(f.minimum, 0)), COALESCE(f.maximum, CAST(1e30 AS ${wide})))`;
/** The due fee; NULL for a collection that is not credited yet. */
const due = `CASE WHEN p.kind = 'payout' THEN ${bounded}
  WHEN p.state IN (${quoted(settledStates)}) THEN LEAST(${bounded}, ${base}) END`;
const currency = `IF(p.kind = 'payout', p.currency, COALESCE(p.credited_currency, p.instructed_currency))`;

/** The platform's part of a fee: all of it for a paid payout; for a collection, less the share that was refunded or reversed. */
const kept = `CASE WHEN p.kind = 'payout' THEN IF(p.state = 'succeeded', p.fee_minor, 0)
  WHEN p.returned_minor >= p.confirmed_minor THEN 0
  ELSE p.fee_minor - CAST(p.fee_minor AS ${wide}) * p.returned_minor DIV p.confirmed_minor END`;

/** The tolerance between the creation of a payment and the time of its fee schedule. */
const grace = 'INTERVAL 60 SECOND';

/** Checks of fees. */
export const feeChecks: Check[] = [
  {
    id: 'F3',
    promise:
      'each fee follows the schedule that its payment was created with, and no payment has another fee',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is a ', p.kind, ' that is ', p.state, ' with a fee of ', COALESCE(p.fee_minor, 'nothing'), ' by ',
                    COALESCE(p.fee_id, 'no schedule'), ', which gives ', COALESCE(${due}, 'nothing')) AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN fee_schedules f ON f.fee_id = p.fee_id
      WHERE (p.fee_id IS NOT NULL OR p.fee_minor IS NOT NULL)
        AND (f.fee_id IS NULL OR NOT (p.fee_minor <=> ${due})
             OR f.operation <> IF(p.kind = 'payout', 'payout', 'collection') OR p.kind = 'refund'
             OR COALESCE(f.merchant_id, p.merchant_id) <> p.merchant_id OR COALESCE(f.rail, p.rail) <> p.rail
             OR f.currency <> ${currency})`,
      // A process of a version without fees creates payments without one.
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('was created without the schedule ', MIN(f.fee_id)) AS detail
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
    promise: 'the platform has the fees of paid payments, less the share that was refunded or reversed',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is a ', p.kind, ' that is ', p.state, ' with a fee of ', p.fee_minor, ', of which ',
                    COALESCE(SUM(l.amount), 0), ' is booked for the platform') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN ledger_entries e ON e.source_type = 'fee' AND e.source_id = p.payment_id
      LEFT JOIN (ledger_postings l JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class = 'fees')
        ON l.entry_id = e.entry_id AND l.currency = ${currency}
      WHERE p.fee_minor IS NOT NULL
      GROUP BY p.payment_id, p.kind, p.state, p.fee_minor, p.returned_minor, p.confirmed_minor
      HAVING COALESCE(SUM(l.amount), 0) <> ${kept}`,
      // The rest of a payout's fee is in its float, or reserved like its amount.
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is a payout that is ', p.state, ' with a fee of ', p.fee_minor, ', of which ',
                    COALESCE(SUM(IF(l.account_id = h.reserved_account_id, l.amount, 0)), 0), ' is reserved and ',
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
      // The platform moves its own money by an operator's transfer.
      (scope) => `
      SELECT a.code AS id, CONCAT('posting ', l.seq, ' moves ', l.amount, ' without a payment') AS detail
      FROM ledger_accounts a
      STRAIGHT_JOIN ledger_postings l ON l.account_id = a.account_id
      JOIN ledger_entries e ON e.entry_id = l.entry_id
      WHERE a.class = 'fees' AND e.source_type NOT IN ('fee', 'transfer') AND ${scope.added('ledger_postings', 'l')}`,
    ),
  },
];

/** The sum of our refunds of a deposit, in the provider's currency and in the wallet's currency. */
const refundedMinor = 'COALESCE(SUM(r.requested_minor), 0)';
const refundDebitedMinor = 'COALESCE(SUM(COALESCE(r.credited_minor, r.requested_minor)), 0)';

/** Checks of conversions, refunds and reversals. */
export const conversionChecks: Check[] = [
  {
    id: 'F1',
    promise: 'each converted amount matches its stored rate and its stored rounding',
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
    promise: 'each payment in two currencies has its stored rates',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('requests ', p.requested_minor, ' ', p.currency, ' and submits ', p.instructed_minor, ' ',
                    p.instructed_currency, ' without a stored rate') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN fx_quotes q ON q.payment_id = p.payment_id AND q.purpose = 'instruct'
      WHERE p.currency <> p.instructed_currency
        AND (q.payment_id IS NULL OR q.from_minor <> p.requested_minor OR q.to_minor <> p.instructed_minor)`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('credits ', p.credited_minor, ' ', p.credited_currency, ' for ', p.confirmed_minor, ' ',
                    p.instructed_currency, ' without a stored rate') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN fx_quotes q ON q.payment_id = p.payment_id AND q.purpose = 'credit'
      WHERE p.kind = 'deposit' AND p.credited_minor IS NOT NULL
        AND (q.payment_id IS NULL OR q.from_minor <> p.confirmed_minor OR q.to_minor <> p.credited_minor)`,
      // A submitted deposit may be a minor unit higher; a payout never is. A deposit that was requested in the wallet's currency
      // and paid as submitted is credited as requested. Nothing else is rounded.
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('requested ', p.requested_minor, ' ', p.currency, ' for a ', p.kind, ' and ', q.purpose, 's ', q.to_minor, ' ',
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
    promise: 'refunds and reversals are booked, and do not exceed the deposit unless a case reports it',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('was paid ', COALESCE(p.confirmed_minor, 0), ', but ', p.returned_minor + p.refunded_minor,
                    ' was refunded or reversed') AS detail
      FROM ${scope.about('payments', 'p')}
      WHERE (p.returned_minor + p.refunded_minor > COALESCE(p.confirmed_minor, 0)
             AND NOT EXISTS (SELECT 1 FROM cases c
                             WHERE c.payment_id = p.payment_id AND c.reason = 'refund_differs'))
         OR (p.returned_minor + p.refunded_minor > 0) <> (p.kind = 'deposit' AND p.state IN ('refunded', 'reversed'))`,
      (scope) => `
      SELECT d.payment_id AS id,
             CONCAT(d.refunded_minor, ' (', d.refund_debited_minor, ' of the wallet) is recorded as refunded by us, but ',
                    ${refundedMinor}, ' (', ${refundDebitedMinor}, ') was refunded') AS detail
      FROM ${scope.about('payments', 'd')}
      LEFT JOIN payments r FORCE INDEX (by_parent) ON r.parent_id = d.payment_id AND r.kind = 'refund' AND r.state = 'succeeded'
      WHERE d.kind = 'deposit' AND (d.rail = 'walletpay' OR d.refunded_minor <> 0)
      GROUP BY d.payment_id, d.refunded_minor, d.refund_debited_minor
      HAVING d.refunded_minor <> ${refundedMinor} OR d.refund_debited_minor <> ${refundDebitedMinor}`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT(p.returned_minor, ' was refunded or reversed by the provider, but ', COALESCE(SUM(l.amount), 0), ' is booked') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN ledger_entries e
        ON e.payment_id = p.payment_id AND e.source_type = 'deposit' AND e.leg LIKE 'reversed:%'
      LEFT JOIN (ledger_postings l JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class = 'clearing')
        ON l.entry_id = e.entry_id
      WHERE p.returned_minor <> 0 OR e.entry_id IS NOT NULL
      GROUP BY p.payment_id, p.returned_minor
      HAVING p.returned_minor <> COALESCE(SUM(l.amount), 0)`,
    ),
  },
];

/** A submitted amount may be rounded up, a credited amount down, each by less than a minor unit of the source amount. */
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
