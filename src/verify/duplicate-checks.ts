import { settledStates } from '../domain/payment';
import { bySql, quoted, type Check } from './check';

const settled = quoted(settledStates);
/** Rows of paid references are kept for at least so long after their payment was asked for; see prune/old-references.ts. */
const keptDays = 90;

/** Whether what merchants and operators are told of customers who paid twice is so. */
export const duplicateChecks: Check[] = [
  {
    id: 'D1',
    promise:
      'what is called a possible duplicate was paid, as was the other: same merchant, reference and amount',
    find: bySql(
      (scope) => `
      SELECT r.payment_id AS id, CONCAT('is no duplicate of ', r.duplicate_of) AS detail
      FROM ${scope.about('paid_references', 'r')}
      LEFT JOIN payments p ON p.payment_id = r.payment_id AND p.kind = 'deposit' AND p.state IN (${settled})
      LEFT JOIN payments f ON f.payment_id = r.duplicate_of AND f.payment_id <> r.payment_id
           AND f.kind = 'deposit' AND f.state IN (${settled}) AND f.merchant_id = p.merchant_id
           AND f.currency = p.currency AND f.requested_minor = p.requested_minor
      LEFT JOIN paid_references o ON o.payment_id = r.duplicate_of
      WHERE r.duplicate_of IS NOT NULL
        AND (f.payment_id IS NULL OR o.reference_key <> r.reference_key
             OR JSON_EXTRACT(p.details, '$.possible_duplicate_of') IS NULL)`,
      // What is told has its row, until that is pruned.
      (scope) => `
      SELECT p.payment_id AS id, 'is told to be a possible duplicate, and of nothing that is known' AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN paid_references r ON r.payment_id = p.payment_id
      WHERE p.details LIKE '%"possible_duplicate_of"%' AND r.payment_id IS NULL
        AND p.created_at > UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays)} DAY`,
      `
      SELECT CONCAT('case ', c.case_id) AS id, 'is about no possible duplicate' AS detail
      FROM cases c
      LEFT JOIN paid_references r ON r.payment_id = c.payment_id
      WHERE c.closed_at IS NULL AND c.reason = 'paid_twice' AND r.duplicate_of IS NULL`,
    ),
  },
];
