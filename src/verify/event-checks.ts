import { finalStates, type PaymentState } from '../domain/payment';
import type { Rails } from '../rail-kit/context';
import { inChunks } from '../store/in-chunks';
import type { PaymentRow } from '../store/tables';
import { triesMax } from '../webhooks/attempts';
import {
  bySql,
  ofEach,
  together,
  quoted,
  rowsOf,
  violationsMax,
  type Check,
  type Snapshot,
  type Violation,
  type Scope,
} from './check';
import { neglectedPayments, stuckPayments } from './payment-checks';

/**
 * Final states without a webhook. A withdrawn payment needs none if its request was answered with 503; it needs one if the
 * request was answered as accepted.
 */
const endingsWithoutWebhook = (scope: Scope) => `
  SELECT l.log_id AS logId, l.payment_id AS paymentId, l.to_state AS toState
  FROM ${scope.about('payment_log', 'l')}
  LEFT JOIN outbox o ON o.payment_id = l.payment_id AND o.to_state = l.to_state
  LEFT JOIN payments p ON l.cause = 'withdrawn' AND p.payment_id = l.payment_id
  WHERE l.to_state IN (${quoted(finalStates)}) AND o.webhook_id IS NULL
    AND (l.cause <> 'withdrawn' OR p.answered_at IS NOT NULL)
    ${scope.pick('AND l.log_id > ? ORDER BY l.log_id', '')}`;

const batch = 1_000;

interface Ending {
  logId: string;
  paymentId: string;
  toState: PaymentState;
}

/**
 * Payments that ended without a webhook, although their rail sends one. Some merchants poll instead: the rail decides that
 * for each payment.
 */
export async function unannouncedEndings(snapshot: Snapshot): Promise<Violation[]> {
  const violations: Violation[] = [];
  for await (const endings of batches(snapshot)) {
    const payments = await paymentsOf(snapshot, endings);
    for (const { logId, paymentId, toState } of endings) {
      const payment = payments.get(paymentId);
      if (!payment || isSilent(snapshot.rails, payment, toState)) continue;
      violations.push({ id: paymentId, detail: `log ${logId}: became ${toState} without a webhook` });
    }
    if (violations.length >= violationsMax) break;
  }
  return violations.slice(0, violationsMax);
}

/** A full run reads the log page by page. A run with --changes reads all at once, because there are few rows. */
async function* batches({ trx, scope }: Snapshot): AsyncGenerator<Ending[]> {
  const statement = endingsWithoutWebhook(scope);
  if (scope.pick(false, true)) {
    yield* inChunks(await rowsOf<Ending>(trx, statement), batch);
    return;
  }
  for (let after = '0'; ;) {
    const endings = await rowsOf<Ending>(trx, `${statement} LIMIT ${String(batch)}`, [after]);
    yield endings;
    const last = endings.at(-1);
    if (!last || endings.length < batch) return;
    after = last.logId;
  }
}

async function paymentsOf({ trx }: Snapshot, endings: Ending[]): Promise<Map<string, PaymentRow>> {
  const ids = [...new Set(endings.map(({ paymentId }) => paymentId))];
  const rows: PaymentRow[] = await trx('payments').whereIn('payment_id', ids);
  return new Map(rows.map((payment) => [payment.payment_id, payment]));
}

/** Whether the rail sends no webhook for this state. Payments of an unknown rail are reported. */
function isSilent(rails: Rails, payment: PaymentRow, toState: PaymentState): boolean {
  const operation = rails.all.find(({ name }) => name === payment.rail)?.operations[payment.kind];
  return operation !== undefined && !operation.sendsWebhook({ ...payment, state: toState, is_final: 1 });
}

