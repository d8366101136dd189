/**
 * A payment is checked by its workflow, and its row is due when that was forgotten. Over all policies of all rails, and
 * whatever becomes of a payment: the one never has a check that the other lacks, and the row is due within its grace.
 */
import fc from 'fast-check';
import type { Policy } from '../../../src/domain/commands';
import { exits, isFinal, isSettled, type PaymentState } from '../../../src/domain/payment';
import {
  checkDueAt,
  pollTimers,
  type PaymentFacts,
  type PollTimers,
  type Scheduled,
} from '../../../src/domain/poll-schedule';
import { policyOf } from '../../../src/rail-kit/uncertainty';
import { createRails } from '../../../src/rails';
import { forEachProvider, providerAddresses } from '../../../tools/sandbox/simulated-providers';
import { credentials } from '../../support/simulator/credentials';
import { ownTokens } from '../../support/own-tokens';
import { silentLog } from '../../support/silent-log';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** Every operation of every rail, through each of its providers, in live and as a fast sandbox has it. */
const policies = [1, 3_600].flatMap((timeScale) => {
  const at = 'http://127.0.0.1:9';
  const env = {
    ...credentials,
    ...providerAddresses(forEachProvider(() => at)),
    ...{ XB_PROVIDER_UGX: 'intasend', XB_PROVIDER_TZS: 'pawapay' },
    XB_CHALLENGE: 'a-challenge-of-thirty-two-characters',
  };
  const rails = createRails({
    ...{ environment: 'sandbox', publicUrl: 'https://pay.example', timezone: 'UTC', timeScale, env },
    ...{ log: silentLog, tokens: ownTokens(), observe: () => undefined },
  });
  return rails.flatMap(({ name, operations, operationsOf = {} }) =>
    [operations, ...Object.values(operationsOf)].flatMap((each) =>
      Object.entries(each).map(([kind, operation]) => ({
        name: `${name} ${kind}, ${String(timeScale)} times as fast`,
        policy: policyOf(operation),
      })),
    ),
  );
});

/** What happens to a payment next. `at` is a share of what may be: of the wait, of the states it may enter. */
interface Happening {
  what: 'its timer fires' | 'a report comes' | 'the clock jumps' | 'its workflow is lost';
  at: number;
  finds: 'nothing' | 'its reference' | 'another state' | 'a success to be confirmed';
  cancellation: 'open' | 'unknown' | 'too_late';
  /** The report is a reason to ask the provider. */
  isAsked: boolean;
}

const happening: fc.Arbitrary<Happening> = fc.record({
  what: fc.oneof(
    { weight: 8, arbitrary: fc.constant('its timer fires' as const) },
    { weight: 2, arbitrary: fc.constant('a report comes' as const) },
    { weight: 1, arbitrary: fc.constantFrom('the clock jumps' as const, 'its workflow is lost' as const) },
  ),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  finds: fc.oneof(
    { weight: 12, arbitrary: fc.constant('nothing' as const) },
    { weight: 1, arbitrary: fc.constant('its reference' as const) },
    { weight: 2, arbitrary: fc.constant('another state' as const) },
    { weight: 2, arbitrary: fc.constant('a success to be confirmed' as const) },
  ),
  cancellation: fc.constantFrom('open', 'unknown', 'too_late'),
  isAsked: fc.boolean(),
});

