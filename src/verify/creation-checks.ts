import { NOT_STARTED, notGone, settledStates } from '../domain/payment';
import { keysKeptDays } from '../payments/create/idempotency-claims';
import { bySql, quoted, type Check, type Scope } from './check';

/** Not failed before the provider accepted it. */
const lives = (payment: string) => `NOT (${payment}.state = 'failed' AND ${payment}.accepted_at IS NULL)`;

/**
 * The tolerance for the end of the first payment, which allowed the second one: another process writes it, with its own
 * clock, and the second payment may have waited for a lock.
 */
const retryGraceSeconds = 60;

/** Keys that several rows have. */
const twice = (scope: Scope, table: 'payments' | 'vouchers', id: string) =>
  scope.pick(
    `
  SELECT key_hash, merchant_id FROM ${table} WHERE key_hash IS NOT NULL
  GROUP BY key_hash, merchant_id HAVING COUNT(*) > 1`,
    `
  SELECT DISTINCT one.key_hash, one.merchant_id
  FROM ${scope.about(table, 'one', id)}
  JOIN ${table} another
    ON another.key_hash = one.key_hash AND another.merchant_id = one.merchant_id AND another.${id} <> one.${id}`,
  );

/** Guards that several payments have. */
const guardedTwice = (scope: Scope) =>
  scope.pick(
    'SELECT guard_hash FROM payments WHERE guard_hash IS NOT NULL GROUP BY guard_hash HAVING COUNT(*) > 1',
    `SELECT DISTINCT one.guard_hash
     FROM ${scope.about('payments', 'one')}
     JOIN payments another ON another.guard_hash = one.guard_hash AND another.payment_id <> one.payment_id`,
  );

/**
 * True if the first row's key was still stored when the second row was created. A key is pruned after some days
 * (worker/prune/old-rows.ts) and can then be used again. The hour is for clocks that differ.
 */
const isAfter = (second: string, first: string, id: string) => `
  (${second}.created_at > ${first}.created_at
   OR (${second}.created_at = ${first}.created_at AND ${second}.${id} > ${first}.${id}))
  AND ${second}.created_at < ${first}.created_at + INTERVAL ${String(keysKeptDays * 24 - 1)} HOUR`;

