import type { Policy } from '../../../src/domain/commands';
import type { PaymentState } from '../../../src/domain/payment';
import {
  checkDueAt,
  lastCheckAt,
  nextCheckAt,
  pollTimers,
  type PaymentFacts,
  type PollTimers,
  type Seen,
} from '../../../src/domain/poll-schedule';

const policy: Policy = {
  checksMs: [10, 20, 30, 100],
  rechecksMs: [200, 300],
  watchMs: 400,
  confirmDelaysMs: [5, 50],
  afterSuccessChecksMs: [1_000, 2_000],
};
const day = 86_400_000;

const accepted = (changes: Partial<PaymentFacts> = {}): PaymentFacts => ({
  ...{ state: 'pending', acceptedAt: 0, isNamed: true },
  ...changes,
});
const timersAt = (now: number, changes: Partial<PaymentFacts> = {}, of = policy) =>
  pollTimers(of, accepted(changes), now);
const seen = (state: PaymentState, changes: Partial<Seen> = {}): Seen => ({
  ...{ state, isNamed: true, isAsked: true, unconfirmed: false },
  ...changes,
});

function allOf(timers: PollTimers): [string, number][] {
  const found: [string, number][] = [];
  for (let next = timers.next(0); next; next = timers.next(0)) {
    found.push([next.cause, next.at]);
    timers.keep();
  }
  return found;
}

describe('the timers of a payment', () => {
  it('poll, end the prompt, poll again, and end status checks', () => {
    expect(allOf(timersAt(0))).toEqual([
      ...[10, 20, 30].map((at) => ['check', at]),
      ['deadline', 100],
      ...[200, 300].map((at) => ['check', at]),
      ['watch_end', 400],
    ]);
  });

  it('poll once for all missed checks when a payment is resumed', () => {
    expect(allOf(timersAt(250))).toEqual([
      ['check', 250],
      ['deadline', 100],
      ['check', 300],
      ['watch_end', 400],
    ]);
  });

  it('end with the payment, unless the customer may try again', () => {
    const over = timersAt(0);
    over.checked(0, seen('failed'));
    expect(over.next(0)).toBeUndefined();
    const soft = timersAt(0, {}, { ...policy, failureIsSoft: true });
    soft.checked(0, seen('failed'));
    expect(soft.next(0)).toMatchObject({ cause: 'check', at: 10 });
  });

  it('leave a paid payment and its possible reversal to its row', () => {
    const paid = timersAt(0);
    paid.checked(0, seen('succeeded'));
    expect(paid.next(0)).toBeUndefined();
    expect(timersAt(1_500, { state: 'succeeded', endedAt: 0 }).next(1_500)).toBeUndefined();
    expect(nextCheckAt(policy, accepted({ state: 'succeeded', endedAt: 0 }), 1_500)).toBe(2_000);
  });

  it('only wait for the deadline while the provider cannot be queried, and poll as soon as it can', () => {
    const unknown = { ...policy, unknownDeadlineMs: 60 };
    const timers = timersAt(0, { isNamed: false }, unknown);
    expect(timers.next(0)).toMatchObject({ cause: 'deadline', at: 60 });
    timers.checked(25, seen('pending'));
    expect(timers.next(25)).toMatchObject({ cause: 'check', at: 30 });
    timers.keep();
    expect(timers.next(30)).toMatchObject({ cause: 'deadline', at: 100 });
  });

  it('check an open payment daily if its policy would leave a longer gap', () => {
    const sparse = { ...policy, rechecksMs: [], watchMs: 3 * day };
    expect(allOf(timersAt(0, {}, sparse)).slice(-4)).toEqual([
      ['deadline', 100],
      ['check', day + 100],
      ['check', 2 * day + 100],
      ['watch_end', 3 * day],
    ]);
    expect(allOf(timersAt(0, { state: 'timed_out' }, sparse)).slice(-2)).toEqual([
      ['deadline', 100],
      ['watch_end', 3 * day],
    ]);
  });

  describe('while a confirmation is awaited', () => {
    const unconfirmed = seen('pending', { unconfirmed: true });

    it('poll soon at first, then less and less often', () => {
      const timers = timersAt(0);
      timers.checked(0, unconfirmed);
      expect(timers.next(0)).toMatchObject({ cause: 'confirmation', at: 5 });
      timers.checked(5, unconfirmed);
      timers.keep();
      expect(allOf(timers)).toContainEqual(['confirmation', 55]);
    });

    it('include it, even after too many polls without a result', () => {
      const timers = timersAt(0);
      expect(timers.isConfirming()).toBe(false);
      timers.checked(0, seen('succeeded', { unconfirmed: true }));
      expect(timers.isConfirming()).toBe(true);
      timers.keep();
      expect(timers.isConfirming()).toBe(false);
      for (let n = 0; n < 1_000; n += 1) timers.checked(n, seen('succeeded', { unconfirmed: true }));
      expect(timers.isConfirming()).toBe(true);
      while (timers.next(0)) timers.keep();
      expect(timers.isConfirming()).toBe(true);
    });

    it('poll until the provider has answered, and no longer', () => {
      const timers = timersAt(0);
      timers.checked(0, unconfirmed);
      timers.checked(1, seen('pending', { isAsked: false }));
      expect(timers.next(1)).toMatchObject({ cause: 'confirmation', at: 5 });
      timers.checked(2, seen('pending'));
      expect(timers.next(2)).toMatchObject({ cause: 'check', at: 10 });
    });
  });

  describe('when several checks are overdue', () => {
    const queued: Policy = { ...policy, queuedMaxMs: 90, remindersMs: [0, 40, 80] };
    const overdue = (now: number, from = policy) => {
      const timers = timersAt(0, { state: 'queued' }, from);
      const found: [string, number][] = [];
      for (let next = timers.next(now); next && next.at <= now; next = timers.next(now)) {
        found.push(['n' in next ? `${next.cause} ${String(next.n)}` : next.cause, next.at]);
        timers.keep();
      }
      return found;
    };

    it('poll once for all of them', () => {
      expect(overdue(40)).toEqual([['check', 30]]);
      expect(overdue(310)).toEqual([
        ['check', 30],
        ['deadline', 100],
        ['check', 300],
      ]);
    });

    it('remind in order, but no recipient of a payment that ends, which has priority', () => {
      expect(overdue(85, queued)).toEqual([
        ['remind 0', 0],
        ['check', 30],
        ['remind 1', 40],
        ['remind 2', 80],
      ]);
      expect(overdue(1_000, queued).slice(0, 3)).toEqual([
        ['check', 30],
        ['give_up 0', 90],
        ['deadline', 100],
      ]);
    });

    it('remind once for all reminders missed before queueing or without a worker', () => {
      const late = timersAt(0, {}, queued);
      late.checked(45, seen('queued'));
      const again = timersAt(45, { state: 'queued' }, queued);
      for (const timers of [late, again])
        expect(allOf(timers).filter(([cause]) => cause === 'remind')).toEqual([
          ['remind', 45],
          ['remind', 80],
        ]);
    });

    it('cancel a queued payment at once only after its maximal time', () => {
      for (const now of [95, 250]) {
        const timers = timersAt(0, {}, queued);
        for (let next = timers.next(now); next && next.at <= now; next = timers.next(now)) timers.keep();
        timers.checked(now, seen('queued'));
        expect(timers.next(now)).toMatchObject({ cause: 'give_up', at: now });
      }
    });

    it("wait for the provider's result as long as if it had been cancelled in time", () => {
      const timers = timersAt(0, { state: 'queued' }, queued);
      for (let next = timers.next(5_000); next && next.cause !== 'give_up'; next = timers.next(5_000))
        timers.keep();
      timers.keep();
      timers.gaveUp(5_000, { inVain: false });
      expect(allOf(timers).filter(([cause]) => cause !== 'check')).toEqual([
        ['confirmation', 5_005],
        ['deadline', 5_010],
        ['confirmation', 5_055],
        ['watch_end', 5_310],
      ]);
    });

    it('repeat the cancellation less and less often, and open a case after the last', () => {
      const timers = timersAt(0, { state: 'queued' }, queued);
      const found: [string, number][] = [];
      for (let next = timers.next(0); next; next = timers.next(0)) {
        if (['give_up', 'deadline', 'watch_end'].includes(next.cause)) found.push([next.cause, next.at]);
        timers.keep();
        if (next.cause === 'give_up') timers.gaveUp(next.at, { inVain: true });
      }
      expect(found).toEqual([
        ...[90, 140, 240, 440, 840].map((at) => ['give_up', at]),
        ['deadline', 850],
        ['watch_end', 1_150],
      ]);
    });

    it('continue after a workflow is lost between two cancellations', () => {
      const abandoned = { at: 440, times: 4, inVain: true };
      const timers = timersAt(500, { state: 'queued', abandoned }, queued);
      expect(allOf(timers).filter(([cause]) => cause === 'give_up')).toEqual([['give_up', 840]]);
    });

    it('repeat the cancellation daily for a payment that is still queued after that', () => {
      const abandoned = { at: 840, times: 5, inVain: true };
      const over = accepted({ state: 'queued', abandoned });
      expect(allOf(pollTimers(queued, over, day)).some(([cause]) => cause === 'give_up')).toBe(false);
      const next = nextCheckAt(queued, over, day) ?? 0;
      expect(next).toBe(day + 1_150);
      expect(allOf(pollTimers(queued, over, next)).slice(0, 3)).toEqual([
        ['check', next],
        ['remind', next],
        ['give_up', next],
      ]);
    });
  });
});

