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
 * A withdrawn payment needs no webhook where the merchant's own request was answered with 503, and nothing was started;
 * one that was answered as accepted does.
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
 * Payments that ended, and no webhook tells it, though their rail would have announced it. Some merchants poll
 * instead: whether this one does, the rail can tell of each payment, and of none in general.
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

/** Of all there is, one after the other in the order of the log; of the news, which are few, out of one answer. */
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

/** A rail that this build does not know cannot be asked, so the endings of its payments are reported. */
function isSilent(rails: Rails, payment: PaymentRow, toState: PaymentState): boolean {
  const operation = rails.all.find(({ name }) => name === payment.rail)?.operations[payment.kind];
  return operation !== undefined && !operation.announces({ ...payment, state: toState, is_final: 1 });
}

/** What came in from providers, what goes out to merchants, whose everything is, and whether it moves. */
export const eventChecks: Check[] = [
  {
    id: 'E1',
    promise: 'each notification is kept once and was acted upon, or waits with a case',
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
             CONCAT('nobody has looked at it since ', COALESCE(follow_at, received_at), ' UTC') AS detail
      FROM inbox
      WHERE state = 'new' AND processed_at IS NULL
        AND COALESCE(follow_at, received_at) < UTC_TIMESTAMP(3) - INTERVAL 60 SECOND`,
      `
      SELECT CONCAT('inbox ', i.inbox_id) AS id,
             CONCAT('is undecided since ', COALESCE(i.follow_at, i.received_at), ' UTC, and no case is open') AS detail
      FROM inbox i
      WHERE i.state = 'new' AND i.processed_at IS NOT NULL
        AND COALESCE(i.follow_at, i.received_at) < UTC_TIMESTAMP(3) - INTERVAL 15 MINUTE
        AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.payment_id = i.payment_id AND c.closed_at IS NULL)`,
      `
      SELECT CONCAT('inbox ', inbox_id) AS id,
             CONCAT('is parked since ', received_at, ' UTC, and was not given to a person') AS detail
      FROM inbox
      WHERE state = 'parked' AND received_at < UTC_TIMESTAMP(3) - INTERVAL 15 MINUTE`,
    ),
  },
  {
    id: 'N1',
    promise: 'each ending of a payment has a webhook',
    find: ofEach(unannouncedEndings),
  },
  {
    id: 'N2',
    promise:
      'each webhook arrived, waits, was replaced by a later status, or was given up after all its tries',
    find: bySql(
      (scope) => `
      SELECT o.webhook_id AS id, CONCAT('was given up after ', o.tries, ' of ${String(triesMax)} tries') AS detail
      FROM ${scope.about('outbox', 'o')}
      WHERE o.state = 'dead' AND o.tries < ${String(triesMax)}`,
      (scope) => `
      SELECT o.webhook_id AS id, 'counts as delivered, and no try was answered with 2xx' AS detail
      FROM ${scope.about('outbox', 'o')}
      LEFT JOIN webhook_deliveries d
        ON d.webhook_id = o.webhook_id AND d.error IS NULL AND d.http_status BETWEEN 200 AND 299
      WHERE o.state = 'delivered' AND d.delivery_id IS NULL`,
      (scope) => `
      SELECT o.webhook_id AS id, CONCAT('is in no state that a webhook has: ', o.state) AS detail
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
             CONCAT('goes to merchant ', o.merchant_id, ', payment ', o.payment_id, ' belongs to ',
                    COALESCE(p.merchant_id, 'nobody')) AS detail
      FROM ${scope.about('outbox', 'o')}
      LEFT JOIN payments p ON p.payment_id = o.payment_id
      WHERE p.payment_id IS NULL OR p.merchant_id <> o.merchant_id`,
    ),
  },
  {
    id: 'N5',
    promise: 'a status is told no more once a later one of its payment is written, and only then',
    find: bySql(
      (scope) => `
      SELECT o.webhook_id AS id,
             CONCAT('is ', o.state, ', and no later webhook of its payment replaces it: ',
                    COALESCE(o.superseded_by, 'none is named')) AS detail
      FROM ${scope.about('outbox', 'o')}
      LEFT JOIN outbox later ON later.webhook_id = o.superseded_by AND later.payment_id = o.payment_id
        AND later.sequence > o.sequence AND o.replaceable BETWEEN 1 AND later.replaces
      WHERE (o.state = 'superseded' OR o.superseded_by IS NOT NULL) AND later.webhook_id IS NULL`,
      (scope) => `
      SELECT o.webhook_id AS id, CONCAT('is ', o.state, ', though ', o.superseded_by, ' has replaced it') AS detail
      FROM ${scope.about('outbox', 'o')}
      WHERE o.superseded_by IS NOT NULL AND o.state NOT IN ('superseded', 'delivered')`,
      (scope) => `
      SELECT DISTINCT o.webhook_id AS id,
             CONCAT('tells what ', later.webhook_id, ' of the same payment has replaced, and may be sent') AS detail
      FROM ${scope.about('outbox', 'o')}
      JOIN outbox later ON later.payment_id = o.payment_id AND later.sequence > o.sequence
        AND later.replaces >= o.replaceable
      WHERE o.replaceable > 0 AND o.superseded_by IS NULL`,
      (scope) => `
      SELECT o.webhook_id AS id,
             CONCAT('tells change ', o.sequence, ' of payment ', o.payment_id, ', which has had ', p.sequence) AS detail
      FROM ${scope.about('outbox', 'o')}
      JOIN payments p ON p.payment_id = o.payment_id
      WHERE o.sequence > p.sequence`,
      (scope) => `
      SELECT t.delivery_id AS id,
             CONCAT('passed event ', t.event_id, ' over, and ', t.superseded_by, ' is no later one of its payment') AS detail
      FROM endpoint_tries t
      JOIN events v ON v.payment_id = t.payment_id AND v.event_id = t.event_id
      LEFT JOIN events later ON later.payment_id = t.payment_id AND later.event_id = t.superseded_by
        AND later.event_seq > v.event_seq
      WHERE t.superseded_by IS NOT NULL AND later.event_id IS NULL AND ${scope.begun('t.created_at')}`,
    ),
  },
  {
    id: 'N4',
    promise: 'no further endpoint is ahead of what its merchant is told',
    find: bySql(`
      SELECT e.endpoint_id AS id,
             CONCAT('is at event ', e.position, ' of ', COALESCE(h.last_position, 0), ' of merchant ', e.merchant_id) AS detail
      FROM webhook_endpoints e
      LEFT JOIN event_heads h ON h.merchant_id = e.merchant_id
      WHERE e.ended_at IS NULL AND e.position > COALESCE(h.last_position, 0)`),
  },
  {
    id: 'T1',
    promise: "nothing links one merchant's payments and money to another's",
    find: bySql(
      (scope) => `
      SELECT child.payment_id AS id, CONCAT('has a parent of another merchant: ', child.parent_id) AS detail
      FROM ${scope.about('payments', 'child')}
      JOIN payments parent ON parent.payment_id = child.parent_id
      WHERE child.merchant_id <> parent.merchant_id`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('belongs to merchant ', p.merchant_id, ', posting ', l.seq, ' moves account ', a.code) AS detail
      FROM ${scope.about('ledger_entries', 'e')}
      JOIN payments p ON p.payment_id = e.payment_id
      JOIN ledger_postings l ON l.entry_id = e.entry_id
      JOIN ledger_accounts a ON a.account_id = l.account_id
      WHERE a.merchant_id <> p.merchant_id`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('belongs to merchant ', p.merchant_id, ', its hold is on account ', a.code) AS detail
      FROM ${scope.about('holds', 'h')}
      JOIN payments p ON p.payment_id = h.payment_id
      JOIN ledger_accounts a ON a.account_id IN (h.account_id, h.reserved_account_id)
      WHERE a.merchant_id <> p.merchant_id`,
      (scope) => `
      SELECT p.payment_id AS id,
             CONCAT('belongs to merchant ', p.merchant_id, ', was started by a key of ', k.merchant_id) AS detail
      FROM ${scope.about('idempotency_keys', 'k')}
      JOIN payments p ON p.payment_id = k.payment_id
      WHERE k.merchant_id <> p.merchant_id`,
    ),
  },
  {
    id: 'V1',
    promise: 'nothing stands still: open payments are looked at, due webhooks are sent',
    find: together(bySql(...neglectedPayments), stuckPayments),
  },
];
