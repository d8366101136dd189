import { plannedFault } from '../../../tools/lab/chaos/support/plan';

/** A seed's faults, in words. */
const planOf = (seed: number, length: number): string[] =>
  Array.from({ length }, (_, n) => {
    const { fault, pauseMs, lastsMs, chance } = plannedFault(seed, n);
    return [fault.kind, fault.about, pauseMs, lastsMs, chance.next()].join(' ');
  });

it('a seed has the same faults each time, whatever happens to each', () => {
  const plan = planOf(7, 200);
  // A fault that could not be applied draws no random numbers.
  const [, second] = [plannedFault(7, 0), plannedFault(7, 1)];
  expect(`${second.fault.kind} ${second.fault.about}`).toBe(plan[1]?.split(' ').slice(0, -3).join(' '));
  expect(planOf(7, 200)).toEqual(plan);
});

it('other seeds have other faults', () => {
  const [one, other] = [new Set(planOf(7, 200)), planOf(8, 200)];
  expect(other.filter((fault) => one.has(fault))).toEqual([]);
});