/** Checks that each request of a merchant created one payment. Each check first finds rows with the same index entry. */
export const creationChecks: Check[] = [
  {
    id: 'P13',
    promise: 'each Idempotency-Key has one payment or voucher, and its stored answer',
    find: bySql(
      (scope) => `
      SELECT k.payment_id AS id, CONCAT('was created with ', COUNT(*), ' keys') AS detail
      FROM ${scope.about('idempotency_keys', 'k')}
      LEFT JOIN vouchers v ON v.voucher_id = k.payment_id
      WHERE k.payment_id IS NOT NULL
      GROUP BY k.payment_id, v.voucher_id
      -- A voucher is created with one key and redeemed with another.
      HAVING COUNT(*) > IF(v.voucher_id IS NULL, 1, 2)`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('was created with the key ', HEX(p.key_hash), ' of payment ', first.payment_id) AS detail
      FROM (${twice(scope, 'payments', 'payment_id')}) twice
      JOIN payments first ON first.key_hash = twice.key_hash AND first.merchant_id = twice.merchant_id
      JOIN payments p ON p.key_hash = twice.key_hash AND p.merchant_id = twice.merchant_id
       AND ${isAfter('p', 'first', 'payment_id')}
      WHERE ${lives('first')} AND ${lives('p')}`,
      (scope) => `
      SELECT v.voucher_id AS id,
             CONCAT('was created with the key ', HEX(v.key_hash), ' of voucher ', first.voucher_id) AS detail
      FROM (${twice(scope, 'vouchers', 'voucher_id')}) twice
      JOIN vouchers first ON first.key_hash = twice.key_hash AND first.merchant_id = twice.merchant_id
      JOIN vouchers v ON v.key_hash = twice.key_hash AND v.merchant_id = twice.merchant_id
       AND ${isAfter('v', 'first', 'voucher_id')}`,
      (scope) => `
      SELECT CONCAT('key ', HEX(k.key_hash)) AS id, CONCAT('created payment ', k.payment_id, ', which does not exist') AS detail
      FROM idempotency_keys k
      LEFT JOIN payments p ON p.payment_id = k.payment_id
      LEFT JOIN vouchers v ON v.voucher_id = k.payment_id
      WHERE k.payment_id IS NOT NULL AND p.payment_id IS NULL AND v.voucher_id IS NULL
        AND ${scope.begun('k.created_at')}`,
      (scope) => `
      SELECT CONCAT('key ', HEX(k.key_hash)) AS id, 'was answered, but the answer is not stored' AS detail
      FROM idempotency_keys k
      WHERE k.state = 'answered' AND (k.http_status IS NULL OR k.response IS NULL) AND ${scope.begun('k.created_at')}`,
      (scope) => `
      SELECT k.payment_id AS id, CONCAT('was answered as accepted, but is ', p.failure_code) AS detail
      FROM ${scope.about('payments', 'p')}
      JOIN idempotency_keys k ON k.merchant_id = p.merchant_id AND k.key_hash = p.key_hash
      WHERE p.key_hash IS NOT NULL AND p.failure_code = '${NOT_STARTED}' AND p.answered_at IS NULL
        AND k.payment_id = p.payment_id AND k.state = 'answered' AND k.http_status < 300`,
    ),
  },
  {
    id: 'P18',
    promise: 'a bulk request is complete: each row is a payout of its merchant on its rail',
    find: bySql(
      (scope) => `
      SELECT b.bulk_id AS id, CONCAT('has ', COUNT(p.payment_id), ' of its ', b.row_count, ' payouts') AS detail
      FROM bulk_payouts b
      LEFT JOIN bulk_rows r ON r.bulk_id = b.bulk_id AND r.n < b.row_count
      LEFT JOIN payments p ON p.payment_id = r.payment_id AND p.merchant_id = b.merchant_id AND p.rail = b.rail
           AND p.kind = 'payout'
      WHERE ${scope.begun('b.created_at')}
      GROUP BY b.bulk_id, b.row_count
      HAVING COUNT(p.payment_id) <> b.row_count`,
    ),
  },
  {
    id: 'P17',
    promise: "no equal payment is created twice within the merchant's duplicate window",
    find: bySql(
      (scope) => `
      SELECT later.payment_id AS id,
             CONCAT('equals payment ', first.payment_id, ', which was guarded until ', first.guarded_until) AS detail
      FROM (${guardedTwice(scope)}) twice
      JOIN payments first ON first.guard_hash = twice.guard_hash
      JOIN payments later ON later.guard_hash = twice.guard_hash AND later.payment_id <> first.payment_id
       AND later.guarded_from >= first.guarded_from AND later.guarded_from < first.guarded_until
       AND (later.guarded_from > first.guarded_from OR later.payment_id > first.payment_id)
      WHERE ${lives('first')} AND ${lives('later')}
        -- After these final states the customer can try again at once.
        AND NOT EXISTS (
          SELECT 1 FROM payment_log l
          WHERE l.payment_id = first.payment_id AND l.to_state IN (${quoted([...notGone, 'timed_out'])})
            AND l.at <= later.guarded_from + INTERVAL ${String(retryGraceSeconds)} SECOND
        )`,
    ),
  },
];

const settled = quoted(settledStates);
/** A row of paid_references stays at least this long after the request of its payment; see worker/prune/old-rows.ts. */
const keptDays = 90;

/** Checks that reported duplicates are duplicates. */
export const duplicateChecks: Check[] = [
  {
    id: 'D1',
    promise: 'both payments of a possible duplicate were paid, with the same merchant, reference and amount',
    find: bySql(
      (scope) => `
      SELECT r.payment_id AS id, CONCAT('is not a duplicate of ', r.duplicate_of) AS detail
      FROM ${scope.about('paid_references', 'r')}
      LEFT JOIN payments p ON p.payment_id = r.payment_id AND p.kind = 'deposit' AND p.state IN (${settled})
      LEFT JOIN payments f ON f.payment_id = r.duplicate_of AND f.payment_id <> r.payment_id
           AND f.kind = 'deposit' AND f.state IN (${settled}) AND f.merchant_id = p.merchant_id
           AND f.currency = p.currency AND f.requested_minor = p.requested_minor
      LEFT JOIN paid_references o ON o.payment_id = r.duplicate_of
      WHERE r.duplicate_of IS NOT NULL
        AND (f.payment_id IS NULL OR o.reference_key <> r.reference_key
             OR JSON_EXTRACT(p.details, '$.possible_duplicate_of') IS NULL)`,
      // A reported duplicate has a row until it is pruned.
      (scope) => `
      SELECT p.payment_id AS id, 'is reported as a possible duplicate, but of no known payment' AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN paid_references r ON r.payment_id = p.payment_id
      WHERE p.details LIKE '%"possible_duplicate_of"%' AND r.payment_id IS NULL
        AND p.created_at > UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays)} DAY`,
      `
      SELECT CONCAT('case ', c.case_id) AS id, 'is not about a possible duplicate' AS detail
      FROM cases c
      LEFT JOIN paid_references r ON r.payment_id = c.payment_id
      WHERE c.closed_at IS NULL AND c.reason = 'duplicate_payment' AND r.duplicate_of IS NULL`,
    ),
  },
];

/** Compares vouchers with the ledger. */
export const voucherChecks: Check[] = [
  {
    id: 'O1',
    promise: 'the bookings of each voucher match its state and amount',
    find: bySql(
      (scope) => `
      SELECT v.voucher_id AS id,
             CONCAT('is ', v.state, ', but booked as ',
                    COALESCE(GROUP_CONCAT(e.leg ORDER BY e.entry_id), 'nothing')) AS detail
      FROM ${scope.about('vouchers', 'v', 'voucher_id')}
      LEFT JOIN ledger_entries e ON e.source_type = 'voucher' AND e.source_id = v.voucher_id
      GROUP BY v.voucher_id, v.state
      HAVING COALESCE(GROUP_CONCAT(e.leg ORDER BY e.entry_id), '') <> CASE v.state
        WHEN 'active' THEN 'fund' WHEN 'redeemed' THEN 'fund,redeem' ELSE 'fund,expire' END`,
      (scope) => `
      SELECT v.voucher_id AS id,
             CONCAT('is worth ', v.amount_minor, ', but entry ', e.entry_id, ' moves ', l.amount) AS detail
      FROM ${scope.about('vouchers', 'v', 'voucher_id')}
      JOIN ledger_entries e ON e.source_type = 'voucher' AND e.source_id = v.voucher_id
      JOIN ledger_postings l ON l.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = l.account_id
      WHERE ABS(l.amount) <> v.amount_minor OR l.currency <> v.currency
         OR (a.class = 'wallet' AND a.merchant_id <> v.merchant_id)`,
      (scope) => `
      SELECT e.source_id AS id, CONCAT('entry ', e.entry_id, ' belongs to no known voucher') AS detail
      FROM ${scope.about('ledger_entries', 'e', 'source_id')}
      LEFT JOIN vouchers v ON v.voucher_id = e.source_id
      WHERE e.source_type = 'voucher' AND v.voucher_id IS NULL`,
    ),
  },
  {
    id: 'O2',
    promise: 'a voucher expires within an hour after its last day',
    find: bySql(`
      SELECT voucher_id AS id, CONCAT('is still active, but its last day ended at ', expires_at) AS detail
      FROM vouchers
      WHERE state = 'active' AND expires_at < UTC_TIMESTAMP() - INTERVAL 1 HOUR`),
  },
];
