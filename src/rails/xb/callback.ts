import { isFinal } from '../../domain/payment';
import { feeInWords } from '../../payments/moves/fees';
import type { Announcement } from '../../payments/rail/rail';
import { duplicateTold } from '../../payments/record/possible-duplicate';
import type { PaymentRow } from '../../store/tables';
import type { XbWebhook } from './description';
import { invoiceOf } from './responses';

/** The merchant's webhook (specification, Resources): one per ending, and one PROCESSING that another follows. */
export function announce(payment: PaymentRow): Announcement | undefined {
  if (!isFinal(payment.state) && payment.state !== 'processing') return undefined;
  const body: XbWebhook = {
    id: payment.payment_id,
    invoice: invoiceOf(payment),
    ...duplicateTold(payment),
    ...feeInWords(payment),
    ...(payment.corrected === 1 ? { correction: true } : {}),
  };
  return { callbackType: 'Cross-Border', endpoint: 'webhook_url', body };
}
