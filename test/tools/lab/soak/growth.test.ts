/** The soak test finds a leak, however often the process is restarted, and does not take a restart for one. */
import { grown, growthOf } from '../../../../tools/lab/soak/support/growth';
import type { Sample } from '../../../../tools/lab/soak/support/samples';

const minute = 60_000;
const name = 'memory of the api, MiB';
const limits = [{ name, owner: 'api', perHour: 32 }];

/** A sample each minute, of a process that is restarted at intervals. */
function run(minutes: number, restartEvery: number, memory: (livedMinutes: number) => number): Sample[] {
  return Array.from({ length: minutes }, (_, n) => ({
    atMs: n * minute,
    values: { [name]: memory(n % restartEvery) },
    pids: { api: 1_000 + Math.floor(n / restartEvery) },
  }));
}

it('measures the growth of each life, which the whole run does not show', () => {
  const { perHour, lives, longestMs } = growthOf(
    run(240, 40, (lived) => 200 + 2 * lived),
    name,
    'api',
  );
  expect(perHour).toBeCloseTo(120);
  expect(lives).toBe(6);
  expect(longestMs).toBe(29 * minute);
});

it('fails for a leak, and not for a warm-up, or a level after a restart', () => {
  const leaks = run(240, 40, (lived) => 200 + lived);
  expect(grown(leaks, limits).faults).toEqual([
    `${name}: 60.0 more in each hour of a life, of 6, the longest 29 min, and may be 32`,
  ]);
  const warmsUp = run(240, 40, (lived) => 200 + 10 * Math.min(lived, 8));
  expect(grown(warmsUp, limits).faults).toEqual([]);
  expect(
    grown(
      run(240, 40, (lived) => 200 + (lived % 3)),
      limits,
    ).faults,
  ).toEqual([]);
});

it('reports a life that is too short, and does not judge it', () => {
  const { reported, faults } = grown(
    run(60, 5, (lived) => 200 + 5 * lived),
    limits,
  );
  expect(faults).toEqual([]);
  expect(reported).toEqual([expect.stringContaining('not judged of lives so short')]);
});