/** Lives through what happens, as workflow, review and sweeper do, and compares after each step. */
function live(policy: Policy, begins: 'accepted' | 'queued' | 'unknown', happenings: Happening[]): void {
  const accepted = { accepted: 'pending', queued: 'queued', unknown: 'pending' } as const;
  let facts: PaymentFacts = { state: accepted[begins], acceptedAt: 0, isNamed: begins !== 'unknown' };
  let now = 0;
  const { afterSuccessChecksMs: _, ...ofWorkflow } = policy;
  let timers: PollTimers = pollTimers(ofWorkflow, facts, now);
  let planned = { at: now, due: checkDueAt(policy, facts, now), unconfirmed: false };

  function plan(unconfirmed: boolean): void {
    planned = { at: now, due: checkDueAt(policy, facts, now, { unconfirmed }), unconfirmed };
  }

  function look({ what, finds, at, ...happens }: Happening): void {
    const { state } = facts;
    const entered = finds === 'another state' ? exits[state].filter((to) => to !== 'initiating') : [];
    const to = entered[Math.floor(at * entered.length)] ?? state;
    const isNamed = facts.isNamed || finds === 'its reference';
    facts = { ...facts, isNamed, state: to, ...(to !== state && isFinal(to) && { endedAt: now }) };
    const unconfirmed = finds === 'a success to be confirmed';
    // Only the provider's own answer tells its reference, and what is overdue is asked about.
    const isOverdue = planned.due !== undefined && planned.due <= now;
    const isAsked = what !== 'a report comes' || happens.isAsked || finds === 'its reference' || isOverdue;
    const before = planned;
    plan(unconfirmed);
    if (!isAsked && !unconfirmed && to === state && before.due !== undefined)
      planned = { ...before, due: Math.min(before.due, planned.due ?? Infinity) };
    timers.checked(now, { state: to, isNamed, isAsked, unconfirmed });
  }

  /** @returns whether there was anything to be done. */
  function fire(happens: Happening): boolean {
    const due = timers.next(now);
    if (!due || due.at > now) return false;
    timers.keep();
    if (due.cause === 'remind') return true;
    if (due.cause === 'give_up') {
      if (facts.state !== 'queued') return true;
      const inVain = happens.cancellation === 'unknown';
      if (happens.cancellation === 'too_late') facts = { ...facts, state: 'processing' };
      facts = { ...facts, givenUp: { at: now, times: (facts.givenUp?.times ?? 0) + 1, inVain } };
      timers.gaveUp(now, { inVain });
      plan(false);
    }
    look(happens);
    return true;
  }

  for (const happens of happenings) {
    const next = timers.next(now);
    if (happens.what === 'its timer fires') {
      now = Math.max(now, next?.at ?? now);
      if (!fire(happens)) break;
    } else if (happens.what === 'a report comes') {
      now += Math.floor(happens.at * Math.max(0, (next?.at ?? now + day) - now));
      look(happens);
    } else if (happens.what === 'the clock jumps') {
      now += Math.floor(happens.at * happens.at * 50 * day);
      fire(happens);
    } else {
      now = Math.max(now, planned.due ?? now);
      timers = pollTimers(ofWorkflow, facts, now);
      look(happens);
    }
    compare(policy, facts, { now, next: timers.next(now), planned });
  }
}

interface Compared {
  now: number;
  next: Scheduled | undefined;
  planned: { at: number; due: number | undefined; unconfirmed: boolean };
}

function compare(policy: Policy, facts: PaymentFacts, { now, next, planned }: Compared): void {
  const { state } = facts;
  // What is overdue is done now, and then it is looked again; a reminder is no check.
  if (next && (next.at <= now || next.cause === 'remind')) return;
  const seen = `${JSON.stringify(facts)}: ${JSON.stringify({ now, next, planned })}`;
  const graceMs = (waitMs: number) =>
    Math.max(policy.checkGraceMs ?? minute, Math.min(10 * minute, waitMs / 10));
  const { at, due, unconfirmed } = planned;
  if (next) {
    const latest = unconfirmed
      ? at + (policy.confirmDelaysMs.at(-1) ?? 0) + graceMs(0)
      : next.at + graceMs(next.at - at);
    if (due === undefined || due < next.at || due > latest) throw new Error(`not due in time: ${seen}`);
    return;
  }
  const isForgotten = (['pending', 'queued', 'processing'] as PaymentState[]).includes(state);
  if (isForgotten && (due === undefined || due > at + day + 10 * minute))
    throw new Error(`forgotten: ${seen}`);
  if (!isForgotten && !isSettled(state) && !unconfirmed && due !== undefined)
    throw new Error(`only the row has a check: ${seen}`);
}

it('knows every rail', () => {
  expect(new Set(policies.map(({ name }) => name.split(' ')[0])).size).toBe(5);
});

it.each(policies)('workflow and row have the same checks: $name', ({ policy }) => {
  const begins = fc.constantFrom('accepted' as const, 'queued' as const, 'unknown' as const);
  fc.assert(
    fc.property(begins, fc.array(happening, { maxLength: 60 }), (how, happenings) => {
      live(policy, how === 'queued' && policy.queuedMaxMs === undefined ? 'accepted' : how, happenings);
    }),
    { numRuns: 60 },
  );
});
