import type { Operation } from '../rail-kit/rail';
import { violationsOf, type Snapshot, type Statement, type Violation } from './check';

/** How long a payment may be past its last appointment, and a webhook past its due time, before somebody must look. */
const paymentGraceMs = 600_000;
const webhookGraceMs = 300_000;
/** Some twenty minutes of looks that nobody took: the sweeper goes on, and an operator should know (see payments/care/sweeper.ts). */
const wakesWorryingMin = 9;

const noCase = `NOT EXISTS (SELECT 1 FROM cases c WHERE c.payment_id = p.payment_id AND c.closed_at IS NULL)`;

const notLookedAt = `
  SELECT p.payment_id AS id,
         CONCAT('is ', p.state, ', was to be looked at until ', p.next_look_at, ' UTC, woken ', p.wakes, ' times') AS detail`;

/** Payments that are open without a next look, or that were woken again and again in vain, and are no operator's case. */
export const neglectedPayments: readonly Statement[] = [
  (scope) => `
    SELECT p.payment_id AS id, CONCAT('is ', p.state, ', and neither a look nor a case is planned') AS detail
    FROM ${scope.about('payments', 'p')}
    WHERE p.is_final = 0 AND p.next_look_at IS NULL AND ${noCase}`,
  (scope) => `
    ${notLookedAt}
    FROM ${scope.about('payments', 'p')}
    WHERE p.wakes >= ${String(wakesWorryingMin)} AND ${noCase}`,
];

/**
 * Payments whose look nobody has taken, or that should have ended by their rail's own schedule, and are no operator's
 * case; and webhooks, and events of further endpoints, nobody sent when they were due.
 */
export async function stuckPayments({ trx, rails }: Snapshot): Promise<Violation[]> {
  // By the index of the sweeper, which has due looks apart for each rail: also for one that is served no more.
  const kept: { rail: string }[] = await trx('payments').distinct('is_final', 'rail').select('rail');
  const names = [...new Set(kept.map(({ rail }) => rail))];
  const overlooked =
    names.length === 0
      ? []
      : await violationsOf(
          trx,
          `${notLookedAt}
           FROM payments p
           WHERE p.is_final IN (0, 1) AND p.rail IN (${names.map(() => '?').join(', ')})
             AND p.next_look_at < ${agoSql(paymentGraceMs)} AND ${noCase}`,
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
    `SELECT p.payment_id AS id, CONCAT('is ', p.state, ' since ', p.updated_at, ' UTC, and no case is open') AS detail
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

/** Ages are told on the payment's own clock, which the sandbox may have moved (see payments/record/payment-clock.ts). */
const aheadSql = 'INTERVAL p.clock_ahead_ms * 1000 MICROSECOND';
const acceptedSql = 'COALESCE(p.accepted_at + INTERVAL p.accepted_ahead_ms * 1000 MICROSECOND, p.created_at)';

function agoSql(ms: number): string {
  return `UTC_TIMESTAMP(3) - INTERVAL ${String(ms * 1000)} MICROSECOND`;
}

/** After this a payment has ended one way or the other, or its workflow is not at work. */
function longestOpenMs({ policy }: Operation): number {
  return Math.max(policy.checksMs.at(-1) ?? 0, policy.unknownDeadlineMs ?? 0);
}

/** How long the provider may take to confirm that a queued payout is off, before it is a person's question. */
const heldGraceMs = 900_000;

/** Money set aside for what waits in a queue for longer than its rail lets it. */
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
              ' set aside, and no case is open') AS detail
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
