/** A long life of one payment in memory: whatever is told of it and answered, in any order, as often as it comes. */
import fc from 'fast-check';
import type { ReviewCause } from '../../src/domain/commands';
import type { Finding } from '../../src/domain/outcome';
import { exits, isFinal, isSettled, type PaymentState } from '../../src/domain/payment';
import { feeOf, type FeeTerms } from '../../src/fees/fee-of';
import { decide, wantsAnswer, type Decision, type Facts } from '../../src/payments/evidence/decide';
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
} from '../payments/evidence';

const gone = (kind: 'refunded' | 'reversed', givenBackMinor: bigint): Finding => ({
  ...{ kind, code: '9', text: kind, paidMinor: asked, givenBackMinor, currency: 'KES' },
});

const findings: readonly Finding[] = [
  ...[paid, confirmed, doubtful, failed, cancelled, timedOut, open, unknown],
  ...[
    { ...paid, amountMinor: asked + 1n },
    { ...paid, currency: 'USD' },
    { kind: 'open' as const, as: 'processing' as const },
  ],
  ...[gone('refunded', 1n), gone('refunded', asked), gone('reversed', asked)],
];
const causes: ReviewCause[] = ['notification', 'check', 'deadline', 'confirmation', 'watch_end'];

export type Event = { told: number } | { cause: ReviewCause; answer: number };

const finding = fc.nat(findings.length - 1);
export const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ told: finding }),
  fc.record({ cause: fc.constantFrom(...causes), answer: finding }),
);

/** How this rail's provider is to be taken. */
export const anyRail: fc.Arbitrary<Partial<Facts>> = fc.record({
  notificationsAreProof: fc.boolean(),
  watchedAfterSuccess: fc.boolean(),
  whenSilent: fc.constantFrom<Facts['whenSilent'][]>('time_out', 'wait'),
  whenSuccessIsLate: fc.constantFrom<Facts['whenSuccessIsLate'][]>('correct', 'open_case'),
  whenAmountDiffers: fc.constantFrom<Facts['whenAmountDiffers'][]>('settle_and_open_case', 'open_case'),
});

/** What it has brought its merchant and the platform, and in how many credits. */
interface Books {
  wallet: bigint;
  fees: bigint;
  credits: number;
}

/** @throws where a step is none that its state allows, or the books of it do not add up. */
export function liveLong(rail: Partial<Facts>, terms: FeeTerms, events: readonly Event[]): PaymentState {
  let known = facts({ ...rail, notices: [] });
  const books: Books = { wallet: 0n, fees: 0n, credits: 0 };
  for (const [index, event] of events.entries()) {
    if ('told' in event) {
      const notice = { inboxId: String(index), finding: findings[event.told] as Finding, msAgo: 0 };
      known = { ...known, notices: [...known.notices, notice] };
    }
    const looked: Facts = { ...known, cause: 'told' in event ? 'notification' : event.cause };
    const answer = 'answer' in event && wantsAnswer(looked) ? findings[event.answer] : undefined;
    const decision = decide({ ...looked, answer });
    const read = new Set(decision.read.map(({ inboxId }) => inboxId));
    const before = known.state;
    known = { ...after(known, decision), notices: known.notices.filter(({ inboxId }) => !read.has(inboxId)) };
    if (decision.outcome) {
      expectAllowed(before, decision.outcome.to);
      if ('amountMinor' in decision.outcome) book(books, terms, before, decision.outcome);
    }
    expectAddedUp(books, known);
  }
  return known.state;
}

function after(known: Facts, { outcome }: Decision): Facts {
  if (!outcome) return known;
  const state = outcome.to;
  if ('givenBackMinor' in outcome) return { ...known, state, givenBackMinor: outcome.givenBackMinor };
  if ('amountMinor' in outcome)
    return { ...known, state, confirmedMinor: outcome.amountMinor, receipt: outcome.finding.receipt };
  return { ...known, state, failureCode: outcome.by === 'deadline' ? outcome.finding.code : undefined };
}

function expectAllowed(from: PaymentState, to: PaymentState): void {
  if (!exits[from].includes(to)) throw new Error(`went from ${from} to ${to}`);
  if (isSettled(from) && isFinal(to) && !isSettled(to)) throw new Error(`a success became ${to}`);
}

function book(
  books: Books,
  terms: FeeTerms,
  before: PaymentState,
  { amountMinor }: { amountMinor: bigint },
): void {
  if (isSettled(before)) throw new Error(`was paid though it was ${before}`);
  const fee = feeOf(terms, amountMinor);
  books.credits += 1;
  books.wallet += amountMinor - fee;
  books.fees += fee;
}

function expectAddedUp(books: Books, { state, confirmedMinor = 0n, givenBackMinor }: Facts): void {
  if (books.wallet + books.fees !== confirmedMinor) throw new Error('what came is not what was booked');
  if (books.credits > 1) throw new Error('was credited twice');
  if (isSettled(state) !== (books.credits === 1))
    throw new Error(`is ${state} with ${String(books.credits)} credits`);
  if (books.wallet < 0n || books.fees < 0n) throw new Error('a collection cost more than it brought');
  if (givenBackMinor < 0n) throw new Error('less than nothing went back');
  if (givenBackMinor > 0n && confirmedMinor === 0n) throw new Error('what never came went back');
}

export const anyTerms: fc.Arbitrary<FeeTerms> = fc.record({
  operation: fc.constant('collection' as const),
  fixed: fc.nat(500_000).map(String),
  per_million: fc.nat(1_000_000),
  minimum: fc.option(fc.nat(1_000).map(String)),
  maximum: fc.option(fc.integer({ min: 1_000, max: 1_000_000 }).map(String)),
});
