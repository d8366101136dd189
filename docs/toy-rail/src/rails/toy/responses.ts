import { amountAsNumber } from '../../domain/money';
import { shownFee } from '../../payments/transition/fees';
import type { PaymentRow } from '../../store/tables';
import type { ToyCreated, ToyResult, ToyStatus } from './description';
import { nextStep, toyStatus } from './status';

export function createdBody({ payment_id }: PaymentRow): ToyCreated {
  return { success: true, data: { payment_id } };
}

/** The fields that the webhook and the status share. */
export function resultOf(payment: PaymentRow): ToyResult {
  return {
    payment_id: payment.payment_id,
    status: toyStatus(payment),
    amount: amountAsNumber(BigInt(payment.requested_minor), payment.currency),
    ...shownFee(payment),
    order_id: payment.order_id ?? '',
    sequence: payment.sequence,
  };
}

export function statusBody(payment: PaymentRow): ToyStatus {
  return {
    success: true,
    data: { ...resultOf(payment), is_final: payment.is_final === 1, ...nextStep(payment) },
  };
}
