/** The next step for a payment's customer. The failure reason decides where it says more than the state. */
import { NOT_RELEASED, NOT_STARTED, OUTCOME_UNKNOWN, paidOtherwise } from '../../domain/payment';
import type { PaymentKind, PaymentState } from '../../domain/payment';
import type { PaymentRow } from '../../store/tables';
import { body, flag, text, word } from '../../rail-kit/answer-fields';
import { nextSteps, type NextStep, type NextStepFields } from '../../domain/next-steps';
import { holdOf, isPossiblySent } from './on-hold';

const codes = Object.keys(nextSteps) as [NextStep, ...NextStep[]];

/** `next_step` of every answer that reports a payment's status. */
export const nextStepFields = {
  next_step: body({
    code: word(codes, 'What the customer, or the recipient of a payout, should do now', { example: 'paid' }),
    en: text('A sentence for the customer, in English', nextSteps.paid.en),
    sw: text('The sentence in Swahili', nextSteps.paid.sw),
    safe_to_repeat: flag('Whether a second request or payout is safe: nobody can be charged or paid twice', {
      example: nextSteps.paid.safe,
    }),
  }),
};

/** Steps by reason: our code, or the provider's, of a payment that was not paid. */
export type StepsByReason = Readonly<Record<string, NextStep>>;
export type StepsByKind = Readonly<Record<PaymentKind, StepsByReason>>;

const ofState = {
  deposit: {
    received: 'enter_pin',
    initiating: 'enter_pin',
    pending: 'enter_pin',
    queued: 'wait',
    processing: 'wait',
    succeeded: 'paid',
    failed: 'pay_again',
    cancelled: 'pay_again',
    timed_out: 'check_sms_then_pay',
    refunded: 'money_given_back',
    reversed: 'money_given_back',
    returned: 'money_given_back',
  },
  payout: {
    received: 'money_on_its_way',
    initiating: 'money_on_its_way',
    pending: 'money_on_its_way',
    queued: 'money_waits',
    processing: 'money_on_its_way',
    succeeded: 'money_sent',
    failed: 'money_not_sent',
    cancelled: 'money_not_sent',
    timed_out: 'money_unknown',
    refunded: 'money_came_back',
    reversed: 'money_came_back',
    returned: 'money_came_back',
  },
  refund: {
    received: 'refund_on_its_way',
    initiating: 'refund_on_its_way',
    pending: 'refund_on_its_way',
    queued: 'refund_on_its_way',
    processing: 'refund_on_its_way',
    succeeded: 'refund_done',
    failed: 'refund_failed',
    cancelled: 'refund_failed',
    timed_out: 'refund_unknown',
    refunded: 'refund_failed',
    reversed: 'refund_failed',
    returned: 'refund_failed',
  },
} as const satisfies Record<PaymentKind, Record<PaymentState, NextStep>>;

/** Why a network does not take a customer's money, in the codes that all mobile-money rails report. */
export const handsetReasons: StepsByReason = {
  PAYER_NOT_FOUND: 'check_number',
  INSUFFICIENT_BALANCE: 'add_money',
  PAYER_LIMIT_REACHED: 'ask_network',
  WALLET_LIMIT_REACHED: 'ask_network',
  PAYMENT_IN_PROGRESS: 'close_other_prompt',
  PAYMENT_NOT_APPROVED: 'pay_again',
  MANUALLY_CANCELLED: 'pay_again',
  UNSPECIFIED_FAILURE: 'pay_again',
};

/** Our own reasons, the same on every rail: why a submission is refused, and why we end a payment ourselves. */
export const ownReasons: StepsByKind = {
  deposit: {
    [NOT_STARTED]: 'pay_again_later',
    [NOT_RELEASED]: 'pay_again_later',
    [OUTCOME_UNKNOWN]: 'check_sms',
    PROVIDER_UNAVAILABLE: 'pay_again_later',
    PROVIDER_TEMPORARILY_UNAVAILABLE: 'pay_again_later',
    CUSTOMER_BUSY: 'close_other_prompt',
    INVALID_PHONE_NUMBER: 'check_number',
    PROVIDER_NOT_FOUND: 'check_number',
    AMOUNT_OUT_OF_RANGE: 'ask_seller',
    INVALID_AMOUNT: 'ask_seller',
    UNSUPPORTED_CURRENCY: 'ask_seller',
    COUNTRY_NOT_SUPPORTED: 'ask_seller',
    PREAUTH_CODE_REQUIRED: 'ask_seller',
    PROVIDER_REJECTED_REQUEST: 'ask_seller',
    PROVIDER_ACCOUNT_REFUSED: 'ask_seller',
    PROCESSOR_FAILURE: 'pay_again_later',
  },
  payout: {
    [NOT_STARTED]: 'money_not_sent',
    [NOT_RELEASED]: 'money_not_sent',
    [OUTCOME_UNKNOWN]: 'money_unknown',
    INVALID_PHONE_NUMBER: 'check_recipient',
    PROVIDER_NOT_FOUND: 'check_recipient',
  },
  refund: {
    [NOT_STARTED]: 'refund_failed',
    [NOT_RELEASED]: 'refund_failed',
    [OUTCOME_UNKNOWN]: 'refund_unknown',
  },
};

