/** How a payment is shown in a line: what it was about, and how it stands. */
import type { PaymentState } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import { money } from '../format';
import type { Language } from '../language';

/** The colour of a state, beside its word: good, bad, back again, or still open. */
const tones = {
  received: 'open',
  initiating: 'open',
  pending: 'open',
  queued: 'open',
  processing: 'open',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'bad',
  timed_out: 'bad',
  refunded: 'back',
  reversed: 'back',
  returned: 'back',
} as const satisfies Record<PaymentState, string>;

export function toneOf(state: PaymentState): string {
  return tones[state];
}

/** What was asked for, in the merchant's currency. */
export function amountOf(payment: PaymentRow, language: Language): string {
  return money(payment.requested_minor, payment.currency, language);
}

/** All but the last three digits. */
export function maskedPhone(phone: string | null): string {
  return phone === null ? '' : `••• ${phone.slice(-3)}`;
}
