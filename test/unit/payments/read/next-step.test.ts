import { paymentStates, type PaymentKind } from '../../../../src/domain/payment';
import {
  nextStepOf,
  shownNextStep,
  ownReasons,
  type StepsByKind,
} from '../../../../src/payments/read/next-step';
import { nextSteps, type NextStep } from '../../../../src/domain/next-steps';
import { servedApi } from '../../../../tools/docs-site/served-api';
import {
  errorCodes as momoErrorCodes,
  reportedCodes,
} from '../../../../src/rails/momo/providers/pawapay/failure-codes';
import { meanings } from '../../../../src/rails/cardproc/providers/pesapal/submission';
import { cardprocNextSteps } from '../../../../src/rails/cardproc/status';
import { momoNextSteps } from '../../../../src/rails/momo/status';
import { errorCodes as stkErrorCodes } from '../../../../src/rails/stk/providers/daraja/answers';
import { stkResult } from '../../../../src/rails/stk/providers/daraja/result-codes';
import { stkNextSteps } from '../../../../src/rails/stk/status';
import { captureIssues } from '../../../../src/rails/walletpay/providers/paypal/capture-issues';
import { orderErrorCodes } from '../../../../src/rails/walletpay/providers/paypal/error-codes';
import { walletpayNextSteps } from '../../../../src/rails/walletpay/status';
import { xbNextSteps } from '../../../../src/rails/xb/status';

const kinds: PaymentKind[] = ['deposit', 'payout', 'refund'];
const ofRails: Record<string, StepsByKind> = {
  stk: stkNextSteps,
  xb: xbNextSteps,
  momo: momoNextSteps,
  walletpay: walletpayNextSteps,
  cardproc: cardprocNextSteps,
};
const ended = (kind: PaymentKind, state: 'failed' | 'cancelled' | 'timed_out', code: string) => ({
  ...{ kind, state, failure_code: null, result_code: code, details: {} },
});

/** Words in our tables that are not final. */
const noEnds = ['not_sent', 'unknown', 'again', 'unknown_address'];
const unhappy = (means: string) => ['failed', 'cancelled', 'timed_out'].includes(means);

/** Only for payouts and refunds. */
const ofOtherKinds = [
  'RECIPIENT_NOT_FOUND',
  'RECIPIENT_LIMIT_REACHED',
  'AMOUNT_TOO_LARGE',
  'DEPOSIT_ALREADY_REFUNDED',
  'REFUND_IN_PROGRESS',
  'INSUFFICIENT_FLOAT',
  // The error codes of a refund.
  'PAYMENT_NOT_FOUND',
  'DEPOSIT_NOT_COMPLETED',
  'REFUND_EXCEEDS_REMAINDER',
];

/** The final codes of a collection, by rail. */
const codesOf: Record<string, string[]> = {
  stk: [
    ...Object.entries(stkResult).flatMap(([code, { means }]) => (unhappy(means) ? [code] : [])),
    ...stkErrorCodes.map(({ means }) => means),
  ],
  xb: ['FAILED_VALIDATE', 'CANCELLED', '1', '1032', '1037', '2001', 'INVALID_PHONE_NUMBER'],
  momo: [...reportedCodes, ...Object.values(momoErrorCodes)].filter((code) => !ofOtherKinds.includes(code)),
  walletpay: [
    ...Object.entries(captureIssues).flatMap(([issue, means]) =>
      /^(?:failed|paid_elsewhere)/.test(means) ? [issue] : [],
    ),
    ...Object.values(orderErrorCodes),
  ],
  cardproc: meanings.map(({ means }) => means),
};

const otherwise = { details: { paid_otherwise: '99 KES' } };
const unasked = { next_check_at: null };