describe('the row of a payment', () => {
  const minute = 60_000;

  it("is due a little after the workflow's check: a tenth of the wait, between one and ten minutes", () => {
    const slow = { ...policy, checksMs: [minute, 30 * minute, 10 * day], rechecksMs: [], watchMs: 11 * day };
    expect(checkDueAt(slow, accepted(), 0)).toBe(2 * minute);
    expect(checkDueAt(slow, accepted(), minute)).toBe(30 * minute + 2.9 * minute);
    expect(checkDueAt(slow, accepted(), 30 * minute)).toBe(day + 40 * minute);
  });

  it('is due after a short time if no workflow has started or no answer has come', () => {
    expect(checkDueAt(policy, accepted({ state: 'received' }), 5)).toBe(2_005);
    expect(checkDueAt(policy, accepted({ state: 'initiating' }), 5)).toBe(5 + 2 * minute);
  });

  it('is due daily while open after its whole schedule, and never once ended', () => {
    expect(checkDueAt(policy, accepted(), 10 * day + 400)).toBe(11 * day + 400 + 10 * minute);
    expect(checkDueAt(policy, accepted({ state: 'timed_out' }), 10 * day)).toBeUndefined();
    expect(checkDueAt(policy, accepted({ state: 'cancelled' }), 0)).toBeUndefined();
  });

  it('stores since when a check was due', () => {
    expect([lastCheckAt(policy, accepted(), 25), lastCheckAt(policy, accepted(), 5)]).toEqual([
      20,
      undefined,
    ]);
  });
});
