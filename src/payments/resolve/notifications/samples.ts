/** Payments that have ended, and whether a notification has reported them in time. */
import type { Transaction } from '../../../store/database';
import type { CallbackSource, InboxRow, PaymentLogRow, PaymentRow } from '../../../store/tables';
import type { Rails } from '../../../rail-kit/context';
import { accountOf, operationOf, type Operation } from '../../../rail-kit/rail';

export interface Sample {
  source: CallbackSource;
  endedAt: Date;
  /**
   * From when we knew the result to when the notification came; 0 where it gave us the result; undefined where it did
   * not come in time.
   */
  lagMs: number | undefined;
}

interface Scan {
  /** The last log row that was read before. */
  from: string;
  /** How long a notification may take. Younger log rows are left for later. */
  inTimeMs: number;
  limit: number;
}

type End = Pick<PaymentLogRow, 'log_id' | 'payment_id' | 'from_state' | 'to_state' | 'cause' | 'at'>;

/** The causes of ends that a provider reported, by notification or by poll. An end of our own has no notification. */
const causes = ['callback', 'query'];
const openStates = ['initiating', 'pending', 'queued', 'processing'];
const endStates = ['succeeded', 'failed', 'cancelled', 'timed_out'];

export async function readSamples(
  trx: Transaction,
  rails: Rails,
  { from, inTimeMs, limit }: Scan,
): Promise<{ lastId: string; isMore: boolean; samples: Sample[] }> {
  const rows: End[] = await logAfter(trx, from, limit);
  const before = Date.now() - inTimeMs;
  const young = rows.findIndex(({ at }) => at.getTime() >= before);
  const old = young === -1 ? rows : rows.slice(0, young);
  const found = old.filter(isEnd);
  const ids = found.map(({ payment_id: id }) => id);
  const payments = new Map((await paymentsOf(trx, ids)).map((payment) => [payment.payment_id, payment]));
  const providerEvents = await providerEventsOf(trx, ids);
  const samples = found.flatMap((end) => {
    const payment = payments.get(end.payment_id);
    // A rail may no longer be served.
    const rail = payment && rails.all.find(({ name }) => name === payment.rail);
    if (!payment || !rail) return [];
    const operation = operationOf(rail, payment);
    if (!isNotifiedOf(operation, payment, end)) return [];
    const source = { rail: rail.name, account: accountOf(rail, payment), kind: payment.kind };
    const own = providerEvents.filter(({ payment_id: id }) => id === end.payment_id);
    return [
      sampleOf(
        end,
        source,
        own.filter((providerEvent) => isCallback(operation, providerEvent)),
        inTimeMs,
      ),
    ];
  });
  return { lastId: old.at(-1)?.log_id ?? from, isMore: rows.length === limit && young === -1, samples };
}

/** Exported, as the other two are, for the test that inspects the database's query plan. */
export function logAfter(trx: Transaction, from: string, limit: number) {
  return trx('payment_log')
    .where('log_id', '>', from)
    .orderBy('log_id')
    .limit(limit)
    .select('log_id', 'payment_id', 'from_state', 'to_state', 'cause', 'at');
}

export function paymentsOf(trx: Transaction, ids: string[]) {
  return trx('payments')
    .whereIn('payment_id', ids)
    .select('payment_id', 'rail', 'kind', 'provider', 'result_code');
}

/**
 * Verified notifications, and unverified events that a poll has confirmed. Other unverified events do not count, so
 * that a sender of false ones cannot make the verdict better or add work, however many they are.
 */
export function providerEventsOf(trx: Transaction, ids: string[]) {
  return trx('inbox')
    .whereIn('payment_id', ids)
    .where((row) => void row.whereNull('follow_at').orWhere({ state: 'applied' }))
    .orderBy('inbox_id');
}

function isEnd({ from_state, to_state, cause }: End): boolean {
  return causes.includes(cause) && openStates.includes(from_state) && endStates.includes(to_state);
}

function isNotifiedOf(
  { notifiesOf, neverReceivedCode }: Operation,
  { result_code: code }: Pick<PaymentRow, 'result_code'>,
  { to_state: state }: End,
): boolean {
  if (state === 'failed' && code !== null && code === neverReceivedCode) return false;
  return notifiesOf?.includes(state) ?? true;
}

/** Whether the notification reported the payment's result without a request of ours. */
function isCallback(operation: Operation, providerEvent: InboxRow): boolean {
  return operation.answersUs?.(providerEvent) !== true && saysSomething(operation, providerEvent);
}

function saysSomething(operation: Operation, providerEvent: InboxRow): boolean {
  try {
    const { kind } = operation.readNotification(providerEvent);
    return kind !== 'open' && kind !== 'unknown';
  } catch {
    // A notification that a review cannot read either is a fault of that payment and affects no figure.
    return false;
  }
}

function sampleOf({ at }: End, source: CallbackSource, callbacks: InboxRow[], inTimeMs: number): Sample {
  const [first] = callbacks;
  const lagMs = first && Math.max(0, first.received_at.getTime() - at.getTime());
  return { source, endedAt: at, lagMs: lagMs !== undefined && lagMs <= inTimeMs ? lagMs : undefined };
}
