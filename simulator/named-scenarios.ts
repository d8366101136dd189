/** The test values of all providers, each with a name for a command line. */
import type { TestValue } from './provider';

export interface NamedScenario extends Pick<TestValue, 'value' | 'title' | 'behaviour'> {
  /** For example `stk.insufficient-funds` or `momo.payout.late-callback`. */
  name: string;
  provider: string;
  asks: string;
}

interface Playing {
  definition: { name: string };
  provider: { testValues: readonly TestValue[] };
}

const inKebabCase = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

export function namedScenarios(playing: readonly Playing[]): NamedScenario[] {
  const all = playing.flatMap(({ definition: { name: provider }, provider: { testValues } }) =>
    testValues.flatMap(({ asks, ...rest }) =>
      asks.map((one) => ({ ...rest, provider, asks: one, name: nameOf(provider, one, rest.title) })),
    ),
  );
  // Two with the same title get the digits that trigger them in their names.
  return all.map((scenario) => {
    const isAlone = all.filter(({ name }) => name === scenario.name).length === 1;
    return isAlone
      ? scenario
      : { ...scenario, name: `${scenario.name}-${scenario.value.replace(/\D/g, '')}` };
  });
}

function nameOf(provider: string, asks: string, title: string): string {
  return [provider, ...(asks === 'payment' ? [] : [asks]), inKebabCase(title)].join('.');
}