/** The fields that decide the next step. A test, or a page of a future payment, has no amounts. */
type Judged = Pick<PaymentRow, 'kind' | 'state' | 'failure_code' | 'result_code' | 'details'> &
  Partial<Pick<PaymentRow, 'next_check_at' | 'confirmed_minor' | 'instructed_minor'>>;

/** The customer paid less than was requested, or the booked amount differs. */
function stepOfMoney({ kind, state, details, ...of }: Judged): NextStep | undefined {
  if (kind !== 'deposit') return undefined;
  if (state === 'succeeded') {
    const { confirmed_minor: paid, instructed_minor: asked } = of;
    return paid !== null && paid !== undefined && asked !== undefined && BigInt(paid) < BigInt(asked)
      ? 'paid_less'
      : undefined;
  }
  return undecided.includes(state) && details[paidOtherwise] !== undefined ? 'paid_otherwise' : undefined;
}

/** No check is planned any more: an operator's case is open, and only that case ends the payment. */
function stepUnasked({ kind, state, next_check_at: next }: Judged): NextStep | undefined {
  if (next !== null || !asked.includes(state)) return undefined;
  return ({ deposit: 'check_sms', payout: 'money_unknown', refund: 'refund_unknown' } as const)[kind];
}

const asked: readonly PaymentState[] = ['initiating', 'pending', 'queued', 'processing'];
const undecided: readonly PaymentState[] = [...asked, 'timed_out'];
const unhappy: readonly PaymentState[] = ['failed', 'cancelled', 'timed_out'];

/**
 * @param ofRail what the rail's own reasons mean
 * @param instead what the rail says for a step that follows from the state alone
 */
export function nextStepOf(
  payment: Judged,
  ofRail: StepsByKind,
  instead: Partial<Record<NextStep, NextStep>> = {},
): NextStep {
  const { kind, state } = payment;
  const ofMoney = stepOnHold(payment) ?? stepOfMoney(payment) ?? stepUnasked(payment);
  if (ofMoney) return ofMoney;
  const ofReason = unhappy.includes(state) ? stepOfReason(payment, ofRail[kind]) : undefined;
  const step = ofState[kind][state];
  return ofReason ?? instead[step] ?? step;
}

/** A payment that was not sent is not on its way. A restored database does not know what was sent since its copy. */
function stepOnHold(payment: Judged): NextStep | undefined {
  const hold = holdOf(payment);
  if (!hold) return undefined;
  const isDoubted = hold.holdReason === 'LOOKS_PAID' || isPossiblySent(payment);
  if (payment.kind === 'payout') return isDoubted ? 'money_unknown' : 'money_on_hold';
  return isDoubted ? 'refund_unknown' : 'refund_on_hold';
}

/** Our reason comes first: the provider's code may be outdated after 72 hours without an answer. */
function stepOfReason(
  { kind, failure_code: ours, result_code: theirs, details }: Judged,
  ofRail: StepsByReason,
): NextStep | undefined {
  return [ours, details['failure'], theirs]
    .flatMap((code) => [ofRail, ownReasons[kind]].map((steps) => stepIn(steps, code ?? '')))
    .find((step) => step !== undefined);
}

/** Reads the table's own key only, not an inherited property. */
const stepIn = (steps: StepsByReason, code: string) => (Object.hasOwn(steps, code) ? steps[code] : undefined);

export function shownNextStep(step: NextStep): NextStepFields {
  const { safe, en, sw } = nextSteps[step];
  return { next_step: { code: step, en, sw, safe_to_repeat: safe } };
}

/** The next step on any rail: by the rail's rules, and by the state alone where the rail is not served. */
export function nextStepAmong(
  rails: readonly { name: string; nextStep?(payment: PaymentRow): NextStepFields }[],
  payment: PaymentRow,
): NextStepFields {
  const rail = rails.find(({ name }) => name === payment.rail);
  return rail?.nextStep?.(payment) ?? shownNextStep(nextStepOf(payment, ownReasons));
}
