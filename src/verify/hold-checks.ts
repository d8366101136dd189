import type { PaymentState } from '../domain/payment';
import { disputeReasons } from '../payments/transition/disputed-funds';
import { vouchedDetail } from '../payments/transition/warning-details';
import type { HoldRow } from '../store/tables';
import { bySql, quoted, type Check, type Scope } from './check';
import { heldTooLong } from './payment-checks';

/**
 * The state of the reserve of a payout or refund, for each state of its payment. A timeout is not a definite failure: the
 * provider may still pay, so the money stays reserved.
 */
const holdStateOf: Record<PaymentState, HoldRow['state']> = {
  received: 'open',
  initiating: 'open',
  pending: 'open',
  queued: 'open',
  processing: 'open',
  timed_out: 'open',
  succeeded: 'posted',
  refunded: 'posted',
  reversed: 'posted',
  // The reserve was spent; the return has its own entry (P16).
  returned: 'posted',
  failed: 'released',
  cancelled: 'released',
};

const expectedHoldState = `CASE p.state ${Object.entries(holdStateOf)
  .map(([state, hold]) => `WHEN '${state}' THEN '${hold}'`)
  .join(' ')} END`;

const disputeCase = (payment: string) => `
  SELECT 1 FROM cases c
  WHERE c.payment_id = ${payment} AND c.closed_at IS NULL AND c.reason IN (${quoted(disputeReasons)})`;

/**
 * Reserves whose bookings on the account differ from their amount. If none differs, and the balances matched their reserves
 * in the last full run, the balances still match.
 * @param counts an SQL condition: the amount of these reserves must be booked on the account, and nothing of the others.
 */
const bookedOfHolds = (
  scope: Scope,
  column: 'account_id' | 'reserved_account_id',
  counts: string,
  sign: 1 | -1,
) => `
      SELECT a.code AS id,
             CONCAT('has ', COALESCE(SUM(l.amount), 0), ' booked for payment ', h.payment_id, ', whose reserve of ', h.amount,
                    ' is ', h.state) AS detail
      FROM ${scope.about('holds', 'h')}
      JOIN ledger_accounts a ON a.account_id = h.${column}
      LEFT JOIN ledger_entries e ON e.source_type = 'hold' AND e.source_id = h.payment_id
      LEFT JOIN ledger_postings l ON l.entry_id = e.entry_id AND l.account_id = h.${column}
      GROUP BY h.payment_id, h.state, h.amount, a.code
      HAVING COALESCE(SUM(l.amount), 0) <> ${String(sign)} * IF(${counts}, h.amount, 0)`;

