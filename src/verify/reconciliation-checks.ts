import type { Rails } from '../rail-kit/context';
import { nameColumnOf } from '../reconciliation/without-receipt';
import { bySql, quoted, violationsOf, type Check, type Scope } from './check';
import { sums } from './ledger-checks';

/** The amount that an unmatched receipt added to the provider's account; see `cameIn` in reconciliation/statement.ts. */
const cameIn = `IF(o.kind IN ('collection', 'other'), o.amount_minor, -o.amount_minor)`;

/** The suspense balances. The `rail` of such an account is the provider. */
const inSuspense = (scope: Scope) => `
  SELECT a.rail AS provider, a.currency, SUM(l.total) AS minor
  FROM ledger_accounts a
  JOIN (${scope.pick('SELECT account_id, amount AS total FROM ledger_postings', sums(scope))}) l
    ON l.account_id = a.account_id
  WHERE a.class = 'suspense' AND a.rail IS NOT NULL
  GROUP BY a.rail, a.currency`;

/** Cast to the character set of the ledger's ids, so that the comparison uses the index. */
const inAscii = (id: string) => `CAST(${id} AS CHAR CHARACTER SET ascii)`;

/** A run first stores a file and then compares its lines. */
const patience = 'UTC_TIMESTAMP(3) - INTERVAL 1 HOUR';

/** Checks of statements and their bookings. */
export const reconciliationChecks: Check[] = [
  {
    id: 'R1',
    promise: 'suspense equals the open unmatched receipts, by provider and currency',
    find: bySql(
      (scope) => `
      SELECT CONCAT(provider, ' ', currency) AS id, CONCAT('is off by ', SUM(minor), ' minor units') AS detail
      FROM (${inSuspense(scope)}
        UNION ALL
        SELECT o.provider, o.currency, -SUM(${cameIn}) AS minor
        FROM unmatched_receipts o
        WHERE o.state = 'open' AND o.entry_id IS NOT NULL
        GROUP BY o.provider, o.currency) both_sides
      GROUP BY provider, currency
      HAVING SUM(minor) <> 0`,
    ),
  },
  {
    id: 'R2',
    promise: 'each unmatched receipt is booked once, with its amount',
    find: bySql(
      `
      SELECT CONCAT('receipt ', o.receipt_id) AS id,
             CONCAT('has the amount ', ${cameIn}, ' ', o.currency, ', but ',
                    COALESCE(CONCAT('entry ', e.entry_id, ' books ', COALESCE(l.amount, 0)), 'no entry books it')) AS detail
      FROM unmatched_receipts o
      LEFT JOIN ledger_entries e ON e.entry_id = o.entry_id AND e.source_type = 'unmatched'
           AND e.source_id = CAST(o.receipt_id AS CHAR) AND e.leg = CONCAT('found:', o.bookings)
      LEFT JOIN (ledger_postings l JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class = 'suspense')
        ON l.entry_id = e.entry_id AND a.rail = o.provider AND a.currency = o.currency
      WHERE o.bookings IS NOT NULL AND o.amount_minor <> 0
        AND (l.amount IS NULL OR l.amount <> ${cameIn})`,
    ),
  },
  {
    id: 'R3',
    promise: 'each statement line has one outcome, and its fees are booked once',
    find: bySql(
      (scope) => `
      SELECT CONCAT('line ', l.line_id) AS id, 'has no outcome' AS detail
      FROM provider_statements s
      JOIN statement_lines l ON l.statement_id = s.statement_id
      LEFT JOIN reconciliation_results r ON r.line_id = l.line_id
      WHERE r.line_id IS NULL AND s.stored_at < ${patience} AND ${scope.begun('s.stored_at')}`,
      (scope) => `
      SELECT CONCAT('statement ', s.statement_id) AS id,
             CONCAT('was stored with ', s.line_count, ' lines, but has ', COUNT(l.line_id)) AS detail
      FROM provider_statements s
      LEFT JOIN statement_lines l ON l.statement_id = s.statement_id
      WHERE ${scope.begun('s.stored_at')}
      GROUP BY s.statement_id, s.line_count
      HAVING COUNT(l.line_id) <> s.line_count`,
      (scope) => `
      SELECT CONCAT('line ', r.line_id) AS id,
             CONCAT('has a fee of ', r.fee_booked_minor, ', but ', COALESCE(-SUM(p.amount), 0), ' is booked') AS detail
      FROM provider_statements s
      JOIN statement_lines l ON l.statement_id = s.statement_id
      JOIN reconciliation_results r ON r.line_id = l.line_id
      LEFT JOIN (ledger_entries e
        JOIN ledger_postings p ON p.entry_id = e.entry_id
        JOIN ledger_accounts a ON a.account_id = p.account_id AND a.class = 'provider_fees')
        ON e.source_type = 'provider_fee' AND e.source_id = ${inAscii('r.line_id')}
           AND a.rail = r.provider AND a.currency = r.currency
      WHERE r.fee_booked_minor <> 0 AND ${scope.begun('s.stored_at')}
      GROUP BY r.line_id, r.fee_booked_minor
      HAVING COALESCE(SUM(p.amount), 0) <> -r.fee_booked_minor`,
      (scope) => `
      SELECT CONCAT('entry ', MAX(e.entry_id)) AS id, CONCAT('books a fee that line ', e.source_id, ' does not have') AS detail
      FROM (
        SELECT DISTINCT n.source_id FROM ledger_entries n
        WHERE n.source_type = 'provider_fee' AND ${scope.added('ledger_entries', 'n')}) booked
      JOIN ledger_entries e ON e.source_type = 'provider_fee' AND e.source_id = booked.source_id
      JOIN ledger_postings p ON p.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = p.account_id AND a.class = 'provider_fees'
      LEFT JOIN reconciliation_results r ON r.subject = CONCAT('line:', e.source_id)
      WHERE COALESCE(r.fee_booked_minor, 0) = 0
      GROUP BY e.source_id
      HAVING SUM(p.amount) <> 0`,
    ),
  },
  {
    id: 'R4',
    promise: 'no assigned or returned receipt is the money of a payment that no line names',
    find: ({ trx, rails }) => violationsOf(trx, givenAwayTwice(rails)),
  },
  {
    id: 'R5',
    promise: 'no line of a withdrawn statement counts or is booked, except those that an operator decided',
    find: bySql(
      (scope) => `
      SELECT CONCAT('line ', l.line_id) AS id,
             CONCAT('belongs to the withdrawn statement ', s.statement_id, ', but is ', r.outcome,
                    IF(r.fee_booked_minor <> 0, CONCAT(' with a booked fee of ', r.fee_booked_minor), '')) AS detail
      FROM provider_statements s
      JOIN statement_lines l ON l.statement_id = s.statement_id
      JOIN reconciliation_results r ON r.line_id = l.line_id
      LEFT JOIN unmatched_receipts o ON o.line_id = l.line_id AND o.state IN ('assigned', 'returned')
      WHERE s.withdrawn_no > 0 AND ${scope.begun('s.withdrawn_at')}
        AND (r.outcome <> 'withdrawn' OR r.fee_booked_minor <> 0) AND o.receipt_id IS NULL`,
      (scope) => `
      SELECT CONCAT('receipt ', o.receipt_id) AS id,
             CONCAT('is ', o.state, ', but its statement ', s.statement_id, ' was withdrawn') AS detail
      FROM provider_statements s
      JOIN statement_lines l ON l.statement_id = s.statement_id
      JOIN unmatched_receipts o ON o.line_id = l.line_id AND o.state IN ('open', 'explained')
      WHERE s.withdrawn_no > 0 AND ${scope.begun('s.withdrawn_at')}`,
    ),
  },
];

