/** Properties of the decision for all possible provider results, in any order, with any repeats. */
import fc from 'fast-check';
import type { ReviewCause } from '../../../../src/domain/commands';
import type { ProviderResult } from '../../../../src/domain/outcome';
import { exits, isFinal, paymentStates, type PaymentState } from '../../../../src/domain/payment';
import { decide, wantsAnswer, type Facts } from '../../../../src/payments/resolve/decide';
import {
  asked,
  cancelled,
  confirmed,
  doubtful,
  facts,
  failed,
  open,
  paid,
  timedOut,
  unknown,
} from '../../../support/payments/evidence';

/** One event of a payment: a notification arrives, or a review runs and the provider may answer. */
type Event = { providerEvent: ProviderResult } | { cause: ReviewCause; answer: ProviderResult };

interface Payments {
  state: PaymentState;
  amountMinor: bigint | undefined;
  credits: number;
}

/** Runs the events as `review` does: unread ones are read together with the next answer. */
function live(events: Event[], changes: Partial<Facts> = {}): Payments {
  let known = facts({ ...changes, providerEvents: [] });
  let credits = 0;
  events.forEach((event, index) => {
    const cause = 'providerEvent' in event ? 'notification' : event.cause;
    if ('providerEvent' in event)
      known = {
        ...known,
        providerEvents: [
          ...known.providerEvents,
          { inboxId: String(index), providerResult: event.providerEvent, msAgo: 0 },
        ],
      };
    const checked = { ...known, cause };
    // The provider answers a confirmation only to a query; here the next review sends one.
    const answer = 'answer' in event && wantsAnswer(checked) ? event.answer : undefined;
    const { outcome, read } = decide({ ...checked, answer });
    known = {
      ...known,
      providerEvents: known.providerEvents.filter(
        ({ inboxId }) => !read.some((done) => done.inboxId === inboxId),
      ),
    };
    if (!outcome) return;
    // Thousands of times: with `expect` it takes ten times as long.
    if (!exits[known.state].includes(outcome.to))
      throw new Error(`${known.state} to ${outcome.to} is no exit`);
    known = {
      ...known,
      state: outcome.to,
      failureCode: outcome.by === 'deadline' ? outcome.providerResult.code : undefined,
    };
    if (outcome.to === 'succeeded' && 'amountMinor' in outcome) {
      credits += 1;
      known = { ...known, confirmedMinor: outcome.amountMinor, receipt: outcome.providerResult.receipt };
    }
  });
  return { state: known.state, amountMinor: known.confirmedMinor, credits };
}

const failures = [failed, cancelled, timedOut];
const dull = [open, unknown];
const anyFinding = fc.constantFrom<ProviderResult>(paid, confirmed, doubtful, ...failures, ...dull);
const causes: ReviewCause[] = ['notification', 'check', 'deadline', 'confirmation'];
const anyCause = fc.constantFrom(...causes);

/** A payment is only reviewed once its submission is stored, so never while it is `received`. */
const anyState = fc.constantFrom(...paymentStates.filter((state) => state !== 'received'));

const anyFacts: fc.Arbitrary<Facts> = fc
  .record({
    state: anyState,
    providerResults: fc.array(anyFinding, { maxLength: 5 }),
    answer: fc.option(anyFinding, { nil: undefined }),
    cause: anyCause,
    msSinceCreation: fc.nat(600_000),
    tentative: fc.option(fc.record({ code: fc.constantFrom('777', '778'), msAgo: fc.nat(120_000) }), {
      nil: undefined,
    }),
    notificationsAreTrusted: fc.boolean(),
    whenAmountDiffers: fc.constantFrom<Facts['whenAmountDiffers'][]>('settle_and_open_case', 'open_case'),
    failureCode: fc.constantFrom(undefined, 'OUTCOME_UNKNOWN', 'NOT_STARTED'),
  })
  .map(({ providerResults, ...rest }) =>
    facts({
      ...rest,
      providerEvents: providerResults.map((providerResult, index) => ({
        inboxId: String(index),
        providerResult,
        msAgo: 0,
      })),
    }),
  );

const many = { numRuns: 1_000 };

/** Every event at least once, in any order, with any repeats. */
function shuffledAndRepeated(events: Event[]): fc.Arbitrary<Event[]> {
  return fc
    .tuple(fc.array(fc.constantFrom(...events), { maxLength: 6 }), fc.constant(events))
    .chain(([repeats, all]) =>
      fc.shuffledSubarray([...all, ...repeats], { minLength: all.length + repeats.length }),
    );
}

