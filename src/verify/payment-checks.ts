import { deadlineMs } from '../domain/poll-schedule';
import { exits, finalStates, notGone, paymentStates, type PaymentState } from '../domain/payment';
import type { Operation } from '../rail-kit/rail';
import {
  bySql,
  quoted,
  violationsOf,
  type Check,
  type Snapshot,
  type Statement,
  type Violation,
} from './check';

/** States of a deposit whose money was booked. */
const creditedStates = ['succeeded', 'refunded', 'reversed'] as const satisfies readonly PaymentState[];

/** The entry that credits the wallet: the only entry, or the second entry of a conversion. */
const creditLegs = quoted(['credit', 'credit:in']);

const allowedTransitions = paymentStates
  .flatMap((from) => exits[from].map((to) => `('${from}', '${to}')`))
  .join(', ');

/** Compares payments with the ledger, with their log, and with their submissions. */
export const paymentChecks: Check[] = [
  {
    id: 'P1',
    promise: 'each deposit that succeeded is credited (L5: once)',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('is ', p.state, ', but not credited') AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN ledger_entries e
        ON e.source_type = 'deposit' AND e.source_id = p.payment_id AND e.leg IN (${creditLegs})
      WHERE p.kind = 'deposit' AND p.state IN (${quoted(creditedStates)}) AND e.entry_id IS NULL`,
    ),
  },
  {
    id: 'P2',
    promise: "each credit has the confirmed or converted amount, and goes to the merchant's wallet",
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('entry ', e.entry_id, ' does not credit the wallet of merchant ', p.merchant_id, ' with ',
                    COALESCE(p.credited_minor, p.confirmed_minor, 'an unknown number of'), ' minor units of ',
                    COALESCE(p.credited_currency, p.instructed_currency)) AS detail
      FROM ${scope.about('ledger_entries', 'e', 'source_id')}
      JOIN payments p ON p.payment_id = e.source_id
      WHERE e.source_type = 'deposit' AND e.leg IN (${creditLegs})
        AND NOT EXISTS (
          SELECT 1 FROM ledger_postings l
          JOIN ledger_accounts a ON a.account_id = l.account_id
          WHERE l.entry_id = e.entry_id AND a.class = 'wallet' AND a.merchant_id = p.merchant_id
            AND l.currency = COALESCE(p.credited_currency, p.instructed_currency)
            AND l.amount = COALESCE(p.credited_minor, p.confirmed_minor)
        )`,
    ),
  },
  {
    id: 'P3',
    promise: 'a deposit that did not succeed is not credited',
    find: bySql(
      (scope) => `
      SELECT e.source_id AS id,
             CONCAT('entry ', e.entry_id, ' credits ',
                    COALESCE(CONCAT('a ', p.kind, ' that is ', p.state), 'a payment that does not exist')) AS detail
      FROM ${scope.about('ledger_entries', 'e', 'source_id')}
      LEFT JOIN payments p ON p.payment_id = e.source_id
      WHERE e.source_type = 'deposit' AND e.leg IN (${creditLegs})
        AND (p.payment_id IS NULL OR p.kind <> 'deposit' OR p.state NOT IN (${quoted(creditedStates)}))`,
    ),
  },
  {
    id: 'P4',
    promise: 'refunds do not exceed their deposit, unless a case reports a refund by the provider',
    // FORCE INDEX, because the server counts all rows without a parent as one large group, and would read every row.
    find: bySql(
      (scope) => `
      SELECT r.parent_id AS id,
             CONCAT('was paid ', COALESCE(d.confirmed_minor, 0), ', but ', SUM(r.requested_minor), ' is refunded') AS detail
      FROM ${scope.about('payments', 'd')}
      JOIN payments r FORCE INDEX (by_parent) ON r.parent_id = d.payment_id
      WHERE r.kind = 'refund' AND r.state NOT IN (${quoted(notGone)})
      GROUP BY r.parent_id, d.confirmed_minor
      HAVING SUM(r.requested_minor) > COALESCE(d.confirmed_minor, 0)`,
      (scope) => `
      SELECT d.payment_id AS id,
             CONCAT('was paid ', COALESCE(d.confirmed_minor, 0), ', ', d.returned_minor,
                    ' was refunded or reversed by its provider, and ', SUM(r.requested_minor), ' was refunded by us') AS detail
      FROM ${scope.about('payments', 'd')}
      JOIN payments r FORCE INDEX (by_parent) ON r.parent_id = d.payment_id AND r.kind = 'refund' AND r.state = 'succeeded'
      WHERE d.returned_minor > 0
        AND NOT EXISTS (SELECT 1 FROM cases c
                        WHERE c.payment_id = d.payment_id AND c.reason = 'refund_differs')
      GROUP BY d.payment_id, d.confirmed_minor, d.returned_minor
      HAVING SUM(r.requested_minor) + d.returned_minor > COALESCE(d.confirmed_minor, 0)`,
      (scope) => `
      SELECT r.payment_id AS id, 'is a refund of no known deposit' AS detail
      FROM ${scope.about('payments', 'r')}
      LEFT JOIN payments d ON d.payment_id = r.parent_id AND d.kind = 'deposit'
      WHERE r.kind = 'refund' AND d.payment_id IS NULL`,
      (scope) => `
      SELECT r.payment_id AS id, CONCAT('is a refund in ', r.currency, ' of a deposit in ', d.instructed_currency) AS detail
      FROM ${scope.about('payments', 'r')}
      JOIN payments d ON d.payment_id = r.parent_id
      WHERE r.kind = 'refund' AND r.currency <> d.instructed_currency`,
    ),
  },
  {
    id: 'P8',
    promise: 'each payment has only allowed transitions, and the state of its last transition',
    find: bySql(
      (scope) => `
      SELECT l.payment_id AS id,
             CONCAT('log ', l.log_id, ': ', l.from_state, ' to ', l.to_state, ' is not allowed') AS detail
      FROM payment_log l
      WHERE (l.from_state, l.to_state) NOT IN (${allowedTransitions}) AND ${scope.added('payment_log', 'l')}`,
      (scope) => `
      SELECT payment_id AS id, CONCAT('log ', log_id, ': leaves ', from_state, ', but was ', was) AS detail
      FROM (
        SELECT l.payment_id, l.log_id, l.from_state,
               COALESCE(LAG(l.to_state) OVER (PARTITION BY l.payment_id ORDER BY l.log_id), 'received') AS was
        FROM ${scope.about('payment_log', 'l')}
      ) steps
      WHERE from_state <> was`,
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('is ', p.state, ', but its log ends with ', COALESCE(l.to_state, 'nothing')) AS detail
      FROM ${scope.about('payments', 'p')}
      LEFT JOIN payment_log l
        ON l.log_id = (SELECT MAX(every.log_id) FROM payment_log every WHERE every.payment_id = p.payment_id)
      WHERE p.state <> COALESCE(l.to_state, 'received')`,
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('is ', p.state, ' with is_final ', p.is_final) AS detail
      FROM ${scope.about('payments', 'p')}
      WHERE p.is_final <> (p.state IN (${quoted(finalStates)}))`,
    ),
  },
  {
    id: 'P10',
    promise: 'each payment has one workflow of its own',
    find: bySql(
      (scope) =>
        scope.pick(
          `
      SELECT workflow_id AS id, CONCAT('drives ', COUNT(*), ' payments') AS detail
      FROM payments
      GROUP BY workflow_id
      HAVING COUNT(*) > 1`,
          `
      SELECT p.workflow_id AS id, CONCAT('drives ', p.payment_id, ' and ', twin.payment_id) AS detail
      FROM ${scope.about('payments', 'p')}
      JOIN payments twin ON twin.workflow_id = p.workflow_id AND twin.payment_id <> p.payment_id`,
        ),
      (scope) => `
      SELECT p.payment_id AS id, CONCAT('has the workflow ', p.workflow_id, ', which has another payment id') AS detail
      FROM ${scope.about('payments', 'p')}
      WHERE RIGHT(p.workflow_id, 37) <> CONCAT('/', p.payment_id)`,
    ),
  },
  {
    id: 'P12',
    promise: 'a provider has at most one live submission of a payment',
    find: bySql(
      (scope) => `
      SELECT a.payment_id AS id,
             CONCAT(a.operation, ': ', COUNT(DISTINCT a.provider_key), ' live submissions, ',
                    SUM(a.state = 'accepted'), ' accepted') AS detail
      FROM ${scope.about('attempts', 'a')}
      WHERE a.state IN ('sent', 'unknown', 'accepted')
      GROUP BY a.payment_id, a.operation
      HAVING COUNT(DISTINCT a.provider_key) > 1 OR SUM(a.state = 'accepted') > 1`,
    ),
  },
  {
    id: 'P14',
    promise: 'a payout that its provider shows as unclaimed, returned or failed is not booked as paid',
    find: bySql(
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('is ', p.state, ', but the provider shows ', JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.item_status'))) AS detail
      FROM ${scope.about('payments', 'p')}
      WHERE p.kind = 'payout' AND p.state = 'succeeded'
        AND JSON_UNQUOTE(JSON_EXTRACT(p.details, '$.item_status')) <> 'SUCCESS'`,
    ),
  },
];

/** A payment is stuck this long after its scheduled check, and a webhook after its due time. */
const paymentGraceMs = 600_000;
const webhookGraceMs = 300_000;
/** After about twenty minutes of signals without an effect an operator should know; the sweeper continues (payments/recovery/sweeper.ts). */
const signalsWorryingMin = 9;

const noCase = `NOT EXISTS (SELECT 1 FROM cases c WHERE c.payment_id = p.payment_id AND c.closed_at IS NULL)`;

const notChecked = `
  SELECT p.payment_id AS id,
         CONCAT('is ', p.state, ', its check was due at ', p.next_check_at, ' UTC, and it got ', p.signals, ' signals') AS detail`;

/** Open payments without a scheduled check, or with many signals in vain, that have no open case. */
export const neglectedPayments: readonly Statement[] = [
  (scope) => `
    SELECT p.payment_id AS id, CONCAT('is ', p.state, ', without a scheduled check and without an open case') AS detail
    FROM ${scope.about('payments', 'p')}
    WHERE p.is_final = 0 AND p.next_check_at IS NULL AND ${noCase}`,
  (scope) => `
    ${notChecked}
    FROM ${scope.about('payments', 'p')}
    WHERE p.signals >= ${String(signalsWorryingMin)} AND ${noCase}`,
];

/**
 * Payments whose check is overdue, or that should have ended by the schedule of their rail, and that have no open case. Also
 * overdue webhooks, and overdue events of additional endpoints.
 */
export async function stuckPayments({ trx, rails }: Snapshot): Promise<Violation[]> {
  // Uses the sweeper's index, which has due checks by rail. It also covers rails that are no longer in use.
  const kept: { rail: string }[] = await trx('payments').distinct('is_final', 'rail').select('rail');
  const names = [...new Set(kept.map(({ rail }) => rail))];
  const overlooked =
    names.length === 0
      ? []
      : await violationsOf(
          trx,
          `${notChecked}
           FROM payments p
           WHERE p.is_final IN (0, 1) AND p.rail IN (${names.map(() => '?').join(', ')})
             AND p.next_check_at < ${agoSql(paymentGraceMs)} AND ${noCase}`,
          names,
        );
  const schedules = rails.all.flatMap(({ name, operations }) =>
    Object.entries(operations).map(([kind, operation]) => ({ name, kind, openMs: longestOpenMs(operation) })),
  );
  const openMs =
    schedules.length === 0
      ? '0'
      : `CASE ${schedules.map(() => 'WHEN p.rail = ? AND p.kind = ? THEN ?').join(' ')} ELSE 0 END`;
  const overdue = await violationsOf(
    trx,
    `SELECT p.payment_id AS id, CONCAT('is ', p.state, ' since ', p.updated_at, ' UTC, without an open case') AS detail
     FROM payments p
     WHERE p.is_final = 0 AND p.updated_at < ${agoSql(paymentGraceMs)}
       AND ${acceptedSql} + INTERVAL (${openMs}) * 1000 MICROSECOND < ${agoSql(paymentGraceMs)} + ${aheadSql}
       AND ${noCase}`,
    schedules.flatMap(({ name, kind, openMs: ms }) => [name, kind, ms]),
  );
  const webhooks = await violationsOf(
    trx,
    `SELECT webhook_id AS id, CONCAT('was due at ', next_at, ' UTC') AS detail
     FROM outbox
     WHERE state = 'pending' AND next_at < ${agoSql(webhookGraceMs)}`,
  );
  const payments = new Map([...overlooked, ...overdue].map((found) => [found.id, found]));
  const endpoints = await violationsOf(
    trx,
    `SELECT e.endpoint_id AS id, CONCAT('was due at ', e.next_at, ' UTC') AS detail
     FROM webhook_endpoints e
     WHERE e.ended_at IS NULL AND e.next_at < ${agoSql(webhookGraceMs)}
       AND EXISTS (SELECT 1 FROM events v
                   WHERE v.merchant_id = e.merchant_id AND (v.position IS NULL OR v.position > e.position)
                     AND v.created_at < ${agoSql(webhookGraceMs)})`,
  );
  return [...payments.values(), ...webhooks, ...endpoints];
}

/** Ages are on the payment's own clock, which the sandbox can move (see payments/read/payment-clock.ts). */
const aheadSql = 'INTERVAL p.clock_ahead_ms * 1000 MICROSECOND';
const acceptedSql = 'COALESCE(p.accepted_at + INTERVAL p.accepted_ahead_ms * 1000 MICROSECOND, p.created_at)';

function agoSql(ms: number): string {
  return `UTC_TIMESTAMP(3) - INTERVAL ${String(ms * 1000)} MICROSECOND`;
}

/** A payment that is open for longer has a workflow that does not work. */
function longestOpenMs({ policy }: Operation): number {
  return Math.max(deadlineMs(policy, true), deadlineMs(policy, false));
}

/** The provider may take this long to confirm that a queued payout is cancelled; then a case must be open. */
const heldGraceMs = 900_000;

/** Queued payments that still have a reserve after the longest time that their rail allows. */
export async function heldTooLong({ trx, rails }: Snapshot): Promise<Violation[]> {
  const limits = rails.all.flatMap(({ name, operations }) =>
    Object.entries(operations).flatMap(([kind, { policy }]) =>
      policy.queuedMaxMs === undefined ? [] : [{ name, kind, ms: policy.queuedMaxMs }],
    ),
  );
  const found: Violation[] = [];
  for (const { name, kind, ms } of limits) {
    const late = await violationsOf(
      trx,
      `SELECT p.payment_id AS id, CONCAT('is queued since ', p.accepted_at, ' UTC with ', h.amount, ' ', h.currency,
              ' reserved, without an open case') AS detail
       FROM payments p
       JOIN holds h ON h.payment_id = p.payment_id AND h.state = 'open'
       WHERE p.is_final = 0 AND p.state = 'queued' AND p.rail = ? AND p.kind = ?
         AND ${acceptedSql} < ${agoSql(ms + heldGraceMs)} + ${aheadSql} AND ${noCase}`,
      [name, kind],
    );
    found.push(...late);
  }
  return found;
}
