import type { Policy } from '../../src/domain/commands';
import { agendaOf } from '../../workflows/agenda';

const policy: Policy = {
  checksMs: [10, 20, 30, 100],
  rechecksMs: [200, 300],
  watchMs: 400,
  confirmDelaysMs: [5, 50],
  afterSuccessChecksMs: [1_000, 2_000],
};

function appointmentsOf(agenda: ReturnType<typeof agendaOf>): [string, number][] {
  const found: [string, number][] = [];
  for (let next = agenda.next(); next; next = agenda.next()) {
    found.push([next.cause, next.at]);
    agenda.keep();
  }
  return found;
}

describe('the agenda of a payment', () => {
  it('asks, gives up, looks again, and ends the watch', () => {
    expect(appointmentsOf(agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0 }))).toEqual([
      ...[10, 20, 30].map((at) => ['check', at]),
      ['deadline', 100],
      ...[200, 300].map((at) => ['check', at]),
      ['watch_end', 400],
    ]);
  });

  it('asks once for all that was missed when a payment is taken up again', () => {
    expect(appointmentsOf(agendaOf(policy, 'accepted', { acceptedAt: 0, now: 250 }))).toEqual([
      ['check', 250],
      ['deadline', 100],
      ['check', 300],
      ['watch_end', 400],
    ]);
  });

  it('looks after a success whether it was taken back, and never in the past', () => {
    const agenda = agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0 });
    agenda.entered('succeeded', 0, 1_500);
    expect(appointmentsOf(agenda)).toEqual([['check', 2_000]]);
  });

  it('is over after an ending, save where the customer may try again', () => {
    const over = agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0 });
    over.entered('failed', 0, 0);
    expect(over.next()).toBeUndefined();
    const soft = agendaOf({ ...policy, failureIsSoft: true }, 'accepted', { acceptedAt: 0, now: 0 });
    soft.entered('failed', 0, 0);
    expect(soft.next()).toMatchObject({ cause: 'check', at: 10 });
  });

  it('asks for a confirmation sooner at first, and then more rarely', () => {
    const agenda = agendaOf(policy, 'accepted', { acceptedAt: 0, now: 0 });
    agenda.confirmAgain(0);
    expect(agenda.next()).toMatchObject({ cause: 'confirmation', at: 5 });
    agenda.confirmAgain(5);
    agenda.keep();
    expect(appointmentsOf(agenda)).toContainEqual(['confirmation', 55]);
  });
});
