/** No front says of a payment what another contradicts: every sentence about what to do next comes from one table. */
import { nextSteps } from '../../../../src/domain/next-steps';
import { paymentStates, type PaymentKind } from '../../../../src/domain/payment';
import { describePayment } from '../../../../src/cli/payment-text';
import { holdReasons } from '../../../../src/payments/read/on-hold';
import {
  nextStepOf,
  nextStepTold,
  ownReasons,
  type StepsByKind,
} from '../../../../src/payments/read/next-step';
import { sentenceWordOf, shownStateOf } from '../../../../src/portal/pages/payment-words';
import { translator } from '../../../../src/portal/words';
import * as cardproc from '../../../../src/rails/cardproc/status';
import * as momo from '../../../../src/rails/momo/status';
import * as stk from '../../../../src/rails/stk/status';
import * as walletpay from '../../../../src/rails/walletpay/status';
import * as xb from '../../../../src/rails/xb/status';
import type { Timeline } from '../../../../src/payments/read/timeline';
import type { PaymentRow } from '../../../../src/store/tables';
import { rowOfPayment } from '../../../support/payment-row';

const rails: Record<
  string,
  { steps: StepsByKind; tell(payment: PaymentRow): ReturnType<typeof nextStepTold> }
> = {
  stk: { steps: stk.stkNextSteps, tell: stk.nextStep },
  xb: { steps: xb.xbNextSteps, tell: xb.nextStep },
  momo: { steps: momo.momoNextSteps, tell: momo.nextStep },
  walletpay: { steps: walletpay.walletpayNextSteps, tell: walletpay.nextStep },
  cardproc: { steps: cardproc.cardprocNextSteps, tell: (payment) => cardproc.nextStep(payment, false) },
  'cardproc, whose page is still open': {
    steps: cardproc.cardprocNextSteps,
    tell: (payment) => cardproc.nextStep(payment, true),
  },
  'a rail that is not served': {
    steps: ownReasons,
    tell: (payment) => nextStepTold(nextStepOf(payment, ownReasons)),
  },
};
const kinds: PaymentKind[] = ['deposit', 'payout', 'refund'];

const emptyTimeline: Timeline = {
  ...{ log: [], attempts: [], notifications: [], ledger: [], webhooks: [], cases: [], refunds: [] },
  ...{ hold: undefined, payoutHold: undefined },
};

/** Everything a merchant, an operator or a customer reads about it. */
function frontsOf(payment: PaymentRow, told: ReturnType<typeof nextStepTold>['next_step']) {
  const values = { amount: 'KES 5.00' };
  const word = sentenceWordOf(payment, told.code);
  return {
    api: `${told.en} ${told.sw}`,
    'portal, English': `${translator('en')(word, values)} ${nextSteps[told.code].merchant.en}`,
    'portal, Swahili': `${translator('sw')(word, values)} ${nextSteps[told.code].merchant.sw}`,
    'command line': describePayment(payment, emptyTimeline, {
      ...{ workflowUrl: '', nextStep: told },
      clock: () => '',
    }),
  };
}

/** What nobody may read where asking again may make somebody pay twice. */
const invites =
  /You can (?:ask|pay|refund|make|start|offer)|you can ask|Unaweza ku(?!kabidhi)|unaweza kuomba|Nothing was booked|Hakuna kilichoandikwa|is yours again|ni chako tena|(?<!NOT )safe to repeat/;
/** What nobody may read where nothing was sent. */
const onItsWay = /is being sent|on its way|zinatumwa|njiani/;
const untrue = /a person looks|A person|mtu anachunguza|No answer from the customer in time/;

const cases = Object.entries(rails).flatMap(([rail, { steps, tell }]) =>
  kinds.flatMap((kind) =>
    paymentStates.flatMap((state) =>
      [null, ...Object.keys({ ...ownReasons[kind], ...steps[kind] })].map((code) => {
        const isOurs = code !== null && Object.hasOwn(ownReasons[kind], code);
        const payment = rowOfPayment({
          ...{ rail, kind, state },
          ...(isOurs ? { failure_code: code } : { result_code: code }),
        });
        return { rail, kind, state, code, payment, told: tell(payment).next_step };
      }),
    ),
  ),
);

describe('what to do next', () => {
  it('is never an invitation on any front where the API says that it is not safe to repeat', () => {
    const wrong = cases
      .filter(({ told }) => !told.safe_to_repeat)
      .flatMap(({ rail, kind, state, code, payment, told }) =>
        Object.entries(frontsOf(payment, told))
          .filter(([, text]) => invites.test(text))
          // A payout that came back is over, and its money is the merchant's: the state says it.
          .map(
            ([front, text]) => `${rail} ${kind} ${state} ${String(code)} (${told.code}), ${front}: ${text}`,
          ),
      );
    expect(wrong).toEqual([]);
  });

  it('never says of an unknown outcome that nothing was booked, that somebody looks, or that the customer did not answer', () => {
    const unknown = cases.filter(({ code, state }) => code === 'OUTCOME_UNKNOWN' && state === 'timed_out');
    expect(unknown.length).toBeGreaterThan(10);
    for (const { rail, kind, payment, told } of unknown) {
      const all = Object.values(frontsOf(payment, told)).join(' ');
      expect(all).not.toMatch(/Nothing was booked|You can ask again/);
      expect(all).not.toMatch(untrue);
      // An order that nobody approved is known to be unpaid: its provider said so, and its page is closed.
      if (!(rail === 'walletpay' && kind === 'deposit')) expect(told.safe_to_repeat).toBe(false);
    }
  });

  it('of a payout or a refund on hold is not that the money is on its way, whatever the reason', () => {
    for (const { tell } of Object.values(rails))
      for (const kind of ['payout', 'refund'] as const)
        for (const state of ['received', 'initiating'] as const)
          for (const reason of holdReasons) {
            const payment = rowOfPayment({ kind, state, details: { held_back: reason, held_until: '' } });
            const told = tell(payment).next_step;
            expect(told.safe_to_repeat).toBe(false);
            expect(shownStateOf(payment)).toBe('on_hold');
            for (const text of Object.values(frontsOf(payment, told))) expect(text).not.toMatch(onItsWay);
          }
  });

  it('has a sentence for the merchant in each language, and they differ', () => {
    for (const { merchant } of Object.values(nextSteps)) {
      for (const sentence of Object.values(merchant)) expect(sentence).toMatch(/^[A-Z].{10,250}\.$/);
      expect(merchant.en).not.toBe(merchant.sw);
    }
  });
});