/** Checks of notifications, webhooks, the separation of merchants, and stuck payments. */
export const eventChecks: Check[] = [
  {
    id: 'E1',
    promise: 'each notification is stored once, and was processed or has a case',
    find: bySql(
      (scope) =>
        scope.pick(
          `
      SELECT CONCAT('inbox ', MAX(inbox_id)) AS id, CONCAT('repeats inbox ', MIN(inbox_id), ' of rail ', rail) AS detail
      FROM inbox
      GROUP BY rail, event_key
      HAVING COUNT(*) > 1`,
          `
      SELECT CONCAT('inbox ', i.inbox_id) AS id, CONCAT('repeats inbox ', first.inbox_id, ' of rail ', i.rail) AS detail
      FROM inbox i
      JOIN inbox first ON first.rail = i.rail AND first.event_key = i.event_key AND first.inbox_id < i.inbox_id
      WHERE ${scope.added('inbox', 'i')}`,
        ),
      `
      SELECT CONCAT('inbox ', inbox_id) AS id,
             CONCAT('is unprocessed since ', COALESCE(follow_at, received_at), ' UTC') AS detail
      FROM inbox
      WHERE state = 'new' AND processed_at IS NULL
        AND COALESCE(follow_at, received_at) < UTC_TIMESTAMP(3) - INTERVAL 60 SECOND`,
      `
      SELECT CONCAT('inbox ', i.inbox_id) AS id,
             CONCAT('is undecided since ', COALESCE(i.follow_at, i.received_at), ' UTC, without an open case') AS detail
      FROM inbox i
      WHERE i.state = 'new' AND i.processed_at IS NOT NULL
        AND COALESCE(i.follow_at, i.received_at) < UTC_TIMESTAMP(3) - INTERVAL 15 MINUTE
        AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.payment_id = i.payment_id AND c.closed_at IS NULL)`,
      `
      SELECT CONCAT('inbox ', inbox_id) AS id,
             CONCAT('is parked since ', received_at, ' UTC, without a case for an operator') AS detail
      FROM inbox
      WHERE state = 'parked' AND received_at < UTC_TIMESTAMP(3) - INTERVAL 15 MINUTE`,
    ),
  },
  {
    id: 'N1',
    promise: 'each final state of a payment has a webhook',
    find: ofEach(unannouncedEndings),
  },
  {
    id: 'N2',
    promise: 'each webhook arrived, waits, was replaced by a later status, or is dead after all its tries',
    find: bySql(
      (scope) => `
      SELECT o.webhook_id AS id, CONCAT('is dead after ', o.tries, ' of ${String(triesMax)} tries') AS detail
      FROM ${scope.about('outbox', 'o')}
      WHERE o.state = 'dead' AND o.tries < ${String(triesMax)}`,
      (scope) => `
      SELECT o.webhook_id AS id, 'counts as delivered, but no try was answered with 2xx' AS detail
      FROM ${scope.about('outbox', 'o')}
      LEFT JOIN webhook_deliveries d
        ON d.webhook_id = o.webhook_id AND d.error IS NULL AND d.http_status BETWEEN 200 AND 299
      WHERE o.state = 'delivered' AND d.delivery_id IS NULL`,
      (scope) => `
      SELECT o.webhook_id AS id, CONCAT('has an unknown state: ', o.state) AS detail
      FROM ${scope.about('outbox', 'o')}
      WHERE o.state NOT IN ('pending', 'delivered', 'dead', 'unaddressed', 'superseded')`,
    ),
  },
  {
    id: 'N3',
    promise: 'each webhook goes to the merchant of its payment',
    find: bySql(
      (scope) => `
      SELECT o.webhook_id AS id,
             CONCAT('goes to merchant ', o.merchant_id, ', but payment ', o.payment_id, ' belongs to ',
                    COALESCE(p.merchant_id, 'no merchant')) AS detail
      FROM ${scope.about('outbox', 'o')}
      LEFT JOIN payments p ON p.payment_id = o.payment_id
      WHERE p.payment_id IS NULL OR p.merchant_id <> o.merchant_id`,
    ),
  },
  {
    id: 'N5',
    promise: 'a webhook is replaced only by a later status of its payment, and a replaced one is not sent',
    find: bySql(
      (scope) => `
      SELECT o.webhook_id AS id,
             CONCAT('is ', o.state, ', but no later webhook of its payment replaces it: ',
                    COALESCE(o.superseded_by, 'none is named')) AS detail
      FROM ${scope.about('outbox', 'o')}
      LEFT JOIN outbox later ON later.webhook_id = o.superseded_by AND later.payment_id = o.payment_id
        AND later.sequence > o.sequence AND o.replaceable BETWEEN 1 AND later.replaces
      WHERE (o.state = 'superseded' OR o.superseded_by IS NOT NULL) AND later.webhook_id IS NULL`,
      (scope) => `
      SELECT o.webhook_id AS id, CONCAT('is ', o.state, ', although ', o.superseded_by, ' has replaced it') AS detail
      FROM ${scope.about('outbox', 'o')}
      WHERE o.superseded_by IS NOT NULL AND o.state NOT IN ('superseded', 'delivered')`,
      (scope) => `
      SELECT DISTINCT o.webhook_id AS id,
             CONCAT('may still be sent, although ', later.webhook_id, ' of the same payment replaces it') AS detail
      FROM ${scope.about('outbox', 'o')}
      JOIN outbox later ON later.payment_id = o.payment_id AND later.sequence > o.sequence
        AND later.replaces >= o.replaceable
      WHERE o.replaceable > 0 AND o.superseded_by IS NULL`,
      (scope) => `
      SELECT o.webhook_id AS id,
             CONCAT('reports change ', o.sequence, ' of payment ', o.payment_id, ', which has only ', p.sequence, ' changes') AS detail
      FROM ${scope.about('outbox', 'o')}
      JOIN payments p ON p.payment_id = o.payment_id
      WHERE o.sequence > p.sequence`,
      (scope) => `
      SELECT t.delivery_id AS id,
             CONCAT('skipped event ', t.event_id, ', but ', t.superseded_by, ' is not a later event of its payment') AS detail
      FROM endpoint_tries t
      JOIN events v ON v.payment_id = t.payment_id AND v.event_id = t.event_id
      LEFT JOIN events later ON later.payment_id = t.payment_id AND later.event_id = t.superseded_by
        AND later.event_seq > v.event_seq
      WHERE t.superseded_by IS NOT NULL AND later.event_id IS NULL AND ${scope.begun('t.created_at')}`,
    ),
  },
  {
    id: 'N4',
    promise: 'no additional endpoint is ahead of the events of its merchant',
    find: bySql(`
      SELECT e.endpoint_id AS id,
             CONCAT('is at event ', e.position, ', but merchant ', e.merchant_id, ' has ', COALESCE(h.last_position, 0), ' events') AS detail
      FROM webhook_endpoints e
      LEFT JOIN event_heads h ON h.merchant_id = e.merchant_id
      WHERE e.ended_at IS NULL AND e.position > COALESCE(h.last_position, 0)`),
  },
  {
    id: 'T1',
    promise: "no row links a merchant's payments or money to another merchant",
    find: bySql(
      (scope) => `
      SELECT child.payment_id AS id, CONCAT('has a parent of another merchant: ', child.parent_id) AS detail
      FROM ${scope.about('payments', 'child')}
      JOIN payments parent ON parent.payment_id = child.parent_id
      WHERE child.merchant_id <> parent.merchant_id`,
      // In this order each table is read by its key; the optimizer would begin with all postings of an account.
      (scope) => `
      SELECT STRAIGHT_JOIN p.payment_id AS id,
             CONCAT('belongs to merchant ', p.merchant_id, ', but posting ', l.seq, ' moves account ', a.code) AS detail
      FROM ${scope.about('ledger_entries', 'e')}
      JOIN payments p ON p.payment_id = e.payment_id
      JOIN ledger_postings l ON l.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = l.account_id
      WHERE a.merchant_id <> p.merchant_id`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('belongs to merchant ', p.merchant_id, ', but its reserve is on account ', a.code) AS detail
      FROM ${scope.about('holds', 'h')}
      JOIN payments p ON p.payment_id = h.payment_id
      JOIN ledger_accounts a ON a.account_id IN (h.account_id, h.reserved_account_id)
      WHERE a.merchant_id <> p.merchant_id`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('belongs to merchant ', p.merchant_id, ', but was created with a key of ', k.merchant_id) AS detail
      FROM ${scope.about('idempotency_keys', 'k')}
      JOIN payments p ON p.payment_id = k.payment_id
      WHERE k.merchant_id <> p.merchant_id`,
    ),
  },
  {
    id: 'V1',
    promise: 'open payments are checked when due, and due webhooks are sent',
    find: together(bySql(...neglectedPayments), stuckPayments),
  },
];
