/** `npm run sequences`: any number of sequences; see docs/long-tests.md. It uses jest only as a runner. */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createTestDatabase } from '../../../test/support/database';
import { runSequences } from './run';
import { runCoreSequences } from './run-core';
import { createWorld } from './world';

const { values } = parseArgs({
  args: JSON.parse(process.env['SEQUENCES'] ?? '[]') as string[],
  options: {
    runs: { type: 'string', default: '10000' },
    length: { type: 'string', default: '512' },
    'database-runs': { type: 'string', default: '1000' },
    'database-length': { type: 'string', default: '48' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};
const perSecond = (count: number, since: number): string =>
  ((count / (performance.now() - since)) * 1_000).toFixed(0);

it('sequences through the pure core', () => {
  const since = performance.now();
  const { steps, refused, states } = runCoreSequences({
    runs: Number(values.runs),
    length: Number(values.length),
    seed,
  });
  say(
    `core: ${values.runs} sequences, ${String(steps)} steps (${perSecond(steps, since)}/s), of which ` +
      `${String(refused)} were rejected and changed nothing, 0 violations`,
  );
  say(`core: seed ${String(seed)}, ends: ${states.join(', ')}`);
});

it('sequences on the real database', async () => {
  const test = await createTestDatabase();
  const [runs, length] = [Number(values['database-runs']), Number(values['database-length'])];
  try {
    const world = await createWorld(test.db);
    const since = performance.now();
    const onDone = (done: number): void => {
      if (done % 100 === 0) say(`database: ${String(done)} sequences are done`);
    };
    const { steps, refused, states } = await runSequences(test.db, world, { runs, length, seed, onDone });
    say(
      `database: ${String(runs)} sequences, ${String(steps)} steps (${perSecond(steps, since)}/s), of which ` +
        `${String(refused)} were rejected and changed nothing, 0 violations`,
    );
    say(`database: seed ${String(seed)}, states: ${states.join(', ')}`);
  } finally {
    await test.drop();
  }
});
