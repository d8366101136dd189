import { isFinal } from '../../domain/payment';
import { feeInWords } from '../../payments/transition/fees';
import type { Announcement } from '../../rail-kit/rail';
import { duplicateTold } from '../../payments/read/duplicates';
import type { PaymentRow } from '../../store/tables';
import type { XbWebhook } from './description';
import { invoiceOf } from './responses';
import type { RailBody } from '../../rail-kit/fields';

/** One webhook per ending, and one PROCESSING that another follows. */
export function announces({ state }: PaymentRow): boolean {
  return isFinal(state) || state === 'processing';
}

/** The merchant's webhook (specification, Resources). */
export function tell(payment: PaymentRow): Announcement {
  const body: RailBody<XbWebhook> = {
    id: payment.payment_id,
    invoice: invoiceOf(payment),
    ...duplicateTold(payment),
    ...feeInWords(payment),
    ...(payment.corrected === 1 ? { correction: true } : {}),
  };
  return { callbackType: 'Cross-Border', endpoint: 'webhook_url', body };
}
