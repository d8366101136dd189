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
  it('ask, give up, look again, and end the watch', () => {
    expect(allOf(timersAt(0))).toEqual([
      ...[10, 20, 30].map((at) => ['check', at]),
      ['deadline', 100],
      ...[200, 300].map((at) => ['check', at]),
      ['watch_end', 400],
    ]);
  });

  it('ask once for all that was missed when a payment is taken up again', () => {
    expect(allOf(timersAt(250))).toEqual([
      ['check', 250],
      ['deadline', 100],
      ['check', 300],
      ['watch_end', 400],
    ]);
  });

  it('are over after an ending, save where the customer may try again', () => {
    const over = timersAt(0);
    over.checked(0, seen('failed'));
    expect(over.next(0)).toBeUndefined();
    const soft = timersAt(0, {}, { ...policy, failureIsSoft: true });
    soft.checked(0, seen('failed'));
    expect(soft.next(0)).toMatchObject({ cause: 'check', at: 10 });
  });

  it('leave to its row what was paid, and whether that is taken back', () => {
    const paid = timersAt(0);
    paid.checked(0, seen('succeeded'));
    expect(paid.next(0)).toBeUndefined();
    expect(timersAt(1_500, { state: 'succeeded', endedAt: 0 }).next(1_500)).toBeUndefined();
    expect(nextCheckAt(policy, accepted({ state: 'succeeded', endedAt: 0 }), 1_500)).toBe(2_000);
  });

  it('wait for the deadline alone while nobody can be asked, and ask as soon as somebody can', () => {
    const unknown = { ...policy, unknownDeadlineMs: 60 };
    const timers = timersAt(0, { isNamed: false }, unknown);
    expect(timers.next(0)).toMatchObject({ cause: 'deadline', at: 60 });
    timers.checked(25, seen('pending'));
    expect(timers.next(25)).toMatchObject({ cause: 'check', at: 30 });
    timers.keep();
    expect(timers.next(30)).toMatchObject({ cause: 'deadline', at: 100 });
  });

  it('check what is open daily where its policy would leave it alone for longer', () => {
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

    it('ask sooner at first, and then more rarely', () => {
      const timers = timersAt(0);
      timers.checked(0, unconfirmed);
      expect(timers.next(0)).toMatchObject({ cause: 'confirmation', at: 5 });
      timers.checked(5, unconfirmed);
      timers.keep();
      expect(allOf(timers)).toContainEqual(['confirmation', 55]);
    });

    it('know it, also when it was asked for in vain for too long', () => {
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

    it('ask until the provider was asked, and then no more', () => {
      const timers = timersAt(0);
      timers.checked(0, unconfirmed);
      timers.checked(1, seen('pending', { isAsked: false }));
      expect(timers.next(1)).toMatchObject({ cause: 'confirmation', at: 5 });
      timers.checked(2, seen('pending'));
      expect(timers.next(2)).toMatchObject({ cause: 'check', at: 10 });
    });
  });

  describe('when several things are overdue', () => {
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

    it('ask once for all the questions', () => {
      expect(overdue(40)).toEqual([['check', 30]]);
      expect(overdue(310)).toEqual([
        ['check', 30],
        ['deadline', 100],
        ['check', 300],
      ]);
    });

    it('remind in turn, but nobody of what is given up, which comes before the wait is over', () => {
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

    it('remind once of all that was missed before it was queued, or while nobody reminded', () => {
      const late = timersAt(0, {}, queued);
      late.checked(45, seen('queued'));
      const again = timersAt(45, { state: 'queued' }, queued);
      for (const timers of [late, again])
        expect(allOf(timers).filter(([cause]) => cause === 'remind')).toEqual([
          ['remind', 45],
          ['remind', 80],
        ]);
    });

    it('give up at once what is queued only after the longest that it may be', () => {
      for (const now of [95, 250]) {
        const timers = timersAt(0, {}, queued);
        for (let next = timers.next(now); next && next.at <= now; next = timers.next(now)) timers.keep();
        timers.checked(now, seen('queued'));
        expect(timers.next(now)).toMatchObject({ cause: 'give_up', at: now });
      }
    });

    it('await the word of the provider as long as if it had been given up in time', () => {
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

    it('give up again, more and more rarely, and ask an operator when all that was in vain', () => {
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

    it('go on where they were when a workflow is lost between two times of giving up', () => {
      const givenUp = { at: 440, times: 4, inVain: true };
      const timers = timersAt(500, { state: 'queued', givenUp }, queued);
      expect(allOf(timers).filter(([cause]) => cause === 'give_up')).toEqual([['give_up', 840]]);
    });

    it('give up once more each day what is queued after all that', () => {
      const givenUp = { at: 840, times: 5, inVain: true };
      const over = accepted({ state: 'queued', givenUp });
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

  it('is due a little later than its workflow checks it: a tenth of the wait, from one minute to ten', () => {
    const slow = { ...policy, checksMs: [minute, 30 * minute, 10 * day], rechecksMs: [], watchMs: 11 * day };
    expect(checkDueAt(slow, accepted(), 0)).toBe(2 * minute);
    expect(checkDueAt(slow, accepted(), minute)).toBe(30 * minute + 2.9 * minute);
    expect(checkDueAt(slow, accepted(), 30 * minute)).toBe(day + 40 * minute);
  });

  it('is due at once after a while where no workflow has begun, or nobody has answered', () => {
    expect(checkDueAt(policy, accepted({ state: 'received' }), 5)).toBe(2_005);
    expect(checkDueAt(policy, accepted({ state: 'initiating' }), 5)).toBe(5 + 2 * minute);
  });

  it('is due daily while it is open after its whole schedule, and never once it has ended', () => {
    expect(checkDueAt(policy, accepted(), 10 * day + 400)).toBe(11 * day + 400 + 10 * minute);
    expect(checkDueAt(policy, accepted({ state: 'timed_out' }), 10 * day)).toBeUndefined();
    expect(checkDueAt(policy, accepted({ state: 'cancelled' }), 0)).toBeUndefined();
  });

  it('tells since when a check was due', () => {
    expect([lastCheckAt(policy, accepted(), 25), lastCheckAt(policy, accepted(), 5)]).toEqual([
      20,
      undefined,
    ]);
  });
});