/** Checks of reserves, for payouts and refunds and for deposits that may be reversed. */
export const holdChecks: Check[] = [
  {
    id: 'P5',
    promise:
      'each payout and refund has one reserve, with its amount, on the right account, and in the right state',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is ', p.state, ' with ',
                    COALESCE(CONCAT('a reserve that is ', h.state, ', of ', h.amount, ' ', h.currency), 'no reserve')) AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN holds h ON h.payment_id = p.payment_id
      WHERE p.kind IN ('payout', 'refund')
        AND (h.payment_id IS NULL OR h.state <> ${expectedHoldState}
             OR (h.amount, h.currency) NOT IN
                ((COALESCE(p.credited_minor, p.requested_minor), COALESCE(p.credited_currency, p.currency)),
                 (p.instructed_minor, p.instructed_currency))
             OR (p.credited_currency IS NOT NULL AND h.currency <> p.credited_currency))`,
      (scope) => `
      SELECT h.payment_id AS id, 'has a reserve, but is not a payment' AS detail
      FROM ${scope.about('holds', 'h')}
      LEFT JOIN payments p ON p.payment_id = h.payment_id
      WHERE p.payment_id IS NULL`,
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('is a ', p.kind, ' from ', a.code, ', reserved on ', r.code) AS detail
      FROM ${scope.about('holds', 'h')}
      JOIN payments p ON p.payment_id = h.payment_id
      JOIN ledger_accounts a ON a.account_id = h.account_id
      JOIN ledger_accounts r ON r.account_id = h.reserved_account_id
      WHERE (p.kind = 'payout' AND a.class <> 'float') OR (p.kind <> 'payout' AND a.class <> 'wallet')
         OR a.merchant_id <> p.merchant_id OR r.code <> CONCAT(a.class, '_reserved', SUBSTRING(a.code, LENGTH(a.class) + 1))`,
      (scope) => `
      SELECT h.payment_id AS id, CONCAT('has a reserve that is ', h.state, ', but booked as: ',
             COALESCE(GROUP_CONCAT(e.leg ORDER BY e.leg), 'nothing')) AS detail
      FROM ${scope.about('holds', 'h')}
      LEFT JOIN ledger_entries e ON e.source_type = 'hold' AND e.source_id = h.payment_id
      WHERE h.wanted IS NULL
      GROUP BY h.payment_id, h.state
      HAVING COALESCE(GROUP_CONCAT(e.leg ORDER BY e.leg), '') <>
             CASE h.state WHEN 'open' THEN 'reserve' WHEN 'posted' THEN 'post,reserve' ELSE 'release,reserve' END`,
    ),
  },
  {
    id: 'P19',
    promise:
      'while its case is open, a deposit that may be reversed has a reserve, as far as the wallet had the amount',
    find: bySql(
      `
      SELECT p.payment_id AS id, CONCAT('is ', p.state, ' with an open case, but has no reserve') AS detail
      FROM cases c
      JOIN payments p ON p.payment_id = c.payment_id AND p.kind = 'deposit'
       AND p.state IN ('succeeded', 'refunded', 'reversed')
       AND COALESCE(JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.${vouchedDetail}')), 'yes') <> 'no'
      LEFT JOIN holds h ON h.payment_id = p.payment_id
      WHERE c.closed_at IS NULL AND c.reason IN (${quoted(disputeReasons)}) AND h.payment_id IS NULL`,
      (scope) => `
      SELECT h.payment_id AS id, CONCAT('is a ', p.kind, ' with ', h.amount, ' of ', COALESCE(h.wanted, 'NULL'), ' ', h.currency, ' reserved: ',
             IF(EXISTS (${disputeCase('h.payment_id')}), 'a case is open', 'no case is open')) AS detail
      FROM ${scope.about('holds', 'h')}
      JOIN payments p ON p.payment_id = h.payment_id
      WHERE (h.wanted IS NULL) <> (p.kind <> 'deposit')
         OR (p.kind = 'deposit' AND h.state NOT IN ('open', 'released'))
         OR (p.kind = 'deposit' AND h.state = 'open'
             AND (h.wanted = 0 OR h.amount > h.wanted OR NOT EXISTS (${disputeCase('h.payment_id')})))
         OR (p.kind = 'deposit' AND h.state = 'released' AND h.wanted <> 0)`,
      // The reserve equals its bookings, after any number of changes.
      (scope) => `
      SELECT h.payment_id AS id,
             CONCAT('reserves ', IF(h.state = 'open', h.amount, 0), ', but ', COALESCE(SUM(l.amount), 0),
                    ' is booked for it') AS detail
      FROM ${scope.about('holds', 'h')}
      LEFT JOIN ledger_entries e ON e.source_type = 'hold' AND e.source_id = h.payment_id
      LEFT JOIN ledger_postings l ON l.entry_id = e.entry_id AND l.account_id = h.reserved_account_id
      WHERE h.wanted IS NOT NULL
      GROUP BY h.payment_id, h.state, h.amount
      HAVING COALESCE(SUM(l.amount), 0) <> IF(h.state = 'open', h.amount, 0)`,
      // A reserve cannot exceed the rest of the credit.
      (scope) => `
      SELECT h.payment_id AS id,
             CONCAT('reserves ', h.wanted, ' ', h.currency, ' of a credit of ', COALESCE(p.credited_minor, p.confirmed_minor),
                    ', of which ', p.returned_minor, ' was refunded or reversed') AS detail
      FROM ${scope.about('holds', 'h')}
      JOIN payments p ON p.payment_id = h.payment_id AND p.kind = 'deposit'
      WHERE h.wanted > COALESCE(p.credited_minor, p.confirmed_minor, 0)
         OR h.wanted > COALESCE(p.credited_minor, p.confirmed_minor) - p.refund_debited_minor
                     - CAST(COALESCE(p.credited_minor, p.confirmed_minor) AS DECIMAL(30, 0)) * p.returned_minor DIV p.confirmed_minor
         OR h.currency <> COALESCE(p.credited_currency, p.instructed_currency)`,
    ),
  },
  {
    id: 'P6',
    promise: 'reserved balances are the sums of open reserves and their fees',
    find: bySql(
      (scope) =>
        scope.pick(
          `
      SELECT a.code AS id, CONCAT('has the balance ', a.balance, ', but its open reserves and their fees are ', COALESCE(h.total, 0)) AS detail
      FROM ledger_accounts a
      LEFT JOIN (
        SELECT held.reserved_account_id, SUM(held.amount + IF(p.kind = 'payout', COALESCE(p.fee_minor, 0), 0)) AS total
        FROM holds held LEFT JOIN payments p ON p.payment_id = held.payment_id
        WHERE held.state = 'open' GROUP BY held.reserved_account_id
      ) h ON h.reserved_account_id = a.account_id
      WHERE a.class IN ('float_reserved', 'wallet_reserved') AND a.balance <> COALESCE(h.total, 0)`,
          bookedOfHolds(scope, 'reserved_account_id', "h.state = 'open'", 1),
        ),
      (scope) =>
        scope.pick(
          '',
          `
      SELECT a.code AS id, CONCAT('posting ', l.seq, ' moves ', l.amount, ' without a reserve') AS detail
      FROM ledger_postings l
      JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class IN ('float_reserved', 'wallet_reserved')
      JOIN ledger_entries e ON e.entry_id = l.entry_id
      LEFT JOIN holds h
        ON e.source_type IN ('hold', 'fee') AND h.payment_id = e.source_id AND h.reserved_account_id = l.account_id
      WHERE h.payment_id IS NULL AND ${scope.added('ledger_postings', 'l')}`,
        ),
    ),
  },
  {
    id: 'P7',
    promise: 'all money of a float or wallet is available, reserved or paid out',
    find: bySql((scope) =>
      scope.pick(
        `
      SELECT a.code AS id,
             CONCAT('has the balance ', a.balance, ', but ', COALESCE(came.total, 0), ' came in and ', COALESCE(went.total, 0),
                    ' is reserved or paid out') AS detail
      FROM ledger_accounts a
      LEFT JOIN (
        SELECT l.account_id, SUM(l.amount) AS total
        FROM ledger_postings l
        JOIN ledger_accounts own ON own.account_id = l.account_id AND own.class IN ('float', 'wallet')
        JOIN ledger_entries e ON e.entry_id = l.entry_id
        LEFT JOIN holds h
          ON e.source_type = 'hold' AND h.payment_id = e.source_id AND h.account_id = l.account_id
        WHERE h.payment_id IS NULL
        GROUP BY l.account_id
      ) came ON came.account_id = a.account_id
      LEFT JOIN (
        SELECT account_id, SUM(amount) AS total FROM holds WHERE state IN ('open', 'posted') GROUP BY account_id
      ) went ON went.account_id = a.account_id
      WHERE a.class IN ('float', 'wallet')
        AND a.balance <> COALESCE(came.total, 0) - COALESCE(went.total, 0)`,
        bookedOfHolds(scope, 'account_id', "h.state IN ('open', 'posted')", -1),
      ),
    ),
  },
  {
    id: 'P16',
    promise: 'a returned payout or refund is in its float or wallet again, once, and no other one is',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is a ', p.kind, ' that is ', p.state, ': ', COALESCE(h.amount, 0), ' ', p.currency,
                    ' was paid out, and ', COALESCE(SUM(l.amount), 0), ' was returned') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN holds h ON h.payment_id = p.payment_id
      LEFT JOIN ledger_entries e ON e.payment_id = p.payment_id AND e.source_type NOT IN ('hold', 'fee')
      LEFT JOIN ledger_postings l ON l.entry_id = e.entry_id AND l.account_id = h.account_id
      WHERE p.kind <> 'deposit'
      GROUP BY p.payment_id, p.kind, p.state, p.currency, h.amount
      HAVING COALESCE(SUM(l.amount), 0) <> IF(p.state = 'returned', COALESCE(h.amount, -1), 0)`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is returned, but the clearing account still has ', SUM(l.amount), ' ', l.currency, ' for it') AS detail
      FROM ${scope.about('payments', 'p')}
      JOIN ledger_entries e ON e.payment_id = p.payment_id AND e.source_type <> 'provider_fee'
      JOIN ledger_postings l ON l.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class = 'clearing'
      WHERE p.state = 'returned'
      GROUP BY p.payment_id, l.currency
      HAVING SUM(l.amount) <> 0`,
    ),
  },
  {
    id: 'P9',
    promise: 'no queued payment has a reserve for longer than its rail allows',
    find: heldTooLong,
  },
];
