/** `npm run crash-points`: every boundary of every operation; see docs/proof.md. Jest only lends it its services. */
import { writeSync } from 'node:fs';
import { operations } from './operations';
import { readOptions } from './support/options';
import { reportOf } from './support/report';
import { runCrashPoints } from './support/run';
import { nameOf } from './support/trial';

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

it('no crash point leaves anything wrong behind', async () => {
  const { lanes, rail, operation, only, every, part, msMax, list } = readOptions(
    process.env['CRASH_POINTS'] ?? '[]',
  );
  const chosen = operations.filter(
    ({ name }) =>
      (rail === undefined || name.startsWith(`${rail}/`)) &&
      (operation === undefined || name === operation) &&
      (only === undefined || only.startsWith(`${name}/`)),
  );
  if (chosen.length === 0) throw new Error('there is no such operation');
  let n = 0;
  const run = await runCrashPoints({
    operations: chosen,
    lanes: only === undefined ? lanes : 1,
    chosen: (point) => !list && (only === undefined ? n++ % every === part - 1 : nameOf(point) === only),
    msMax,
    say,
  });
  if (list) for (const point of run.points) say(`${nameOf(point)}  ${point.what ?? ''}`);
  for (const line of reportOf(run)) say(line);
  if (only !== undefined && run.tried.length === 0) throw new Error('there is no such point');
  expect(run.broken).toEqual([]);
  expect(run.tried.filter(({ trial }) => trial.faults.length > 0).map(({ point }) => nameOf(point))).toEqual(
    [],
  );
});
