/** `npm run soak`: see docs/long-tests.md. It uses jest only as a runner. */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { reportOf } from './support/report';
import { soak } from './support/soak';

const { values } = parseArgs({
  args: JSON.parse(process.env['SOAK'] ?? '[]') as string[],
  options: {
    hours: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const hourMs = 3_600_000;

it('over days nothing grows that should not, and verify finds nothing', async () => {
  const soaked = await soak({ ms: Number(values.hours) * hourMs, seed: Number(values.seed), say });
  for (const line of reportOf(soaked)) say(line);
  expect([...soaked.failed, ...soaked.violations]).toEqual([]);
});
