/**
 * `npm run mutation`: whether the tests notice changes of the code; see docs/long-tests.md. It uses jest only as a runner.
 */
import { writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { groups, type Group } from './groups';
import { mutate, type Mutant } from './stryker';
import { shown, unexplained } from './survivors';

/** The percentage of mutants that must be noticed, in each group. */
const scoreMin = 90;

const { values } = parseArgs({
  args: JSON.parse(process.env['MUTATION'] ?? '[]') as string[],
  options: {
    only: { type: 'string' },
    module: { type: 'string' },
    list: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '2' },
  },
});

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

/** The requested groups, each with its requested modules. */
function chosen(): Group[] {
  const { only, module: part } = values;
  const named = groups
    .filter(({ name }) => only === undefined || name === only)
    .map((group) => ({ ...group, modules: group.modules.filter((file) => file.includes(part ?? '')) }))
    .filter(({ modules }) => modules.length > 0);
  if (named.length === 0) throw new Error('there is no such group');
  return named;
}

/** @returns whether enough mutants were noticed, and all others are explained. */
function report(name: string, mutants: readonly Mutant[], seconds: number): boolean {
  const having = (...status: Mutant['status'][]) => mutants.filter((each) => status.includes(each.status));
  const noticed = having('Killed', 'Timeout');
  const survivors = having('Survived', 'NoCoverage');
  const score = (100 * noticed.length) / (noticed.length + survivors.length);
  const open = unexplained(survivors);
  for (const each of open) say(`${each.file}:${String(each.line)}\n- ${shown(each)}: not explained`);
  say(
    `${name}: ${String(noticed.length + survivors.length)} mutants, ${String(noticed.length)} killed ` +
      `(${String(having('Timeout').length)} by time), ` +
      `${String(survivors.length)} survived, of which ${String(survivors.length - open.length)} are explained; ` +
      `score ${score.toFixed(1)} %; ${seconds.toFixed(0)} s`,
  );
  return score >= scoreMin && open.length === 0;
}

it('the tests notice mutations', async () => {
  if (values.list) {
    for (const { name, modules } of groups) say([name, ...modules].join('\n  '));
    return;
  }
  const found = new Map<string, { mutants: Mutant[]; seconds: number }>();
  for (const group of chosen()) {
    const since = performance.now();
    const { mutants, seconds } = found.get(group.name) ?? { mutants: [], seconds: 0 };
    mutants.push(...(await mutate(group, Number(values['at-once']))));
    found.set(group.name, { mutants, seconds: seconds + (performance.now() - since) / 1_000 });
  }
  const lacking = [...found].filter(([name, { mutants, seconds }]) => !report(name, mutants, seconds));
  expect(lacking.map(([name]) => name)).toEqual([]);
});