const digits = (column: string) => `REPLACE(REPLACE(REPLACE(${column}, '+', ''), ' ', ''), '-', '')`;

/**
 * Receipts that an operator assigned or returned, although a settled payment without a line has the same amount and customer,
 * within a day (or at the same time, if the payment has a receipt). Not if two operators stated that the money came in addition,
 * or if the payment that got the money is of that customer, too.
 */
function givenAwayTwice(rails: Rails): string {
  const named = namedByTheirReference(rails);
  return `
    SELECT CONCAT('receipt ', o.receipt_id) AS id,
           CONCAT('is ', o.state, ', but may be the money of payment ', p.payment_id, ', which no line names') AS detail
    FROM reconciliation_results r
    JOIN payments p ON p.payment_id = r.payment_id
    JOIN unmatched_receipts o ON o.state IN ('assigned', 'returned')
     AND o.occurred_at BETWEEN p.created_at - INTERVAL 1 DAY AND p.created_at + INTERVAL 1 DAY
    JOIN statement_lines l ON l.line_id = o.line_id
    WHERE r.outcome = 'ours_only'
      AND (p.provider_receipt IS NULL
        OR o.occurred_at BETWEEN p.created_at - INTERVAL 5 MINUTE AND p.finished_at + INTERVAL 5 MINUTE)
      ${named.length === 0 ? '' : `AND p.rail NOT IN (${quoted(named)})`}
      AND o.beside_payment_id IS NULL
      AND (o.payment_id IS NULL OR NOT EXISTS (
        SELECT 1 FROM payments q WHERE q.payment_id = o.payment_id
          AND (q.payment_id = p.payment_id OR ${isOfCustomer('q')})))
      AND o.provider = r.provider AND o.kind = r.kind AND o.currency = r.currency AND o.amount_minor = r.amount_minor
      AND ${isOfCustomer('p')}`;
}

/** Whether line l has the phone, its visible digits, or the reference of this payment. */
function isOfCustomer(payment: 'p' | 'q'): string {
  const [phone, reference] = [`${payment}.phone_number`, `${payment}.account_reference`];
  return `((CHAR_LENGTH(${digits('l.phone')}) >= 9
            AND RIGHT(${digits('l.phone')}, 9) = RIGHT(${digits(phone)}, 9))
        OR (l.phone LIKE '%*%' AND ${digits(phone)} LIKE
            CONCAT('%', REGEXP_REPLACE(TRIM(LEADING '0' FROM ${digits('l.phone')}), '[*]+', '%')))
        OR LOWER(TRIM(l.our_reference)) = LOWER(${reference})
        OR (CHAR_LENGTH(l.our_reference) > 8
            AND l.our_reference = LEFT(${reference}, CHAR_LENGTH(l.our_reference))))`;
}

/** Rails whose lines name a payment by the provider's reference, which is known before the payment is settled. */
const namedByTheirReference = ({ all }: Rails): string[] =>
  all.flatMap(({ name, statement }) =>
    statement && nameColumnOf(statement, 'deposit') === 'provider_reference' ? [name] : [],
  );
