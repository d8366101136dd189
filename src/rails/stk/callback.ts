import { isFinal } from '../../domain/payment';
import { wallClock } from '../../domain/time';
import type { Announcement } from '../../payments/rail/rail';
import type { PaymentRow } from '../../store/tables';
import type { StkWebhook } from './description';
import { resultFields } from './responses';

/** The merchant's webhook (specification, Resources, STK push payment), sent once for every ending. */
export function announce(payment: PaymentRow, timezone: string): Announcement | undefined {
  const result = resultFields(payment);
  const { status } = result;
  if (!isFinal(payment.state) || status === 'Pending') return undefined;
  const body: StkWebhook = {
    ...result,
    status,
    ...(payment.corrected === 1 ? { correction: true } : {}),
    timestamp: wallClock(payment.updated_at, timezone),
  };
  return {
    callbackType: 'STK-Push',
    endpoint: 'webhook_url',
    body,
  };
}
