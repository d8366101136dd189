import type { Policy } from '../../../src/domain/commands';
import { agendaOf } from '../../../workflows/agenda';

const policy: Policy = {
  checksMs: [10, 20, 30, 100],
  rechecksMs: [200, 300],
  watchMs: 400,
  confirmDelaysMs: [5, 50],
  afterSuccessChecksMs: [1_000, 2_000],
};

function appointmentsOf(agenda: ReturnType<typeof agendaOf>): [string, number][] {
  const found: [string, number][] = [];
  for (let next = agenda.next(0); next; next = agenda.next(0)) {
    found.push([next.cause, next.at]);
    agenda.keep();
  }
  return found;
}

describe('the agenda of a payment', () => {
  it('asks, gives up, looks again, and ends the watch', () => {
    expect(appointmentsOf(agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0, inOrder: true }))).toEqual([
      ...[10, 20, 30].map((at) => ['check', at]),
      ['deadline', 100],
      ...[200, 300].map((at) => ['check', at]),
      ['watch_end', 400],
    ]);
  });

  it('asks once for all that was missed when a payment is taken up again', () => {
    expect(appointmentsOf(agendaOf(policy, 'accepted', { acceptedAt: 0, now: 250, inOrder: true }))).toEqual([
      ['check', 250],
      ['deadline', 100],
      ['check', 300],
      ['watch_end', 400],
    ]);
  });

  it('looked after a success whether it was taken back, and never in the past, before there was an order', () => {
    const agenda = agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0, inOrder: false });
    agenda.entered('succeeded', 0, 1_500);
    expect(appointmentsOf(agenda)).toEqual([['check', 2_000]]);
  });

  it('is over after an ending, save where the customer may try again', () => {
    const over = agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0, inOrder: true });
    over.entered('failed', 0, 0);
    expect(over.next(0)).toBeUndefined();
    const soft = agendaOf({ ...policy, failureIsSoft: true }, 'accepted', {
      acceptedAt: 0,
      now: 0,
      inOrder: true,
    });
    soft.entered('failed', 0, 0);
    expect(soft.next(0)).toMatchObject({ cause: 'check', at: 10 });
  });

  it('asks for a confirmation sooner at first, and then more rarely', () => {
    const agenda = agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0, inOrder: true });
    agenda.confirmAgain(0);
    expect(agenda.next(0)).toMatchObject({ cause: 'confirmation', at: 5 });
    agenda.confirmAgain(5);
    agenda.keep();
    expect(appointmentsOf(agenda)).toContainEqual(['confirmation', 55]);
  });

  it('knows whether a confirmation is awaited, and when it was asked for in vain for too long', () => {
    const agenda = agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0, inOrder: true });
    expect(agenda.isConfirming()).toBe(false);
    agenda.entered('succeeded', 0, 0);
    agenda.confirmAgain(0);
    expect(agenda.isConfirming()).toBe(true);
    agenda.keep();
    expect(agenda.isConfirming()).toBe(false);
    for (let n = 0; n < 1_000; n += 1) agenda.confirmAgain(n);
    expect(agenda.isConfirming()).toBe(true);
    while (agenda.next(0)) agenda.keep();
    expect(agenda.isConfirming()).toBe(true);
  });

  describe('when several things are overdue', () => {
    const queued: Policy = { ...policy, queuedMaxMs: 90, remindersMs: [0, 40, 80] };
    const overdue = (now: number, from = policy, inOrder = true) => {
      const agenda = agendaOf(from, 'accepted', { acceptedAt: 0, now: 0, inOrder });
      agenda.entered('queued', 0, 0);
      const found: [string, number][] = [];
      for (let next = agenda.next(now); next && next.at <= now; next = agenda.next(now)) {
        found.push(['n' in next ? `${next.cause} ${String(next.n)}` : next.cause, next.at]);
        agenda.keep();
      }
      return found;
    };

    it('asks once for all the questions', () => {
      expect(overdue(40)).toEqual([['check', 30]]);
      expect(overdue(310)).toEqual([
        ['check', 30],
        ['deadline', 100],
        ['check', 300],
      ]);
    });

    it('reminds in turn, but nobody of what is given up, which comes before the wait is over', () => {
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

    it('awaits the word of the provider as long as if it had been given up in time', () => {
      const agenda = agendaOf(queued, 'accepted', { acceptedAt: 0, now: 0, inOrder: true });
      agenda.entered('queued', 0, 0);
      for (let next = agenda.next(5_000); next && next.cause !== 'give_up'; next = agenda.next(5_000))
        agenda.keep();
      agenda.keep();
      agenda.gaveUp(5_000, { inVain: false });
      expect(appointmentsOf(agenda).filter(([cause]) => cause !== 'check')).toEqual([
        ['confirmation', 5_005],
        ['deadline', 5_010],
        ['confirmation', 5_055],
        ['watch_end', 5_310],
      ]);
    });

    it('gives up again, more and more rarely, and asks an operator when all that was in vain', () => {
      const agenda = agendaOf(queued, 'accepted', { acceptedAt: 0, now: 0, inOrder: true });
      const found: [string, number][] = [];
      for (let next = agenda.next(0); next; next = agenda.next(0)) {
        if (next.cause !== 'check' && next.cause !== 'confirmation') found.push([next.cause, next.at]);
        agenda.keep();
        if (next.cause === 'give_up') agenda.gaveUp(next.at, { inVain: true });
      }
      expect(found).toEqual([
        ...[90, 140, 240, 440, 840].map((at) => ['give_up', at]),
        ['deadline', 850],
        ['watch_end', 1_150],
      ]);
    });

    it('does each by itself for payments that were begun before there was an order', () => {
      expect(overdue(40, queued, false)).toEqual([
        ['check', 10],
        ['check', 20],
        ['check', 30],
      ]);
    });

    it('looks once at what was paid and whose looks were missed', () => {
      const agenda = agendaOf(policy, 'accepted', { acceptedAt: 0, now: 1_500, inOrder: true });
      agenda.entered('succeeded', 0, 1_500);
      expect(appointmentsOf(agenda)).toEqual([
        ['check', 1_500],
        ['check', 2_000],
      ]);
    });
  });
});
