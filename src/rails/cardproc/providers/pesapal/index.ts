import { amountAsNumber } from '../../../../domain/money';
import type { SubmissionResult, ProviderResult } from '../../../../domain/outcome';
import { submissionLeastMs } from '../../../../payments/submit/write-attempt';
import type { ProviderCheckups } from '../../../../rail-kit/provider-checkups';
import type { SubmissionCall, Operation, RailSettings, UnpaidCancellation } from '../../../../rail-kit/rail';
import type { PaymentRow } from '../../../../store/tables';
import { billingDetail } from '../../drafts';
import type { CardprocSettings } from '../../settings';
import { pesapalCalls, type PesapalAnswer } from './calls';
import { pesapalCheckups } from './checkups';
import { notificationAddress } from './notification-address';
import { resultOf } from './order-status';
import { readSubmission } from './submission';
import { describe, faultOf, recordOf, textOf } from './wire';

/** Two attempts and the calls before them must fit into the time that a merchant waits for an answer. */
const submissionMs = 6_000;

export interface Addresses {
  /** Where the provider redirects the customer's browser after the payment. */
  callbackUrl: string;
  /** The address for the provider's notifications. */
  notificationUrl: string;
}

/**
 * Pesapal API 3.0: an order, a payment page for the customer, and a status call, which is the only source of results.
 */
export function pesapalProvider(
  settings: CardprocSettings,
  rail: RailSettings,
  { callbackUrl, notificationUrl }: Addresses,
): Pick<Operation, 'initiate' | 'retrieveStatus' | 'cancelUnpaid'> & { checkups(): ProviderCheckups } {
  const askFor = pesapalCalls(settings, rail);
  const address = notificationAddress(notificationUrl);

  async function initiate(payment: PaymentRow, call: SubmissionCall): Promise<SubmissionResult> {
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
    // Every attempt has its own id: the documentation does not say what the provider does with a repeated one.
    const id = `${payment.callback_token ?? ''}-${String(call.attempt)}`;
    const body = orderOf(payment, { id, callback_url: callbackUrl, notification_id: found.id });
    const path = '/api/Transactions/SubmitOrderRequest';
    const time = { atMostMs: submissionMs, atLeastMs: submissionLeastMs(call.timeoutMs) };
    const answer = await ask({ call: 'initiate', method: 'POST', path, body, ...time });
    const submission = readSubmission(answer, id, rail.environment);
    if (submission.kind !== 'unknown_address') return submission;
    address.refuse(found.id);
    return { kind: 'not_sent', text: submission.text };
  }

  async function retrieveStatus(
    payment: PaymentRow,
    call: Parameters<Operation['retrieveStatus']>[1],
  ): Promise<ProviderResult> {
    const reference = encodeURIComponent(payment.provider_reference ?? '');
    const path = `/api/Transactions/GetTransactionStatus?orderTrackingId=${reference}`;
    const answer = await askFor(call)({ call: 'query', method: 'GET', path });
    // Some errors of this provider have an HTTP status other than 200, but an error body all the same.
    const isReadable = answer.kind === 'answered' && answer.status < 500 && answer.status !== 429;
    if (!isReadable) return { kind: 'unknown', text: answer.text };
    const providerResult = resultOf(answer.json, payment);
    if (providerResult.kind === 'unknown') {
      const fields = { payment_id: payment.payment_id, provider_text: providerResult.text };
      rail.log.warn('an answer of the checkout processor does not fit the payment', fields);
    }
    return providerResult;
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

/** The customer pays in the merchant's frame, and the provider then redirects the page around it (PARENT_WINDOW). */
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
 * The body says 200 for an order that can no longer be paid. It says 500 for an order that was not cancelled, because
 * it was paid or cancelled before (the provider's documentation, Order Cancellation API:
 * https://developer.pesapal.com/how-to-integrate/e-commerce/api-30-json/order-cancellation-api). Only the status call
 * tells these two apart.
 */
export function readCancellation(answer: PesapalAnswer): UnpaidCancellation {
  if (answer.kind === 'account_refused') return { kind: 'not_sent', text: answer.text };
  if (answer.kind !== 'answered') return answer;
  const { status, json, text } = answer;
  if (status === 429) return { kind: 'not_sent', text: 'too many requests' };
  if (status >= 500) return { kind: 'unknown', text: `${String(status)} ${text}` };
  const fault = faultOf(json);
  if (fault) return { kind: 'refused', text: describe(fault) };
  const reported = recordOf(json);
  if (status >= 400 || textOf(reported['status']) !== '200') {
    return { kind: 'unknown', text: `${String(status)} ${text}` };
  }
  return { kind: 'cancelled', text: textOf(reported['message']) };
}
