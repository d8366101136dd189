import { parse } from 'lossless-json';
import type { Environment } from '../../config';
import { amountAsNumber, formatAmount } from '../../domain/money';
import { compactMoment, networkZone } from '../../domain/time';
import { shownDuplicate } from '../../payments/read/duplicates';
import { shownFee } from '../../payments/transition/fees';
import type { PaymentRow } from '../../store/tables';
import type { StkAccepted, StkResult, StkStatus } from './description';
import { nextStep, resultOf, stkStatus } from './status';

const amountsOf = ({ requested_minor, instructed_minor, currency }: PaymentRow) => ({
  initial_amount: amountAsNumber(BigInt(requested_minor), currency),
  asked_amount: amountAsNumber(BigInt(instructed_minor), currency),
});

/** The answer to POST /api/v1/stk_push (specification). A value that is not known yet is an empty text. */
export function acceptedBody(payment: PaymentRow, environment: Environment): StkAccepted {
  const cents = withoutCents(payment);
  return {
    success: true,
    ...(cents === undefined || environment === 'live' ? {} : { warnings: [cents] }),
    message: `${
      payment.provider_reference === null
        ? 'Payment accepted; the prompt is being sent. A webhook reports the result'
        : 'STK push sent. A webhook reports the result'
    }${cents === undefined ? '' : `. ${cents}`}`,
    data: {
      payment_id: payment.payment_id,
      merchant_request_id: payment.details['merchant_request_id'] ?? '',
      checkout_request_id: payment.provider_reference ?? '',
      customer_message: payment.details['customer_message'] ?? '',
      amount: amountAsNumber(BigInt(payment.requested_minor), payment.currency),
      ...amountsOf(payment),
      phone_number: payment.phone_number ?? '',
      order_id: payment.order_id ?? '',
    },
  };
}

/** The network accepts whole shillings, and the prompt never asks for more than the merchant requested. */
function withoutCents({ requested_minor: requested, instructed_minor: instructed, currency }: PaymentRow) {
  if (requested === instructed) return undefined;
  const [asked, wanted] = [instructed, requested].map((minor) => formatAmount(BigInt(minor), currency));
  return `The prompt asks for ${asked ?? ''} ${currency} of the requested ${wanted ?? ''}: the network accepts only whole shillings`;
}

/** The network's local time as reported, and the same time in UTC. */
function paidAt(text: string) {
  const at = compactMoment(text, networkZone);
  return { transaction_date: text, ...(at && { transaction_date_utc: at.toISOString() }) };
}

/** The common fields of the webhook and the status (specification, Resources, STK push payment). */
export function resultFields(payment: PaymentRow): StkResult {
  const { code, text } = resultOf(payment);
  return {
    payment_id: payment.payment_id,
    merchant_request_id: payment.details['merchant_request_id'] ?? '',
    checkout_request_id: payment.provider_reference ?? '',
    status: stkStatus[payment.state],
    result_code: code,
    result_description: text,
    ...amountsOf(payment),
    actual_amount: amountAsNumber(BigInt(payment.confirmed_minor ?? 0), payment.currency),
    ...shownFee(payment),
    mm_receipt_number: payment.provider_receipt ?? '',
    ...paidAt(payment.details['transaction_date'] ?? ''),
    phone_number: payment.phone_number ?? '',
    payer_phone: payment.details['payer_phone'] ?? '',
    // The provider reports no payer name on this rail.
    payer_name: '',
    account_reference: payment.account_reference ?? '',
    order_id: payment.order_id ?? '',
    ...shownDuplicate(payment),
    sequence: payment.sequence,
  };
}

/** GET /api/v1/stk_push/status: the webhook's current fields, and the merchant's metadata. */
export function statusBody(payment: PaymentRow): StkStatus {
  return {
    success: true,
    data: {
      ...resultFields(payment),
      is_final: payment.is_final === 1,
      ...nextStep(payment),
      correction: payment.corrected === 1,
      metadata: payment.metadata === null ? null : (parse(payment.metadata) as object),
      created_at: payment.created_at.toISOString(),
      updated_at: payment.updated_at.toISOString(),
    },
  };
}
