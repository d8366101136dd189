/**
 * A payment in one shape for all rails, as its merchant sees it. The rails' own words are in their webhooks and
 * statuses.
 */
import { eventTypeOf } from '../../domain/event';
import { errorResponses, type ErrorCode } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import { paymentStates, type PaymentState } from '../../domain/payment';
import type { Database } from '../../store/database';
import type { PaymentLogRow, PaymentRow } from '../../store/tables';
import { holdFields } from './on-hold';
import { shownDuplicate } from './duplicates';

/** A merchant does not see our internal steps: the payment stays `created` (see domain/event.ts). */
export type ShownState = 'created' | Exclude<PaymentState, 'received' | 'initiating'>;

export function shownState(state: PaymentState): ShownState {
  return state === 'received' || state === 'initiating' ? 'created' : state;
}

/** Each state that a merchant may see. */
export const shownStates = [...new Set(paymentStates.map(shownState))] as [ShownState, ...ShownState[]];

export function shownPayment(payment: PaymentRow) {
  const { currency, instructed_currency: confirmedCurrency, confirmed_minor: confirmed } = payment;
  return {
    payment_id: payment.payment_id,
    rail: payment.rail,
    type: payment.kind,
    state: shownState(payment.state),
    is_final: payment.is_final === 1,
    amount: formatAmount(BigInt(payment.requested_minor), currency),
    currency,
    confirmed_amount: confirmed === null ? null : formatAmount(BigInt(confirmed), confirmedCurrency),
    confirmed_currency: confirmed === null ? null : confirmedCurrency,
    order_id: payment.order_id,
    reference: payment.account_reference,
    phone_number: payment.phone_number,
    provider: payment.provider,
    provider_reference: payment.provider_reference,
    receipt: payment.provider_receipt,
    deposit_id: payment.parent_id,
    ...holdFields(payment),
    ...failureOf(payment),
    correction: payment.corrected === 1,
    ...shownDuplicate(payment),
    sequence: payment.sequence,
    created_at: payment.created_at.toISOString(),
    updated_at: payment.updated_at.toISOString(),
    finished_at: payment.finished_at?.toISOString() ?? null,
  };
}

const unhappy: readonly PaymentState[] = ['failed', 'cancelled', 'timed_out', 'returned'];
const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorResponses, code);

/**
 * Why the payment did not succeed; nothing of an earlier success. A refused submission is reported in our own words,
 * because the provider's words concern our account.
 */
export function failureOf({
  state,
  failure_code: ours,
  result_code: theirs,
  result_text: text,
}: Pick<PaymentRow, 'state' | 'failure_code' | 'result_code' | 'result_text'>) {
  if (!unhappy.includes(state)) return { failure_code: null, failure_message: null };
  const message = ours !== null && isErrorCode(ours) ? errorResponses[ours].message : text;
  return { failure_code: ours ?? theirs, failure_message: message };
}

export interface ShownStep {
  state: ShownState;
  at: string;
}

/** The steps of a payment, and its refunds, oldest first. */
export async function shownHistory(
  db: Database,
  payment: PaymentRow,
): Promise<{ timeline: ShownStep[]; refunds: { payment_id: string; state: ShownState }[] }> {
  const log: Pick<PaymentLogRow, 'to_state' | 'at'>[] = await db('payment_log')
    .where({ payment_id: payment.payment_id })
    .orderBy('log_id')
    .select('to_state', 'at');
  const refunds: Pick<PaymentRow, 'payment_id' | 'state'>[] = await db('payments')
    .where({ parent_id: payment.payment_id })
    .orderBy('created_at')
    .limit(100)
    .select('payment_id', 'state');
  const steps = log.filter(({ to_state: state }) => eventTypeOf({ kind: payment.kind, state }) !== undefined);
  return {
    timeline: [
      { state: 'created', at: payment.created_at.toISOString() },
      ...steps.map(({ to_state: state, at }) => ({ state: shownState(state), at: at.toISOString() })),
    ],
    refunds: refunds.map(({ payment_id, state }) => ({ payment_id, state: shownState(state) })),
  };
}
