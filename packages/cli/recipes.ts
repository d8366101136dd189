/** How each of the simulator's test values is brought about through the API: the rails tell. */
import { ActionError } from '../../src/operator-actions/errors';
import type { Kitchen, Recipe, Served } from '../../src/rail-kit/sandbox';
import { railSandboxes } from '../../src/rails/sandbox';
import { taken } from './merchant-api';
import { askUntil } from './patience';

/** A test value, as the simulator tells it at /control/scenarios. */
export interface Scenario {
  /** Such as `stk.insufficient-funds`. */
  name: string;
  provider: string;
  value: string;
  asks: string;
  title: string;
  behaviour: string;
}

/** How long an order may take to be paid before it is refunded. */
const orderPatienceMs = 180_000;

function recipeOf({ provider, asks }: Scenario): Recipe | undefined {
  const sandbox = Object.entries(railSandboxes).find(([name]) => name === provider)?.[1];
  return sandbox && Object.entries(sandbox.recipes).find(([name]) => name === asks)?.[1];
}

export const hasRecipe = (scenario: Scenario) => recipeOf(scenario) !== undefined;

/** @throws ActionError for what cannot be brought about by a request. */
export function bringAbout(given: Pick<Kitchen, 'api' | 'customer'>, scenario: Scenario): Promise<Served> {
  const recipe = recipeOf(scenario);
  if (!recipe) throw new ActionError(`${scenario.name} is not brought about by a request of yours.`);
  return recipe({ ...given, taken, until }, scenario.value);
}

async function until<T>(ask: () => Promise<T | undefined>, tooLong: string): Promise<T> {
  const found = await askUntil(ask, orderPatienceMs);
  if (found === undefined) throw new ActionError(tooLong);
  return found;
}
