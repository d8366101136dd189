import { isFinal } from '../../domain/payment';
import type { RailBody } from '../../rail-kit/fields';
import type { WebhookContent } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import type { ToyWebhook } from './description';
import { resultOf } from './responses';

/** One webhook per final status. */
export const sendsWebhook = ({ state }: PaymentRow) => isFinal(state);

export function webhookOf(payment: PaymentRow): WebhookContent {
  const body: RailBody<ToyWebhook> = resultOf(payment);
  return { callbackType: 'Toy', endpoint: 'webhook_url', body };
}
