/** No page, mail or answer contradicts another: every next-step sentence comes from one table. */
import { nextSteps } from '../../../../src/domain/next-steps';
import { paymentStates, type PaymentKind } from '../../../../src/domain/payment';
import { describePayment } from '../../../../src/cli/payment-text';
import { holdReasons } from '../../../../src/payments/read/on-hold';
import {
  nextStepOf,
  shownNextStep,
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
  { steps: StepsByKind; notify(payment: PaymentRow): ReturnType<typeof shownNextStep> }
> = {
  stk: { steps: stk.stkNextSteps, notify: stk.nextStep },
  xb: { steps: xb.xbNextSteps, notify: xb.nextStep },
  momo: { steps: momo.momoNextSteps, notify: momo.nextStep },
  walletpay: { steps: walletpay.walletpayNextSteps, notify: walletpay.nextStep },
  cardproc: { steps: cardproc.cardprocNextSteps, notify: (payment) => cardproc.nextStep(payment, false) },
  'cardproc, whose page is still open': {
    steps: cardproc.cardprocNextSteps,
    notify: (payment) => cardproc.nextStep(payment, true),
  },
  'a rail that is not served': {
    steps: ownReasons,
    notify: (payment) => shownNextStep(nextStepOf(payment, ownReasons)),
  },
};
const kinds: PaymentKind[] = ['deposit', 'payout', 'refund'];

const emptyTimeline: Timeline = {
  ...{ log: [], attempts: [], notifications: [], ledger: [], webhooks: [], cases: [], refunds: [] },
  ...{ hold: undefined, payoutHold: undefined },
};

/** Everything that a merchant, an operator or a customer reads about it. */
function frontsOf(payment: PaymentRow, reported: ReturnType<typeof shownNextStep>['next_step']) {
  const values = { amount: 'KES 5.00' };
  const word = sentenceWordOf(payment, reported.code);
  return {
    api: `${reported.en} ${reported.sw}`,
    'portal, English': `${translator('en')(word, values)} ${nextSteps[reported.code].merchant.en}`,
    'portal, Swahili': `${translator('sw')(word, values)} ${nextSteps[reported.code].merchant.sw}`,
    'command line': describePayment(payment, emptyTimeline, {
      ...{ workflowUrl: '', nextStep: reported },
      clock: () => '',
    }),
  };
}

/** Forbidden if a repeat may charge twice. */
const invites =
  /You can (?:ask|pay|refund|make|start|offer|request)|you can ask|Unaweza ku(?!kabidhi)|unaweza kuomba|Nothing was booked|is available again|Hakuna kilichoandikwa|(?<!NOT )safe to repeat/;
/** Forbidden if nothing was sent. */
const onItsWay = /is being sent|on its way|zinatumwa|njiani/;
const untrue = /a person looks|A person|mtu anachunguza|No answer from the customer in time/;

const cases = Object.entries(rails).flatMap(([rail, { steps, notify }]) =>
  kinds.flatMap((kind) =>
    paymentStates.flatMap((state) =>
      [null, ...Object.keys({ ...ownReasons[kind], ...steps[kind] })].map((code) => {
        const isOurs = code !== null && Object.hasOwn(ownReasons[kind], code);
        const payment = rowOfPayment({
          ...{ rail, kind, state },
          ...(isOurs ? { failure_code: code } : { result_code: code }),
        });
        return { rail, kind, state, code, payment, reported: notify(payment).next_step };
      }),
    ),
  ),
);

describe('the next step', () => {
  it('never invites to repeat a request if the API says that this is not safe', () => {
    const wrong = cases
      .filter(({ reported }) => !reported.safe_to_repeat)
      .flatMap(({ rail, kind, state, code, payment, reported }) =>
        Object.entries(frontsOf(payment, reported))
          .filter(([, text]) => invites.test(text))
          // A returned payout is over, and its money belongs to the merchant: the state shows it.
          .map(
            ([front, text]) =>
              `${rail} ${kind} ${state} ${String(code)} (${reported.code}), ${front}: ${text}`,
          ),
      );
    expect(wrong).toEqual([]);
  });

  it('never says of an unknown outcome that nothing was booked, that an operator reviews it, or that the customer did not answer', () => {
    const unknown = cases.filter(({ code, state }) => code === 'OUTCOME_UNKNOWN' && state === 'timed_out');
    expect(unknown.length).toBeGreaterThan(10);
    for (const { rail, kind, payment, reported } of unknown) {
      const all = Object.values(frontsOf(payment, reported)).join(' ');
      expect(all).not.toMatch(/Nothing was booked|You can (?:ask|request)/);
      expect(all).not.toMatch(untrue);
      // An order that was not approved is known to be unpaid: its provider said so, and its page is closed.
      if (rail === 'walletpay' && kind === 'deposit') continue;
      expect(reported.safe_to_repeat).toBe(false);
    }
  });

  it('of a payout or refund on hold never says that the money is on its way, whatever the reason', () => {
    for (const { notify } of Object.values(rails))
      for (const kind of ['payout', 'refund'] as const)
        for (const state of ['received', 'initiating'] as const)
          for (const reason of holdReasons) {
            const payment = rowOfPayment({ kind, state, details: { on_hold: reason, held_until: '' } });
            const reported = notify(payment).next_step;
            expect(reported.safe_to_repeat).toBe(false);
            expect(shownStateOf(payment)).toBe('on_hold');
            for (const text of Object.values(frontsOf(payment, reported))) expect(text).not.toMatch(onItsWay);
          }
  });

  it('has a sentence for the merchant in each language, and they differ', () => {
    for (const { merchant } of Object.values(nextSteps)) {
      for (const sentence of Object.values(merchant)) expect(sentence).toMatch(/^[A-Z].{10,250}\.$/);
      expect(merchant.en).not.toBe(merchant.sw);
    }
  });
});
