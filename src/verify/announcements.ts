import { finalStates, type PaymentState } from '../domain/payment';
import type { Rails } from '../rail-kit/context';
import type { PaymentRow } from '../store/tables';
import { inChunks } from '../store/in-chunks';
import { quoted, rowsOf, violationsMax, type Snapshot, type Violation } from './check';
import type { Scope } from './scope';

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
