import type { Rails } from '../rail-kit/context';
import { nameColumnOf } from '../reconciliation/without-receipt';
import { bySql, quoted, violationsOf, type Check, type Scope } from './check';
import { sums } from './ledger-checks';

/** What an orphan brought to the provider's account; see `cameIn` in reconciliation/statement.ts. */
const cameIn = `IF(o.kind IN ('collection', 'other'), o.amount_minor, -o.amount_minor)`;

/** What is in suspense; `rail` of such an account is the provider. */
const inSuspense = (scope: Scope) => `
  SELECT a.rail AS provider, a.currency, SUM(l.total) AS minor
  FROM ledger_accounts a
  JOIN (${scope.pick('SELECT account_id, amount AS total FROM ledger_postings', sums(scope))}) l
    ON l.account_id = a.account_id
  WHERE a.class = 'suspense' AND a.rail IS NOT NULL
  GROUP BY a.rail, a.currency`;

/** As an entry of the ledger is named for what it books: compared by its index. */
const inAscii = (id: string) => `CAST(${id} AS CHAR CHARACTER SET ascii)`;

/** A run keeps a file and then judges its lines. */
const patience = 'UTC_TIMESTAMP(3) - INTERVAL 1 HOUR';

/** What providers' statements say, and what is booked for it. */
export const reconciliationChecks: Check[] = [
  {
    id: 'R1',
    promise: 'what is in suspense, by provider and currency, is the open orphans',
    find: bySql(
      (scope) => `
      SELECT CONCAT(provider, ' ', currency) AS id, CONCAT('is off by ', SUM(minor), ' minor units') AS detail
      FROM (${inSuspense(scope)}
        UNION ALL
        SELECT o.provider, o.currency, -SUM(${cameIn}) AS minor
        FROM orphans o
        WHERE o.state = 'open' AND o.entry_id IS NOT NULL
        GROUP BY o.provider, o.currency) both_sides
      GROUP BY provider, currency
      HAVING SUM(minor) <> 0`,
    ),
  },
  {
    id: 'R2',
    promise: 'each orphan is booked once, with its amount',
    find: bySql(
      `
      SELECT CONCAT('orphan ', o.orphan_id) AS id,
             CONCAT('is of ', ${cameIn}, ' ', o.currency, ', and ',
                    COALESCE(CONCAT('entry ', e.entry_id, ' books ', COALESCE(l.amount, 0)), 'no entry books it')) AS detail
      FROM orphans o
      LEFT JOIN ledger_entries e ON e.entry_id = o.entry_id AND e.source_type = 'orphan'
           AND e.source_id = CAST(o.orphan_id AS CHAR) AND e.leg = CONCAT('found:', o.bookings)
      LEFT JOIN (ledger_postings l JOIN ledger_accounts a ON a.account_id = l.account_id AND a.class = 'suspense')
        ON l.entry_id = e.entry_id AND a.rail = o.provider AND a.currency = o.currency
      WHERE o.bookings IS NOT NULL AND o.amount_minor <> 0
        AND (l.amount IS NULL OR l.amount <> ${cameIn})`,
    ),
  },
  {
    id: 'R3',
    promise: 'each line of a statement has one outcome, and what it says of fees is booked once',
    find: bySql(
      (scope) => `
      SELECT CONCAT('line ', l.line_id) AS id, 'has no outcome' AS detail
      FROM provider_statements s
      JOIN statement_lines l ON l.statement_id = s.statement_id
      LEFT JOIN reconciliation_results r ON r.line_id = l.line_id
      WHERE r.line_id IS NULL AND s.stored_at < ${patience} AND ${scope.begun('s.stored_at')}`,
      (scope) => `
      SELECT CONCAT('statement ', s.statement_id) AS id,
             CONCAT('was kept with ', s.line_count, ' lines, ', COUNT(l.line_id), ' are there') AS detail
      FROM provider_statements s
      LEFT JOIN statement_lines l ON l.statement_id = s.statement_id
      WHERE ${scope.begun('s.stored_at')}
      GROUP BY s.statement_id, s.line_count
      HAVING COUNT(l.line_id) <> s.line_count`,
      (scope) => `
      SELECT CONCAT('line ', r.line_id) AS id,
             CONCAT('counts ', r.fee_booked_minor, ' as kept, and ', COALESCE(-SUM(p.amount), 0), ' is booked') AS detail
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
      SELECT CONCAT('entry ', MAX(e.entry_id)) AS id, CONCAT('books what line ', e.source_id, ' does not say') AS detail
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
    promise: 'what was given away of a statement is not the money of a payment that no line names',
    find: ({ trx, rails }) => violationsOf(trx, givenAwayTwice(rails)),
  },
  {
    id: 'R5',
    promise:
      'of a statement that was withdrawn nothing counts, and nothing is booked, but what a person decided about',
    find: bySql(
      (scope) => `
      SELECT CONCAT('line ', l.line_id) AS id,
             CONCAT('is of statement ', s.statement_id, ', which was withdrawn, and is ', r.outcome,
                    IF(r.fee_booked_minor <> 0, CONCAT(' with ', r.fee_booked_minor, ' booked as kept'), '')) AS detail
      FROM provider_statements s
      JOIN statement_lines l ON l.statement_id = s.statement_id
      JOIN reconciliation_results r ON r.line_id = l.line_id
      LEFT JOIN orphans o ON o.line_id = l.line_id AND o.state IN ('claimed', 'returned')
      WHERE s.withdrawn_no > 0 AND ${scope.begun('s.withdrawn_at')}
        AND (r.outcome <> 'withdrawn' OR r.fee_booked_minor <> 0) AND o.orphan_id IS NULL`,
      (scope) => `
      SELECT CONCAT('orphan ', o.orphan_id) AS id,
             CONCAT('is ', o.state, ', and statement ', s.statement_id, ' with its line was withdrawn') AS detail
      FROM provider_statements s
      JOIN statement_lines l ON l.statement_id = s.statement_id
      JOIN orphans o ON o.line_id = l.line_id AND o.state IN ('open', 'explained')
      WHERE s.withdrawn_no > 0 AND ${scope.begun('s.withdrawn_at')}`,
    ),
  },
];

const digits = (column: string) => `REPLACE(REPLACE(REPLACE(${column}, '+', ''), ' ', ''), '-', '')`;

/**
 * Money that a person gave to a merchant, or back, beside a settled payment of ours alone, of the same
 * amount and customer within a day, or of its very time where it has a receipt; not where two people said that it came beside that.
 */
function givenAwayTwice(rails: Rails): string {
  const named = namedByTheirReference(rails);
  return `
    SELECT CONCAT('orphan ', o.orphan_id) AS id,
           CONCAT('was ', o.state, ', and may be the money of payment ', p.payment_id, ', which no line names') AS detail
    FROM reconciliation_results r
    JOIN payments p ON p.payment_id = r.payment_id
    JOIN orphans o ON o.state IN ('claimed', 'returned')
     AND o.occurred_at BETWEEN p.created_at - INTERVAL 1 DAY AND p.created_at + INTERVAL 1 DAY
    JOIN statement_lines l ON l.line_id = o.line_id
    WHERE r.outcome = 'ours_only'
      AND (p.provider_receipt IS NULL
        OR o.occurred_at BETWEEN p.created_at - INTERVAL 5 MINUTE AND p.finished_at + INTERVAL 5 MINUTE)
      ${named.length === 0 ? '' : `AND p.rail NOT IN (${quoted(named)})`}
      AND o.payment_id IS NULL AND o.beside_payment_id IS NULL
      AND o.provider = r.provider AND o.kind = r.kind AND o.currency = r.currency AND o.amount_minor = r.amount_minor
      AND ((CHAR_LENGTH(${digits('l.phone')}) >= 9
            AND RIGHT(${digits('l.phone')}, 9) = RIGHT(${digits('p.phone_number')}, 9))
        OR (l.phone LIKE '%*%' AND ${digits('p.phone_number')} LIKE
            CONCAT('%', REGEXP_REPLACE(TRIM(LEADING '0' FROM ${digits('l.phone')}), '[*]+', '%')))
        OR LOWER(TRIM(l.our_reference)) = LOWER(p.account_reference)
        OR (CHAR_LENGTH(l.our_reference) > 8
            AND l.our_reference = LEFT(p.account_reference, CHAR_LENGTH(l.our_reference))))`;
}

/** Rails whose payments a line names by another id than a receipt: it is known before they are settled. */
const namedByTheirReference = ({ all }: Rails): string[] =>
  all.flatMap(({ name, statement }) =>
    statement && nameColumnOf(statement, 'deposit') === 'provider_reference' ? [name] : [],
  );
