import { isCurrency } from '../domain/money';
import { convertMinor, convertMinorUp } from '../fx/convert';
import type { FxQuoteRow } from '../store/tables';
import { bySql, ofEach, rowsOf, type Check } from './check';

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
