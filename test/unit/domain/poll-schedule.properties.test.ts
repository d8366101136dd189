/**
 * A workflow checks its payment, and the payment's row becomes due if the workflow forgets. For all policies of all
 * rails and any course of a payment, both have the same checks, and the row is due within its grace period.
 */
import { createHash } from 'node:crypto';
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
import { policyOf, scheduleNameOf } from '../../../src/rail-kit/uncertainty';
import { createRails } from '../../../src/rails';
import { forEachProvider, providerAddresses } from '../../../tools/sandbox/simulated-providers';
import { credentials } from '../../support/simulator/credentials';
import { ownTokens } from '../../support/own-tokens';
import { silentLog } from '../../support/silent-log';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** Every operation of every rail, through each of its providers, in live and in a fast sandbox. */
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
        schedule: `${name} ${scheduleNameOf(operation)}`,
        timeScale,
        policy: policyOf(operation),
      })),
    ),
  );
});

/** Changed numbers need a new version: a workflow's input names its schedule, and the name must stay true. */
const numbersOf: Readonly<Record<string, string>> = {
  'cardproc hostedOrder v1': 'b97968663b6a',
  'momo momoDeposit v1': '5e37ab1cbed4',
  'momo momoPayout v1': 'e287441913cc',
  'momo momoRefund v1': '5e37ab1cbed4',
  'stk stkPush v1': '2934bad3c3c9',
  'walletpay walletOrder v1': '8eea9f0df3c1',
  'walletpay walletPayout v1': '1b41a8f2c7dd',
  'walletpay walletRefund v1': '79a62a63d216',
  'xb xbPush v1': 'cda5396bd3a4',
  'xb xbPush v2': 'dc310d11dc96',
};

it('a poll schedule has the numbers of its version, for ever', () => {
  const found = policies
    .filter(({ timeScale }) => timeScale === 1)
    .map(({ schedule, policy }) => [
      schedule,
      createHash('sha256').update(JSON.stringify(policy)).digest('hex').slice(0, 12),
    ]);
  const unlike = found.filter(([schedule = '', digest]) => numbersOf[schedule] !== digest);
  expect(unlike).toEqual([]);
});

/** The next event of a payment. `at` is a fraction: of the wait, or of the possible states. */
interface Happening {
  what: 'its timer fires' | 'a report comes' | 'the clock jumps' | 'its workflow is lost';
  at: number;
  finds: 'nothing' | 'its reference' | 'another state' | 'a success to be confirmed';
  cancellation: 'open' | 'unknown' | 'too_late';
  /** The report causes a status query. */
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

/** Runs the events, as workflow, review and sweeper do, and compares after each step. */
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

  function check({ what, finds, at, ...happens }: Happening): void {
    const { state } = facts;
    const entered = finds === 'another state' ? exits[state].filter((to) => to !== 'initiating') : [];
    const to = entered[Math.floor(at * entered.length)] ?? state;
    const isNamed = facts.isNamed || finds === 'its reference';
    facts = { ...facts, isNamed, state: to, ...(to !== state && isFinal(to) && { endedAt: now }) };
    const unconfirmed = finds === 'a success to be confirmed';
    // Only the provider's own answer contains its reference, and overdue checks query for it.
    const isOverdue = planned.due !== undefined && planned.due <= now;
    const isAsked = what !== 'a report comes' || happens.isAsked || finds === 'its reference' || isOverdue;
    const before = planned;
    plan(unconfirmed);
    if (!isAsked && !unconfirmed && to === state && before.due !== undefined)
      planned = { ...before, due: Math.min(before.due, planned.due ?? Infinity) };
    timers.checked(now, { state: to, isNamed, isAsked, unconfirmed });
  }

  /** @returns whether there was anything to do. */
  function fire(happens: Happening): boolean {
    const due = timers.next(now);
    if (!due || due.at > now) return false;
    timers.keep();
    if (due.cause === 'remind') return true;
    if (due.cause === 'give_up') {
      if (facts.state !== 'queued') return true;
      const inVain = happens.cancellation === 'unknown';
      if (happens.cancellation === 'too_late') facts = { ...facts, state: 'processing' };
      facts = { ...facts, abandoned: { at: now, times: (facts.abandoned?.times ?? 0) + 1, inVain } };
      timers.gaveUp(now, { inVain });
      plan(false);
    }
    check(happens);
    return true;
  }

  for (const happens of happenings) {
    const next = timers.next(now);
    if (happens.what === 'its timer fires') {
      now = Math.max(now, next?.at ?? now);
      if (!fire(happens)) break;
    } else if (happens.what === 'a report comes') {
      now += Math.floor(happens.at * Math.max(0, (next?.at ?? now + day) - now));
      check(happens);
    } else if (happens.what === 'the clock jumps') {
      now += Math.floor(happens.at * happens.at * 50 * day);
      fire(happens);
    } else {
      now = Math.max(now, planned.due ?? now);
      timers = pollTimers(ofWorkflow, facts, now);
      check(happens);
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
  // Overdue actions run now, then the schedule is read again. A reminder is no check.
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

it('covers every rail', () => {
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
