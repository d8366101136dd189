/** What holds of the decision for all evidence that could ever arrive, in any order, however often. */
import fc from 'fast-check';
import type { ReviewCause } from '../../../../src/domain/commands';
import type { Finding } from '../../../../src/domain/outcome';
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

/** One thing that happens to a payment: a notification comes in, or it is looked at and the provider may answer. */
type Event = { notice: Finding } | { cause: ReviewCause; answer: Finding };

interface Story {
  state: PaymentState;
  amountMinor: bigint | undefined;
  credits: number;
}

/** Lives through the events as `review` does: what is unread is read together with the next answer. */
function live(events: Event[], changes: Partial<Facts> = {}): Story {
  let known = facts({ ...changes, notices: [] });
  let credits = 0;
  events.forEach((event, index) => {
    const cause = 'notice' in event ? 'notification' : event.cause;
    if ('notice' in event)
      known = {
        ...known,
        notices: [...known.notices, { inboxId: String(index), finding: event.notice, msAgo: 0 }],
      };
    const looked = { ...known, cause };
    // The provider answers a confirmation only when it is asked for one; here the next look will ask.
    const answer = 'answer' in event && wantsAnswer(looked) ? event.answer : undefined;
    const { outcome, read } = decide({ ...looked, answer });
    known = {
      ...known,
      notices: known.notices.filter(({ inboxId }) => !read.some((done) => done.inboxId === inboxId)),
    };
    if (!outcome) return;
    // Thousands of times: to expect it takes ten times as long.
    if (!exits[known.state].includes(outcome.to))
      throw new Error(`${known.state} to ${outcome.to} is no exit`);
    known = {
      ...known,
      state: outcome.to,
      failureCode: outcome.by === 'deadline' ? outcome.finding.code : undefined,
    };
    if (outcome.to === 'succeeded' && 'amountMinor' in outcome) {
      credits += 1;
      known = { ...known, confirmedMinor: outcome.amountMinor, receipt: outcome.finding.receipt };
    }
  });
  return { state: known.state, amountMinor: known.confirmedMinor, credits };
}

const failures = [failed, cancelled, timedOut];
const dull = [open, unknown];
const anyFinding = fc.constantFrom<Finding>(paid, confirmed, doubtful, ...failures, ...dull);
const causes: ReviewCause[] = ['notification', 'check', 'deadline', 'confirmation'];
const anyCause = fc.constantFrom(...causes);

/** A payment is only looked at once its instruction is written down, so never while it is `received`. */
const anyState = fc.constantFrom(...paymentStates.filter((state) => state !== 'received'));

const anyFacts: fc.Arbitrary<Facts> = fc
  .record({
    state: anyState,
    findings: fc.array(anyFinding, { maxLength: 5 }),
    answer: fc.option(anyFinding, { nil: undefined }),
    cause: anyCause,
    msSinceAcceptance: fc.nat(600_000),
    tentative: fc.option(fc.record({ code: fc.constantFrom('777', '778'), msAgo: fc.nat(120_000) }), {
      nil: undefined,
    }),
    notificationsAreProof: fc.boolean(),
    whenAmountDiffers: fc.constantFrom<Facts['whenAmountDiffers'][]>('settle_and_open_case', 'open_case'),
    failureCode: fc.constantFrom(undefined, 'OUTCOME_UNKNOWN', 'NOT_STARTED'),
  })
  .map(({ findings, ...rest }) =>
    facts({
      ...rest,
      notices: findings.map((finding, index) => ({ inboxId: String(index), finding, msAgo: 0 })),
    }),
  );

const many = { numRuns: 1_000 };

/** Every event once at least, in any order, with any of them repeated. */
function shuffledAndRepeated(events: Event[]): fc.Arbitrary<Event[]> {
  return fc
    .tuple(fc.array(fc.constantFrom(...events), { maxLength: 6 }), fc.constant(events))
    .chain(([repeats, all]) =>
      fc.shuffledSubarray([...all, ...repeats], { minLength: all.length + repeats.length }),
    );
}

