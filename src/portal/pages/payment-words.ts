/** How pages show a payment: its status, amount and sentence, with masked phone numbers. */
import type { NextStep } from '../../domain/next-steps';
import type { PaymentState } from '../../domain/payment';
import { holdOf } from '../../payments/read/on-hold';
import type { PaymentRow } from '../../store/tables';
import { money, type Language } from '../format';
import type { Word } from '../words';

/** The colour of a state: good, bad, refunded or returned (`back`), or open. */
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

/** The state to show; a payment on hold is shown as `on_hold`. */
export function shownStateOf(payment: PaymentRow): PaymentState | 'on_hold' {
  return holdOf(payment) ? 'on_hold' : payment.state;
}

/** Next steps that are more exact than the state. */
const groupsOfSteps: Partial<Record<NextStep, 'on_hold' | 'unknown' | 'timed_out' | 'open'>> = {
  check_sms: 'unknown',
  check_sms_then_pay: 'timed_out',
  try_page_again: 'open',
  money_unknown: 'timed_out',
  refund_unknown: 'timed_out',
  money_on_hold: 'on_hold',
  refund_on_hold: 'on_hold',
};

/** The word of the sentence about the payment, `sentence.<kind>.<group>`. */
export function sentenceWordOf(payment: PaymentRow, step: NextStep): Word {
  const ofStep = holdOf(payment) && step.endsWith('_unknown') ? 'unknown' : groupsOfSteps[step];
  return `sentence.${payment.kind}.${ofStep ?? groupOf(payment)}` as Word;
}

/** The group of a state; several states share a sentence. */
function groupOf({ state }: PaymentRow) {
  switch (state) {
    case 'received':
    case 'initiating':
      return 'begun';
    case 'pending':
    case 'processing':
      return 'waiting';
    case 'failed':
    case 'cancelled':
    case 'timed_out':
    case 'queued':
    case 'succeeded':
      return state;
    case 'refunded':
    case 'reversed':
    case 'returned':
      return 'back';
  }
}

/** The requested amount, in the merchant's currency. */
export function amountOf(payment: PaymentRow, language: Language): string {
  return money(payment.requested_minor, payment.currency, language);
}

/** Masks all but the last three digits. */
export function maskedPhone(phone: string | null): string {
  return phone === null ? '' : `••• ${phone.slice(-3)}`;
}

// Masks the customer's number in texts and bodies about a payment, except its last digits.

/** Fields with personal data, in the spelling of any rail. */
const personal = /phone|msisdn|email/i;
/** The number of digits without the country code or the leading 0. */
const nationalDigits = 9;

export function maskedIn(text: string, phone: string | null): string {
  const ending = (phone ?? '').replace(/\D/g, '').slice(-nationalDigits);
  if (ending.length < nationalDigits) return text;
  return text.replace(/\d+/g, (digits) => (digits.endsWith(ending) ? maskedPhone(digits) : digits));
}

/** Masks a JSON body and indents it. */
export function maskedBody(body: string, phone: string | null): string {
  const covered: unknown = JSON.parse(body, (name, value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const reported = String(value);
    if (personal.test(name) && reported !== '') return maskedPhone(reported);
    const masked = maskedIn(reported, phone);
    return masked === reported ? value : masked;
  });
  return JSON.stringify(covered, null, 2);
}
