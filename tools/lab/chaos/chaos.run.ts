/** `npm run chaos`: one seed after the other; see docs/long-tests.md. It uses jest only as a runner. */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runChaos } from './support/chaos';
import { reportOf, summaryOf } from './support/report';
import { keepResult, readResults, resultOf, type SeedResult } from './support/results';

const { values } = parseArgs({
  args: JSON.parse(process.env['CHAOS'] ?? '[]') as string[],
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '3' },
    quiet: { type: 'boolean', default: false },
    results: { type: 'string' },
    sum: { type: 'string' },
    plant: { type: 'string' },
  },
});

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

async function runSeed(seed: number, minutes: number): Promise<SeedResult> {
  say(`seed ${String(seed)}: npm run chaos -- --seed ${String(seed)} --minutes ${String(minutes)}`);
  const chaos = await runChaos({
    seed,
    ms: minutes * 60_000,
    plant: values.plant,
    say: values.quiet ? () => undefined : say,
  });
  const result = resultOf(seed, minutes, chaos);
  for (const line of reportOf(result)) say(line);
  if (values.results !== undefined) keepResult(values.results, result);
  return result;
}

it('under any faults, every payment ends as its provider has booked it', async () => {
  const results: SeedResult[] = [];
  if (values.sum === undefined)
    for (let n = 0; n < Number(values.seeds); n += 1)
      results.push(await runSeed(Number(values.seed) + n, Number(values.minutes)));
  else results.push(...readResults(values.sum));
  for (const line of summaryOf(results)) say(line);
  const violations = results.flatMap((result) =>
    result.violations.map((fault) => `seed ${String(result.seed)}: ${fault}`),
  );
  expect(violations).toEqual([]);
});
