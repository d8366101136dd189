import { exits, finalStates, notGone, paymentStates, type PaymentState } from '../../domain/payment';
import { bySql, quoted, type Check } from './check';

/** States of a deposit whose money was booked. */
const creditedStates = ['succeeded', 'refunded', 'reversed'] as const satisfies readonly PaymentState[];

/** The entry that reaches the wallet: the only one, or the second half of a conversion. */
const creditLegs = quoted(['credit', 'credit:in']);

const allowedMoves = paymentStates
  .flatMap((from) => exits[from].map((to) => `('${from}', '${to}')`))
  .join(', ');

/** Payments against the ledger, their log, and the instructions their providers were given. */
export const paymentChecks: Check[] = [
  {
    id: 'P1',
    promise: 'each deposit that succeeded is credited (L5: once)',
    find: bySql(`
      SELECT p.payment_id AS id, CONCAT('is ', p.state, ' and not credited') AS detail
      FROM payments p
      LEFT JOIN ledger_entries e
        ON e.source_type = 'deposit' AND e.source_id = p.payment_id AND e.leg IN (${creditLegs})
      WHERE p.kind = 'deposit' AND p.state IN (${quoted(creditedStates)}) AND e.entry_id IS NULL`),
  },
  {
    id: 'P2',
    promise: "each credit is the confirmed amount, or what it was converted to, to the merchant's wallet",
    find: bySql(`
      SELECT p.payment_id AS id,
             CONCAT('entry ', e.entry_id, ' does not credit the wallet of merchant ', p.merchant_id, ' with ',
                    COALESCE(p.credited_minor, p.confirmed_minor, 'an unknown number of'), ' minor units of ',
                    COALESCE(p.credited_currency, p.instructed_currency)) AS detail
      FROM ledger_entries e
      JOIN payments p ON p.payment_id = e.source_id
      WHERE e.source_type = 'deposit' AND e.leg IN (${creditLegs})
        AND NOT EXISTS (
          SELECT 1 FROM ledger_postings l
          JOIN ledger_accounts a ON a.account_id = l.account_id
          WHERE l.entry_id = e.entry_id AND a.class = 'wallet' AND a.merchant_id = p.merchant_id
            AND l.currency = COALESCE(p.credited_currency, p.instructed_currency)
            AND l.amount = COALESCE(p.credited_minor, p.confirmed_minor)
        )`),
  },
  {
    id: 'P3',
    promise: 'a deposit that did not succeed is not credited',
    find: bySql(`
      SELECT e.source_id AS id,
             CONCAT('entry ', e.entry_id, ' credits ',
                    COALESCE(CONCAT('a ', p.kind, ' that is ', p.state), 'a payment that does not exist')) AS detail
      FROM ledger_entries e
      LEFT JOIN payments p ON p.payment_id = e.source_id
      WHERE e.source_type = 'deposit' AND e.leg IN (${creditLegs})
        AND (p.payment_id IS NULL OR p.kind <> 'deposit' OR p.state NOT IN (${quoted(creditedStates)}))`),
  },
  {
    id: 'P4',
    promise: 'no more is refunded than was paid, or a person was told that the provider did',
    find: bySql(
      `
      SELECT r.parent_id AS id,
             CONCAT('was paid ', COALESCE(d.confirmed_minor, 0), ' and is refunded ', SUM(r.requested_minor)) AS detail
      FROM payments r
      JOIN payments d ON d.payment_id = r.parent_id
      WHERE r.parent_id IS NOT NULL AND r.kind = 'refund' AND r.state NOT IN (${quoted(notGone)})
      GROUP BY r.parent_id, d.confirmed_minor
      HAVING SUM(r.requested_minor) > COALESCE(d.confirmed_minor, 0)`,
      `
      SELECT d.payment_id AS id,
             CONCAT('was paid ', COALESCE(d.confirmed_minor, 0), ', ', d.given_back_minor,
                    ' were given back by its provider and ', SUM(r.requested_minor), ' by us') AS detail
      FROM payments d
      JOIN payments r ON r.parent_id = d.payment_id AND r.kind = 'refund' AND r.state = 'succeeded'
      WHERE d.given_back_minor > 0
        AND NOT EXISTS (SELECT 1 FROM cases c
                        WHERE c.payment_id = d.payment_id AND c.reason = 'given_back_differs')
      GROUP BY d.payment_id, d.confirmed_minor, d.given_back_minor
      HAVING SUM(r.requested_minor) + d.given_back_minor > COALESCE(d.confirmed_minor, 0)`,
      `
      SELECT r.payment_id AS id, 'refunds no known deposit' AS detail
      FROM payments r
      LEFT JOIN payments d ON d.payment_id = r.parent_id AND d.kind = 'deposit'
      WHERE r.kind = 'refund' AND d.payment_id IS NULL`,
      `
      SELECT r.payment_id AS id, CONCAT('refunds ', r.currency, ' of a deposit paid in ', d.instructed_currency) AS detail
      FROM payments r
      JOIN payments d ON d.payment_id = r.parent_id
      WHERE r.kind = 'refund' AND r.currency <> d.instructed_currency`,
    ),
  },
  {
    id: 'P8',
    promise: 'each payment moved only along the allowed exits, and is in the state it moved to last',
    find: bySql(
      `
      SELECT payment_id AS id, CONCAT('log ', log_id, ': ', from_state, ' to ', to_state, ' is not allowed') AS detail
      FROM payment_log
      WHERE (from_state, to_state) NOT IN (${allowedMoves})`,
      `
      SELECT payment_id AS id, CONCAT('log ', log_id, ': leaves ', from_state, ', but was ', was) AS detail
      FROM (
        SELECT payment_id, log_id, from_state,
               COALESCE(LAG(to_state) OVER (PARTITION BY payment_id ORDER BY log_id), 'received') AS was
        FROM payment_log
      ) steps
      WHERE from_state <> was`,
      `
      SELECT p.payment_id AS id, CONCAT('is ', p.state, ', its log ends with ', COALESCE(l.to_state, 'nothing')) AS detail
      FROM payments p
      LEFT JOIN (SELECT payment_id, MAX(log_id) AS log_id FROM payment_log GROUP BY payment_id) last
        ON last.payment_id = p.payment_id
      LEFT JOIN payment_log l ON l.log_id = last.log_id
      WHERE p.state <> COALESCE(l.to_state, 'received')`,
      `
      SELECT payment_id AS id, CONCAT('is ', state, ' with is_final ', is_final) AS detail
      FROM payments
      WHERE is_final <> (state IN (${quoted(finalStates)}))`,
    ),
  },
  {
    id: 'P10',
    promise: 'each payment has one workflow of its own',
    find: bySql(
      `
      SELECT workflow_id AS id, CONCAT('drives ', COUNT(*), ' payments') AS detail
      FROM payments
      GROUP BY workflow_id
      HAVING COUNT(*) > 1`,
      `
      SELECT payment_id AS id, CONCAT('is driven by ', workflow_id, ', which does not name it') AS detail
      FROM payments
      WHERE RIGHT(workflow_id, 37) <> CONCAT('/', payment_id)`,
    ),
  },
  {
    id: 'P12',
    promise: 'a provider holds at most one live instruction of a payment',
    find: bySql(`
      SELECT payment_id AS id,
             CONCAT(operation, ': ', COUNT(DISTINCT provider_key), ' live instructions, ',
                    SUM(state = 'accepted'), ' accepted') AS detail
      FROM attempts
      WHERE state IN ('sent', 'unknown', 'accepted')
      GROUP BY payment_id, operation
      HAVING COUNT(DISTINCT provider_key) > 1 OR SUM(state = 'accepted') > 1`),
  },
  {
    id: 'P14',
    promise: 'a payout that its provider shows as unclaimed, returned or failed is not booked as paid',
    find: bySql(`
      SELECT payment_id AS id,
             CONCAT('is ', state, ', and the provider shows ', JSON_UNQUOTE(JSON_EXTRACT(details, '$.item_status'))) AS detail
      FROM payments
      WHERE kind = 'payout' AND state = 'succeeded'
        AND JSON_UNQUOTE(JSON_EXTRACT(details, '$.item_status')) <> 'SUCCESS'`),
  },
];
