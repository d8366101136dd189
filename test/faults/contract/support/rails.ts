/** The rails and their providers, read from the tree, with their descriptions. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LentContract, RailContract } from '../rail-contract';

const railFolder = join(__dirname, '..', '..', '..', '..', 'src', 'rails');

const foldersIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

/** The names of the descriptions: by the rail, and also by its provider if it has several. */
const names = foldersIn(railFolder).flatMap((rail) => {
  const providers = foldersIn(join(railFolder, rail, 'providers'));
  return providers.length > 1 ? providers.map((provider) => `${rail}/${provider}`) : [rail];
});

type Description = RailContract | LentContract;

const described = new Map<string, Description>(
  names.flatMap((name) => {
    const file = join(__dirname, '..', 'rails', `${name}.ts`);
    if (!existsSync(file)) return [];
    // They are read from the tree, so their descriptions are found by name.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return [[name, (require(file) as { contract: Description }).contract]];
  }),
);

export const undescribed = names.filter((name) => !described.has(name));

/** The stage of a rail's own payments, and of those that use its account. */
export interface Stage {
  name: string;
  rail: string;
  contract: RailContract;
  /** The operator's settings for it. */
  settings: Record<string, string>;
}

const isLent = (description: Description): description is LentContract => 'lentBy' in description;

const stages: Stage[] = [...described].flatMap(([name, own]) => {
  if (isLent(own)) return [];
  const lent = [...described.values()].filter(isLent).filter(({ lentBy }) => lentBy === name);
  const flows = { ...own.flows, ...Object.fromEntries(lent.flatMap((each) => Object.entries(each.flows))) };
  const settings = Object.fromEntries(lent.flatMap((each) => Object.entries(each.settings)));
  return [{ name, rail: name.split('/')[0] ?? name, contract: { ...own, flows }, settings }];
});

/** @throws if there is no such stage: a description was renamed, or uses another stage. */
export function stageOf(name: string): Stage {
  const stage = stages.find((each) => each.name === name);
  if (!stage) throw new Error(`test/faults/contract/rails describes no ${name}`);
  return stage;
}

/** The stages without a test file beside this folder. */
export function untriedStages(): string[] {
  const folder = join(__dirname, '..');
  const tests = readdirSync(folder).filter((file) => file.endsWith('.test.ts'));
  const tried = tests.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  return stages.map(({ name }) => name).filter((name) => !tried.includes(`describeRail('${name}')`));
}
