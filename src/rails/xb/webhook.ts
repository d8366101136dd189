import { isFinal } from '../../domain/payment';
import { feeInWords } from '../../payments/transition/fees';
import type { WebhookContent } from '../../rail-kit/rail';
import { shownDuplicate } from '../../payments/read/duplicates';
import type { PaymentRow } from '../../store/tables';
import type { XbWebhook } from './description';
import { invoiceOf } from './responses';
import type { RailBody } from '../../rail-kit/fields';

/** One webhook per final status, and one PROCESSING, after which another follows. */
export function sendsWebhook({ state }: PaymentRow): boolean {
  return isFinal(state) || state === 'processing';
}

/** The merchant's webhook (specification, Resources). */
export function webhookOf(payment: PaymentRow): WebhookContent {
  const body: RailBody<XbWebhook> = {
    id: payment.payment_id,
    invoice: invoiceOf(payment),
    ...shownDuplicate(payment),
    ...feeInWords(payment),
    ...(payment.corrected === 1 ? { correction: true } : {}),
  };
  return { callbackType: 'Cross-Border', endpoint: 'webhook_url', body };
}