describe('for all provider results', () => {
  it('every outcome is a possible transition from the state', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { outcome } = decide(given);
        return outcome === undefined || exits[given.state].includes(outcome.to);
      }),
      many,
    );
  });

  it('no transition leaves a success', () => {
    fc.assert(
      fc.property(
        anyFacts,
        fc.constantFrom<PaymentState[]>('succeeded', 'refunded', 'reversed', 'returned'),
        (given, state) => {
          return decide({ ...given, state }).outcome === undefined;
        },
      ),
      many,
    );
  });

  it('no unsigned report alone is ever booked', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(undefined, ...dull, ...failures), (given, answer) => {
        return decide({ ...given, notificationsAreTrusted: false, answer }).outcome?.to !== 'succeeded';
      }),
      many,
    );
  });

  it('no unsigned report raises the booked amount above the requested one', () => {
    const anyAmount = fc.bigInt({ min: 0n, max: 3n * asked });
    const anyReport = anyAmount.map((amountMinor): ProviderResult => ({ ...paid, amountMinor }));
    fc.assert(
      fc.property(anyFacts, fc.array(anyReport, { maxLength: 4 }), (given, reports) => {
        const { outcome } = decide({
          ...given,
          notificationsAreTrusted: false,
          providerEvents: reports.map((providerResult, index) => ({
            inboxId: String(index),
            providerResult,
            msAgo: 0,
          })),
          answer: confirmed,
        });
        return !outcome || !('amountMinor' in outcome) || outcome.amountMinor <= asked;
      }),
      many,
    );
  });

  it("no unsigned report alone ends anything: only the provider's answer or the deadline does", () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(undefined, ...dull), (given, answer) => {
        const { outcome } = decide({ ...given, notificationsAreTrusted: false, answer });
        if (outcome === undefined || !isFinal(outcome.to)) return true;
        return outcome.by === 'deadline' && given.cause === 'deadline';
      }),
      many,
    );
  });

  it("an end without proof is the provider's own result", () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom<ProviderResult[]>(...failures, doubtful), (given, answer) => {
        const { outcome } = decide({ ...given, notificationsAreTrusted: false, answer });
        return outcome === undefined || outcome.providerResult === answer || outcome.by === 'deadline';
      }),
      many,
    );
  });

  it('a failure reported without proof is settled, or queried again', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { read, unconfirmed } = decide({ ...given, notificationsAreTrusted: false });
        const isLeft = given.providerEvents.some(
          ({ inboxId }) => !read.some((done) => done.inboxId === inboxId),
        );
        return (
          unconfirmed ||
          !isLeft ||
          given.providerEvents.every(({ providerResult }) => dull.includes(providerResult))
        );
      }),
      many,
    );
  });

  it('an unknown result never becomes a failure: at most a timeout, at the deadline', () => {
    fc.assert(
      fc.property(
        anyFacts,
        fc.array(fc.constantFrom(...dull)),
        fc.constantFrom(undefined, ...dull),
        (given, reported, answer) => {
          const { outcome } = decide({
            ...given,
            providerEvents: reported.map((providerResult, index) => ({
              inboxId: String(index),
              providerResult,
              msAgo: 0,
            })),
            answer,
          });
          return outcome === undefined || (outcome.by === 'deadline' && given.cause === 'deadline');
        },
      ),
      many,
    );
  });

  it('a reported success is settled or stored, and ignored only with a case', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { read, outcome, cases } = decide(given);
        const lost = given.providerEvents.filter(
          ({ inboxId, providerResult }) =>
            providerResult.kind === 'succeeded' &&
            read.some((done) => done.inboxId === inboxId && done.state === 'ignored'),
        );
        const isDenied = cases.some(({ reason }) => reason === 'success_not_confirmed');
        const isReported = isDenied && outcome !== undefined && isFinal(outcome.to);
        const isPaid = ['succeeded', 'refunded', 'reversed', 'returned'].includes(given.state);
        return lost.length === 0 || isReported || isPaid;
      }),
      many,
    );
  });

  it('the same facts always lead to the same decision', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        expect(decide(given)).toEqual(decide(given));
      }),
    );
  });
});

describe('in any order, with any repeats', () => {
  const checks: Event[] = causes.map((cause) => ({ cause, answer: open }));

  it('a success that the provider confirms ends in one credit of the same amount, whatever the other reports', () => {
    const others: Event[] = [
      ...failures.map((providerEvent) => ({ providerEvent })),
      { providerEvent: open },
      { providerEvent: unknown },
      ...checks,
    ];
    const reported: Event[] = [{ providerEvent: paid }, ...others];
    // The provider is queried once more after all reports, as its schedule does.
    fc.assert(
      fc.property(shuffledAndRepeated(reported), (events) => {
        const history = live([...events, { cause: 'confirmation', answer: confirmed }]);
        expect(history).toEqual({ state: 'succeeded', amountMinor: asked, credits: 1 });
      }),
      many,
    );
  });

  it('the time of the confirmation does not matter', () => {
    const reported: Event[] = [
      { providerEvent: paid },
      { providerEvent: paid },
      ...checks,
      { cause: 'check', answer: confirmed },
    ];
    fc.assert(
      fc.property(shuffledAndRepeated(reported), (events) => {
        const history = live([...events, { cause: 'confirmation', answer: confirmed }]);
        expect(history).toEqual({ state: 'succeeded', amountMinor: asked, credits: 1 });
      }),
      many,
    );
  });

  describe.each(failures)('one outcome, $kind, reported in all ways,', (ending) => {
    const reported: Event[] = [{ providerEvent: ending }, { providerEvent: open }];
    const early = checks.filter((check) => 'cause' in check && check.cause !== 'deadline');

    it('ends as itself if notifications are proof', () => {
      fc.assert(
        fc.property(shuffledAndRepeated([...reported, ...checks]), (events) => {
          const history = live(events, { notificationsAreTrusted: true });
          expect(history).toEqual({ state: ending.kind, amountMinor: undefined, credits: 0 });
        }),
        many,
      );
    });

    it('ends nothing without proof, and ends as itself once the provider agrees', () => {
      fc.assert(
        fc.property(shuffledAndRepeated([...reported, ...early]), (events) => {
          expect(live(events)).toMatchObject({ state: 'pending', credits: 0 });
          const agreed = live([...events, { cause: 'confirmation', answer: ending }], {
            msSinceCreation: 0,
          });
          expect(agreed).toEqual({ state: ending.kind, amountMinor: undefined, credits: 0 });
        }),
        many,
      );
    });
  });
});
