import { isFinal } from '../../domain/payment';
import { timestamps } from '../../domain/time';
import type { Announcement } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import type { StkWebhook } from './description';
import { resultFields } from './responses';
import type { RailBody } from '../../rail-kit/fields';

/** The webhook is sent once for every ending. */
export function announces({ state }: PaymentRow): boolean {
  return isFinal(state);
}

/** The merchant's webhook (specification, Resources, STK push payment), and before the end what it would be. */
export function tell(payment: PaymentRow, timezone: string): Announcement {
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
