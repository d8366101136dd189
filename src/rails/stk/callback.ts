import { isFinal } from '../../domain/payment';
import { wallClock } from '../../domain/time';
import type { Announcement } from '../../payments/rail/rail';
import type { PaymentRow } from '../../store/tables';
import { resultFields } from './responses';

/** The merchant's webhook (specification, Resources, STK push payment), sent once for every ending. */
export function announce(payment: PaymentRow, timezone: string): Announcement | undefined {
  if (!isFinal(payment.state)) return undefined;
  return {
    callbackType: 'STK-Push',
    endpoint: 'webhook_url',
    body: {
      ...resultFields(payment),
      ...(payment.corrected === 1 ? { correction: true } : {}),
      timestamp: wallClock(payment.updated_at, timezone),
    },
  };
}
