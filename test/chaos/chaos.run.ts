/** `npm run chaos`: seed after seed; see docs/proof.md. Jest only lends it its services. */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runChaos, type Chaos } from './support/chaos';
import { reportOf, summaryOf } from './support/report';

const { values } = parseArgs({
  args: JSON.parse(process.env['CHAOS'] ?? '[]') as string[],
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '3' },
    quiet: { type: 'boolean', default: false },
    plant: { type: 'string' },
  },
});

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

it('whatever breaks, everything comes to rest as its provider has it', async () => {
  const violations: string[] = [];
  const runs: Chaos[] = [];
  for (let n = 0; n < Number(values.seeds); n += 1) {
    const seed = Number(values.seed) + n;
    say(`seed ${String(seed)}: npm run chaos -- --seed ${String(seed)} --minutes ${values.minutes}`);
    const ms = Number(values.minutes) * 60_000;
    const chaos = await runChaos({
      seed,
      ms,
      plant: values.plant,
      say: values.quiet ? () => undefined : say,
    });
    for (const line of reportOf(seed, chaos)) say(line);
    runs.push(chaos);
    violations.push(...chaos.violations.map((fault) => `seed ${String(seed)}: ${fault}`));
  }
  for (const line of summaryOf(runs, Number(values.minutes))) say(line);
  expect(violations).toEqual([]);
});
