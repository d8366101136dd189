import { base32OfUuid } from '../../domain/base32';
import { exponentOf } from '../../domain/money';
import { shownDuplicate } from '../../payments/read/duplicates';
import { feeInWords } from '../../payments/transition/fees';
import type { PaymentRow } from '../../store/tables';
import type { XbAccepted, XbInvoice, XbStatus } from './description';
import { nextStep, xbState } from './status';

/**
 * Our own id, known before the provider is asked. A merchant without a reference of its own matches the webhook by the
 * id in the answer to its request. The provider's id may arrive after that answer, so it cannot be this id.
 */
export function invoiceIdOf({ payment_id: paymentId }: PaymentRow): string {
  return base32OfUuid(paymentId);
}

/** The answer to POST /api/v1/xb/stk_push (specification): always PENDING, whatever happened since. */
export function acceptedBody(payment: PaymentRow): XbAccepted {
  return {
    success: true,
    data: {
      invoice_id: invoiceIdOf(payment),
      state: 'PENDING',
      api_ref: payment.account_reference ?? '',
    },
  };
}

/** The ids of a rejected payment, and that it has ended. */
export function namesOf(payment: PaymentRow): Record<string, string> {
  return {
    invoice_id: invoiceIdOf(payment),
    api_ref: payment.account_reference ?? '',
    state: xbState(payment),
  };
}

/** The `invoice` object (specification, Resources, cross-border STK payment). */
export function invoiceOf(payment: PaymentRow): XbInvoice {
  const { details } = payment;
  return {
    invoice_id: invoiceIdOf(payment),
    state: xbState(payment),
    value: wholeUnits(payment.confirmed_minor ?? payment.requested_minor, payment),
    api_ref: payment.account_reference ?? '',
    currency: payment.currency,
    // The id in a network's own system is not unique across networks, so it is no receipt of the rail.
    mm_reference: payment.provider_receipt ?? details['provider_transaction_id'] ?? '',
    charges: details['charges'] ?? '',
    net_amount: details['net_amount'] ?? '',
  };
}

export function statusBody(payment: PaymentRow): XbStatus {
  return {
    success: true,
    data: {
      id: payment.payment_id,
      invoice: invoiceOf(payment),
      ...shownDuplicate(payment),
      ...feeInWords(payment),
      is_final: payment.is_final === 1,
      ...nextStep(payment),
      correction: payment.corrected === 1,
      failure_reason: payment.is_final === 1 && payment.state !== 'succeeded' ? payment.result_text : null,
      phone_number: payment.phone_number ?? '',
      sequence: payment.sequence,
      created_at: payment.created_at.toISOString(),
      updated_at: payment.updated_at.toISOString(),
    },
  };
}

/** A whole-number text, as `value` in the specification. */
function wholeUnits(minor: string, { currency }: PaymentRow): string {
  return (BigInt(minor) / 10n ** BigInt(exponentOf(currency))).toString();
}