describe('for all evidence', () => {
  it('every outcome is one that the state may leave for', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { outcome } = decide(given);
        return outcome === undefined || exits[given.state].includes(outcome.to);
      }),
      many,
    );
  });

  it('nothing moves a payment out of a success', () => {
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
        return decide({ ...given, notificationsAreProof: false, answer }).outcome?.to !== 'succeeded';
      }),
      many,
    );
  });

  it('no unsigned report raises what is booked above what was asked', () => {
    const anyAmount = fc.bigInt({ min: 0n, max: 3n * asked });
    const anyReport = anyAmount.map((amountMinor): Finding => ({ ...paid, amountMinor }));
    fc.assert(
      fc.property(anyFacts, fc.array(anyReport, { maxLength: 4 }), (given, reports) => {
        const { outcome } = decide({
          ...given,
          notificationsAreProof: false,
          notices: reports.map((finding, index) => ({ inboxId: String(index), finding, msAgo: 0 })),
          answer: confirmed,
        });
        return !outcome || !('amountMinor' in outcome) || outcome.amountMinor <= asked;
      }),
      many,
    );
  });

  it('no unsigned report alone ends anything: only the provider, asked, or the deadline does', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom(undefined, ...dull), (given, answer) => {
        const { outcome } = decide({ ...given, notificationsAreProof: false, answer });
        if (outcome === undefined || !isFinal(outcome.to)) return true;
        return outcome.by === 'deadline' && given.cause === 'deadline';
      }),
      many,
    );
  });

  it('what ends a payment without proof is what the provider itself says', () => {
    fc.assert(
      fc.property(anyFacts, fc.constantFrom<Finding[]>(...failures, doubtful), (given, answer) => {
        const { outcome } = decide({ ...given, notificationsAreProof: false, answer });
        return outcome === undefined || outcome.finding === answer || outcome.by === 'deadline';
      }),
      many,
    );
  });

  it('a failure reported without proof is dealt with, or asked about again', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { read, unconfirmed } = decide({ ...given, notificationsAreProof: false });
        const isLeft = given.notices.some(({ inboxId }) => !read.some((done) => done.inboxId === inboxId));
        return unconfirmed || !isLeft || given.notices.every(({ finding }) => dull.includes(finding));
      }),
      many,
    );
  });

  it('what is unknown never becomes a failure: at most a timeout, at the deadline', () => {
    fc.assert(
      fc.property(
        anyFacts,
        fc.array(fc.constantFrom(...dull)),
        fc.constantFrom(undefined, ...dull),
        (given, told, answer) => {
          const { outcome } = decide({
            ...given,
            notices: told.map((finding, index) => ({ inboxId: String(index), finding, msAgo: 0 })),
            answer,
          });
          return outcome === undefined || (outcome.by === 'deadline' && given.cause === 'deadline');
        },
      ),
      many,
    );
  });

  it('a reported success is dealt with or kept, and put aside only where a person is told', () => {
    fc.assert(
      fc.property(anyFacts, (given) => {
        const { read, outcome, cases } = decide(given);
        const lost = given.notices.filter(
          ({ inboxId, finding }) =>
            finding.kind === 'succeeded' &&
            read.some((done) => done.inboxId === inboxId && done.state === 'ignored'),
        );
        const isDenied = cases.some(({ reason }) => reason === 'success_not_confirmed');
        const isTold = isDenied && outcome !== undefined && isFinal(outcome.to);
        const isPaid = ['succeeded', 'refunded', 'reversed', 'returned'].includes(given.state);
        return lost.length === 0 || isTold || isPaid;
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
  const looks: Event[] = causes.map((cause) => ({ cause, answer: open }));

  it('a success that the provider confirms ends in one credit of the same amount, whatever else was said', () => {
    const others: Event[] = [
      ...failures.map((notice) => ({ notice })),
      { notice: open },
      { notice: unknown },
      ...looks,
    ];
    const told: Event[] = [{ notice: paid }, ...others];
    // The provider's truth is asked for once more after everything was told, as its schedule does.
    fc.assert(
      fc.property(shuffledAndRepeated(told), (events) => {
        const story = live([...events, { cause: 'confirmation', answer: confirmed }]);
        expect(story).toEqual({ state: 'succeeded', amountMinor: asked, credits: 1 });
      }),
      many,
    );
  });

  it('it does not matter when the confirmation is heard', () => {
    const told: Event[] = [
      { notice: paid },
      { notice: paid },
      ...looks,
      { cause: 'check', answer: confirmed },
    ];
    fc.assert(
      fc.property(shuffledAndRepeated(told), (events) => {
        const story = live([...events, { cause: 'confirmation', answer: confirmed }]);
        expect(story).toEqual({ state: 'succeeded', amountMinor: asked, credits: 1 });
      }),
      many,
    );
  });

  describe.each(failures)('one ending, $kind, told in all ways,', (ending) => {
    const told: Event[] = [{ notice: ending }, { notice: open }];
    const early = looks.filter((look) => 'cause' in look && look.cause !== 'deadline');

    it('ends as itself where notifications are proof', () => {
      fc.assert(
        fc.property(shuffledAndRepeated([...told, ...looks]), (events) => {
          const story = live(events, { notificationsAreProof: true });
          expect(story).toEqual({ state: ending.kind, amountMinor: undefined, credits: 0 });
        }),
        many,
      );
    });

    it('ends nothing without proof, and ends as itself as soon as the provider agrees', () => {
      fc.assert(
        fc.property(shuffledAndRepeated([...told, ...early]), (events) => {
          expect(live(events)).toMatchObject({ state: 'pending', credits: 0 });
          const agreed = live([...events, { cause: 'confirmation', answer: ending }], {
            msSinceAcceptance: 0,
          });
          expect(agreed).toEqual({ state: ending.kind, amountMinor: undefined, credits: 0 });
        }),
        many,
      );
    });
  });
});
