import { amountAsNumber } from '../../../../domain/money';
import type { Acceptance, Finding } from '../../../../domain/outcome';
import { instructionLeastMs } from '../../../../payments/submit/write-attempt';
import type { ProviderCheckups } from '../../../../rail-kit/provider-checkups';
import type { InstructionCall, Operation, RailSettings, UnpaidCancellation } from '../../../../rail-kit/rail';
import type { PaymentRow } from '../../../../store/tables';
import { billingDetail } from '../../drafts';
import type { CardprocSettings } from '../../settings';
import { pesapalCalls, type PesapalAnswer } from './calls';
import { pesapalCheckups } from './checkups';
import { notificationAddress } from './notification-address';
import { findingOf } from './order-status';
import { readSubmission } from './submission';
import { describe, faultOf, recordOf, textOf } from './wire';

/** So that two attempts and what goes before them fit into the time a merchant waits for an acceptance. */
const submissionMs = 6_000;

export interface Addresses {
  /** Where the provider sends a customer's browser after the payment. */
  callbackUrl: string;
  /** Where it notifies us. */
  notificationUrl: string;
}

/** Pesapal API 3.0: an order, a page where the customer pays it, and a status call that alone tells the truth. */
export function pesapalProvider(
  settings: CardprocSettings,
  rail: RailSettings,
  { callbackUrl, notificationUrl }: Addresses,
): Pick<Operation, 'initiate' | 'retrieveStatus' | 'cancelUnpaid'> & { checkups(): ProviderCheckups } {
  const askFor = pesapalCalls(settings, rail);
  const address = notificationAddress(notificationUrl);

  async function initiate(payment: PaymentRow, call: InstructionCall): Promise<Acceptance> {
    const ask = askFor(call);
    const found = await address.get(ask);
    if (found.kind === 'unavailable') return { kind: 'not_sent', text: found.text };
    if (found.kind === 'refused') {
      return {
        kind: 'refused',
        publicCode: 'PROVIDER_ACCOUNT_REFUSED',
        providerCode: 'account',
        text: found.text,
      };
    }
    // Every attempt has an id of its own: what the provider makes of a repeated one is not documented.
    const id = `${payment.callback_token ?? ''}-${String(call.attempt)}`;
    const body = orderOf(payment, { id, callback_url: callbackUrl, notification_id: found.id });
    const path = '/api/Transactions/SubmitOrderRequest';
    const time = { atMostMs: submissionMs, atLeastMs: instructionLeastMs(call.timeoutMs) };
    const answer = await ask({ call: 'initiate', method: 'POST', path, body, ...time });
    const submission = readSubmission(answer, id, rail.environment);
    if (submission.kind !== 'unknown_address') return submission;
    address.refuse(found.id);
    return { kind: 'not_sent', text: submission.text };
  }

  async function retrieveStatus(
    payment: PaymentRow,
    call: Parameters<Operation['retrieveStatus']>[1],
  ): Promise<Finding> {
    const reference = encodeURIComponent(payment.provider_reference ?? '');
    const path = `/api/Transactions/GetTransactionStatus?orderTrackingId=${reference}`;
    const answer = await askFor(call)({ call: 'query', method: 'GET', path });
    // Some errors of this provider come with a status of their own; they are errors in the body all the same.
    const isReadable = answer.kind === 'answered' && answer.status < 500 && answer.status !== 429;
    if (!isReadable) return { kind: 'unknown', text: answer.text };
    const finding = findingOf(answer.json, payment);
    if (finding.kind === 'unknown') {
      const fields = { payment_id: payment.payment_id, said: finding.text };
      rail.log.warn('the checkout processor said something that does not fit', fields);
    }
    return finding;
  }

  return {
    initiate,
    retrieveStatus,
    async cancelUnpaid({ provider_reference: trackingId }, call) {
      const path = '/api/Transactions/CancelOrder';
      const body = { order_tracking_id: trackingId };
      return readCancellation(await askFor(call)({ call: 'cancel', method: 'POST', path, body }));
    },
    checkups: () => pesapalCheckups(settings, askFor, notificationUrl),
  };
}

/** The customer pays inside the merchant's frame, whose page the provider then leads on (PARENT_WINDOW). */
function orderOf(payment: PaymentRow, order: Record<string, string>): Record<string, unknown> {
  const { description, cancellation_url: cancellationUrl, [billingDetail]: billing = '{}' } = payment.details;
  return {
    ...order,
    currency: payment.instructed_currency,
    amount: amountAsNumber(BigInt(payment.instructed_minor), payment.instructed_currency),
    description,
    redirect_mode: 'PARENT_WINDOW',
    ...(cancellationUrl === undefined ? {} : { cancellation_url: cancellationUrl }),
    billing_address: JSON.parse(billing) as unknown,
  };
}

/**
 * Its body says 200 for an order that nobody can pay any more, and 500 for one that is not cancelled: it was paid, or
 * cancelled before (the provider's documentation, Order Cancellation API:
 * https://developer.pesapal.com/how-to-integrate/e-commerce/api-30-json/order-cancellation-api). Which of the two, only
 * the status call tells.
 */
export function readCancellation(answer: PesapalAnswer): UnpaidCancellation {
  if (answer.kind === 'account_refused') return { kind: 'not_sent', text: answer.text };
  if (answer.kind !== 'answered') return answer;
  const { status, json, text } = answer;
  if (status === 429) return { kind: 'not_sent', text: 'too many requests' };
  if (status >= 500) return { kind: 'unknown', text: `${String(status)} ${text}` };
  const fault = faultOf(json);
  if (fault) return { kind: 'refused', text: describe(fault) };
  const told = recordOf(json);
  if (status >= 400 || textOf(told['status']) !== '200') {
    return { kind: 'unknown', text: `${String(status)} ${text}` };
  }
  return { kind: 'cancelled', text: textOf(told['message']) };
}