describe('the next step', () => {
  it('exists for every state of every kind on every rail', () => {
    for (const steps of Object.values(ofRails))
      for (const kind of kinds)
        for (const state of paymentStates) {
          const step = nextStepOf({ kind, state, failure_code: null, result_code: null, details: {} }, steps);
          expect(nextSteps).toHaveProperty(step);
        }
  });

  it.each(Object.entries(codesOf))('is chosen for every final code of a collection of %s', (rail, codes) => {
    const listed = { ...ownReasons.deposit, ...ofRails[rail]?.deposit };
    expect(codes.filter((code) => !noEnds.includes(code) && !Object.hasOwn(listed, code))).toEqual([]);
  });

  it("is in every rail's status answer", () => {
    const mailing = servedApi().map(({ name, endpoints }) => ({
      name,
      paths: endpoints.flatMap(({ path, about }) =>
        JSON.stringify(about.answer.describe()).includes('"next_step"') ? [path] : [],
      ),
    }));
    expect(mailing.filter(({ paths }) => paths.length === 0)).toEqual([]);
    expect(mailing.flatMap(({ paths }) => paths)).toEqual(
      expect.arrayContaining([
        '/api/cardproc/transaction_status.php',
        '/api/v1/momo/bulk_payout',
        '/api/v1/momo/status',
        '/api/v1/payments',
        '/api/v1/payments/:payment_id',
        '/api/v1/stk_push/status',
        '/api/v1/walletpay/bulk_payout',
        '/api/v1/walletpay/order_status',
        '/api/v1/walletpay/payout_status',
        '/api/v1/walletpay/refund_status',
        '/api/v1/xb/stk_push/status',
      ]),
    );
  });

  it.each<[string, Partial<Parameters<typeof nextStepOf>[0]>, NextStep]>([
    ['what was paid in full', { confirmed_minor: '100' }, 'paid'],
    ['what was paid with more', { confirmed_minor: '101' }, 'paid'],
    ['what was paid in part', { confirmed_minor: '99' }, 'paid_less'],
    ['money of another amount that is not booked', { state: 'pending', ...otherwise }, 'paid_otherwise'],
    ['the same after the time was over', { state: 'timed_out', ...otherwise }, 'paid_otherwise'],
    ['the same once an operator has ended it', { state: 'failed', ...otherwise }, 'pay_again'],
    ['a deposit that nobody asks about any more', { state: 'pending', ...unasked }, 'check_sms'],
    ['such a payout', { kind: 'payout', state: 'pending', ...unasked }, 'money_unknown'],
    ['such a refund', { kind: 'refund', state: 'processing', ...unasked }, 'refund_unknown'],
    ['a payout that is asked about', { kind: 'payout', state: 'pending' }, 'money_on_its_way'],
  ])('of %s is correct', (_what, of, step) => {
    const none = { failure_code: null, result_code: null, details: {} };
    const amounts = { confirmed_minor: null, instructed_minor: '100', next_check_at: new Date() };
    const payment = { kind: 'deposit', state: 'succeeded', ...none, ...amounts, ...of } as const;
    expect(nextStepOf(payment, ownReasons)).toBe(step);
    expect(nextSteps[step].safe).toBe(step === 'pay_again');
  });

  it.each<[string, PaymentKind, 'failed' | 'cancelled' | 'timed_out', string, NextStep]>([
    ['xb', 'deposit', 'failed', 'TIMED_OUT', 'check_sms_then_pay'],
    ['xb', 'deposit', 'failed', '1019', 'check_sms_then_pay'],
    ['stk', 'deposit', 'failed', '1', 'add_money'],
    ['stk', 'deposit', 'cancelled', '1032', 'pay_again'],
    ['stk', 'deposit', 'timed_out', '1037', 'check_sms_then_pay'],
    ['stk', 'deposit', 'timed_out', 'OUTCOME_UNKNOWN', 'check_sms'],
    ['stk', 'deposit', 'failed', 'never heard of', 'pay_again'],
    ['stk', 'deposit', 'failed', 'toString', 'pay_again'],
    ['xb', 'deposit', 'failed', 'PAYER_LIMIT_REACHED', 'ask_network'],
    ['momo', 'payout', 'failed', 'RECIPIENT_NOT_FOUND', 'check_recipient'],
    ['momo', 'refund', 'failed', 'RECIPIENT_NOT_FOUND', 'refund_failed'],
    ['walletpay', 'deposit', 'timed_out', 'OUTCOME_UNKNOWN', 'start_over'],
    ['cardproc', 'deposit', 'timed_out', 'OUTCOME_UNKNOWN', 'check_sms_then_pay'],
  ])('of %s: a %s that is %s with %s: %s', (rail, kind, state, code, step) => {
    expect(nextStepOf(ended(kind, state, code), ofRails[rail] as StepsByKind)).toBe(step);
  });

  it('uses our reason until the provider has one, and none once the money has arrived after all', () => {
    const both = { ...ended('deposit', 'timed_out', '1032'), failure_code: 'OUTCOME_UNKNOWN' };
    expect(nextStepOf(both, stkNextSteps)).toBe('check_sms');
    expect(nextStepOf({ ...both, state: 'succeeded' }, stkNextSteps)).toBe('paid');
  });

  it('never says that a repeat is safe for a payment that may still be paid, or is', () => {
    const notOver = paymentStates.filter(
      (state) => !['failed', 'cancelled', 'timed_out', 'returned'].includes(state),
    );
    for (const [, steps] of Object.entries(ofRails))
      for (const state of notOver) {
        const payment = {
          kind: 'deposit',
          state,
          failure_code: null,
          result_code: '1',
          details: {},
        } as const;
        expect(shownNextStep(nextStepOf(payment, steps)).next_step.safe_to_repeat).toBe(false);
      }
    expect(shownNextStep('check_sms').next_step.safe_to_repeat).toBe(false);
  });

  it('is a sentence in each language, and they differ', () => {
    for (const { en, sw } of Object.values(nextSteps)) {
      for (const sentence of [en, sw]) expect(sentence).toMatch(/^[A-Z].{10,200}\.$/);
      expect(en).not.toBe(sw);
    }
  });
});
