import { isFinal } from '../../domain/payment';
import { timestamps } from '../../domain/time';
import type { WebhookContent } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import type { StkWebhook } from './description';
import { resultFields } from './responses';
import type { RailBody } from '../../rail-kit/fields';

/** One webhook per final status. */
export function sendsWebhook({ state }: PaymentRow): boolean {
  return isFinal(state);
}

/**
 * The merchant's webhook (specification, Resources, STK push payment), and the same body for changes before the end.
 */
export function webhookOf(payment: PaymentRow, timezone: string): WebhookContent {
  const result = resultFields(payment);
  const body: RailBody<Omit<StkWebhook, 'status'>> & Pick<typeof result, 'status'> = {
    ...result,
    ...(payment.corrected === 1 ? { correction: true } : {}),
    ...timestamps(payment.updated_at, timezone),
  };
  return {
    callbackType: 'STK-Push',
    endpoint: 'webhook_url',
    body,
  };
}
