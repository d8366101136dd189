/** How a payment is shown: what it was about, how it stands, what to do next, and which of its digits are covered. */
import type { NextStep } from '../../domain/next-steps';
import type { PaymentState } from '../../domain/payment';
import { holdOf } from '../../payments/read/on-hold';
import type { PaymentRow } from '../../store/tables';
import { money, type Language } from '../format';
import type { Word } from '../words';

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

/** How it stands in a word: what is on hold is not being sent. */
export function shownStateOf(payment: PaymentRow): PaymentState | 'on_hold' {
  return holdOf(payment) ? 'on_hold' : payment.state;
}

/** Steps that say more of what happened than the state does. */
const groupsOfSteps: Partial<Record<NextStep, 'on_hold' | 'unknown' | 'timed_out' | 'open'>> = {
  check_sms: 'unknown',
  check_sms_then_pay: 'timed_out',
  try_page_again: 'open',
  money_unknown: 'timed_out',
  refund_unknown: 'timed_out',
  money_on_hold: 'on_hold',
  refund_on_hold: 'on_hold',
};

/** Which sentence says what happened; `sentence.<kind>.<group>` of the catalogue. */
export function sentenceWordOf(payment: PaymentRow, step: NextStep): Word {
  const ofStep = holdOf(payment) && step.endsWith('_unknown') ? 'unknown' : groupsOfSteps[step];
  return `sentence.${payment.kind}.${ofStep ?? groupOf(payment)}` as Word;
}

/** What there is to say of a state: the same of several. */
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

/** What was asked for, in the merchant's currency. */
export function amountOf(payment: PaymentRow, language: Language): string {
  return money(payment.requested_minor, payment.currency, language);
}

/** All but the last three digits. */
export function maskedPhone(phone: string | null): string {
  return phone === null ? '' : `••• ${phone.slice(-3)}`;
}

// What was told of a payment, with all but the last digits of its customer's number covered wherever they stand in it.

/** Fields that name a person, whichever way a rail spells them. */
const personal = /phone|msisdn|email/i;
/** What is left of a number without the country's code, or with a 0 in its place. */
const nationalDigits = 9;

export function maskedIn(text: string, phone: string | null): string {
  const ending = (phone ?? '').replace(/\D/g, '').slice(-nationalDigits);
  if (ending.length < nationalDigits) return text;
  return text.replace(/\d+/g, (digits) => (digits.endsWith(ending) ? maskedPhone(digits) : digits));
}

/** Of a body as JSON, indented. */
export function maskedBody(body: string, phone: string | null): string {
  const covered: unknown = JSON.parse(body, (name, value: unknown) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const told = String(value);
    if (personal.test(name) && told !== '') return maskedPhone(told);
    const masked = maskedIn(told, phone);
    return masked === told ? value : masked;
  });
  return JSON.stringify(covered, null, 2);
}
