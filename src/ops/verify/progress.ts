import type { Operation } from '../../payments/rail';
import { violationsOf, type Snapshot, type Violation } from './check';

/** How long a payment may be past its last appointment, and a webhook past its due time, before somebody must look. */
const paymentGraceMs = 600_000;
const webhookGraceMs = 300_000;

/**
 * Payments that should have ended by their rail's own schedule and are no operator's case, and webhooks nobody sent
 * when they were due.
 */
export async function stuckPayments({ trx, rails }: Snapshot): Promise<Violation[]> {
  const schedules = rails.all.flatMap(({ name, operations }) =>
    Object.entries(operations).map(([kind, operation]) => ({ name, kind, openMs: longestOpenMs(operation) })),
  );
  const openMs =
    schedules.length === 0
      ? '0'
      : `CASE ${schedules.map(() => 'WHEN p.rail = ? AND p.kind = ? THEN ?').join(' ')} ELSE 0 END`;
  const payments = await violationsOf(
    trx,
    `SELECT p.payment_id AS id, CONCAT('is ', p.state, ' since ', p.updated_at, ' UTC, and no case is open') AS detail
     FROM payments p
     WHERE p.is_final = 0 AND p.updated_at < ${agoSql(paymentGraceMs)}
       AND COALESCE(p.accepted_at, p.created_at) + INTERVAL (${openMs}) * 1000 MICROSECOND < ${agoSql(paymentGraceMs)}
       AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.payment_id = p.payment_id AND c.closed_at IS NULL)`,
    schedules.flatMap(({ name, kind, openMs: ms }) => [name, kind, ms]),
  );
  const webhooks = await violationsOf(
    trx,
    `SELECT webhook_id AS id, CONCAT('was due at ', next_at, ' UTC') AS detail
     FROM outbox
     WHERE state = 'pending' AND next_at < ${agoSql(webhookGraceMs)}`,
  );
  return [...payments, ...webhooks];
}

function agoSql(ms: number): string {
  return `UTC_TIMESTAMP(3) - INTERVAL ${String(ms * 1000)} MICROSECOND`;
}

/** After this a payment has ended one way or the other, or its workflow is not at work. */
function longestOpenMs({ policy }: Operation): number {
  return Math.max(policy.checksMs.at(-1) ?? 0, policy.unknownDeadlineMs ?? 0);
}
