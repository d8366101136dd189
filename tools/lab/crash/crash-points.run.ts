/** `npm run crash-points`: every boundary of every operation; see docs/long-tests.md. It uses jest only as a runner. */
import { writeSync } from 'node:fs';
import { operations } from './operations';
import type { Operation } from './operations/operation';
import type { Victim } from './support/test-rig';
import { readOptions } from './support/options';
import { reportOf } from './support/report';
import { partOf, resultsIn, together } from './support/results';
import { runCrashPoints } from './support/run';
import { nameOf, type Point } from './support/trial';

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

/** Each run numbers its points by order, so a point that occurred once can be requested. */
function pointOf(name: string, among: readonly Operation[]): Point {
  const [operation] = among;
  const [victim = '', ...boundary] = name.slice((operation?.name.length ?? 0) + 1).split('/');
  if (!operation || !['api', 'worker', 'cli'].includes(victim)) throw new Error('there is no such process');
  return { operation: operation.name, victim: victim as Victim, boundary: boundary.join('/') };
}

it('no crash point leaves an error behind', async () => {
  const options = readOptions(process.env['CRASH_POINTS'] ?? '[]');
  const { stacks, rail, operation, only, every, part, msMax, list } = options;
  const results = resultsIn(options.results);
  const chosen = operations.filter(
    ({ name }) =>
      (rail === undefined || name.startsWith(`${rail}/`)) &&
      (operation === undefined || name === operation) &&
      (only === undefined || only.startsWith(`${name}/`)),
  );
  if (chosen.length === 0) throw new Error('there is no such operation');
  const run = await runCrashPoints({
    operations: chosen,
    stacks: only === undefined ? stacks : 1,
    named: only === undefined ? undefined : pointOf(only, chosen),
    chosen: (point) => !list && partOf(point, every) === part && !results.isDone(point),
    msMax,
    say,
    onTried: results.add,
  });
  const tried = together(results.before, run.tried);
  if (list) for (const point of run.points) say(`${nameOf(point)}  ${point.what ?? ''}`);
  for (const line of reportOf({ ...run, tried })) say(line);
  if (only !== undefined && run.tried.every(({ trial }) => !trial.killed))
    throw new Error('no process passed this point');
  expect(run.broken).toEqual([]);
  expect(tried.filter(({ trial }) => trial.faults.length > 0).map(({ point }) => nameOf(point))).toEqual([]);
});
