import { formatAmount } from '../../domain/money';
import { isFinal } from '../../domain/payment';
import { feeInWords } from '../../payments/transition/fees';
import type { WebhookContent } from '../../rail-kit/rail';
import { shownDuplicate } from '../../payments/read/duplicates';
import type { PaymentRow } from '../../store/tables';
import type { MomoCallback } from './description';
import { failureOf, paidMinorOf, shownReturn } from './responses';
import { momoWords } from './status';
import type { RailBody } from '../../rail-kit/fields';

/**
 * One callback per final status, and one `Processing` when a payout is queued, which is neither success nor failure.
 */
export function sendsWebhook({ kind, state }: PaymentRow): boolean {
  return isFinal(state) || (kind === 'payout' && state === 'queued');
}

/** The merchant's callback (specification, Resources, mobile money callback payload). */
export function webhookOf(payment: PaymentRow): WebhookContent {
  const body: RailBody<MomoCallback> = {
    transaction_id: payment.payment_id,
    type: payment.kind,
    status: momoWords[payment.state].paymentStatus,
    provider: payment.provider,
    country: payment.details['country'] ?? '',
    currency: payment.currency,
    requested_amount: formatAmount(BigInt(payment.requested_minor), payment.currency),
    amount: formatAmount(BigInt(paidMinorOf(payment) ?? 0), payment.currency),
    ...shownReturn(payment),
    ...feeInWords(payment),
    phone_number: payment.phone_number ?? '',
    provider_transaction_id: payment.details['provider_transaction_id'] ?? '',
    account_reference: payment.account_reference ?? '',
    ...failureOf(payment),
    ...shownDuplicate(payment),
    ...(payment.corrected === 1 ? { correction: true } : {}),
    updated_at: payment.updated_at.toISOString(),
    timestamp: payment.updated_at.toISOString(),
  };
  return { callbackType: 'Mobile-Money', endpoint: 'callback_url', sentAtField: 'timestamp', body };
}
