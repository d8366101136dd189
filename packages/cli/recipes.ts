/** Finds and runs the recipe for one of the simulator's test values: the rails have the recipes. */
import { ActionError } from '../../src/operator-actions/errors';
import type { RailSandbox, Recipe, RecipeContext, Served } from '../../src/rail-kit/sandbox';
import { railSandboxes } from '../../src/rails/sandbox';
import { taken } from './merchant-api';
import { askUntil } from './patience';

/** A test value, as the simulator describes it at /control/scenarios. */
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

const sandboxes: Readonly<Record<string, RailSandbox | undefined>> = railSandboxes;

function recipeOf({ provider, asks }: Scenario): Recipe | undefined {
  return sandboxes[provider]?.recipes[asks];
}

export const hasRecipe = (scenario: Scenario) => recipeOf(scenario) !== undefined;

/** @throws ActionError for a scenario that no request can cause. */
export function bringAbout(
  given: Pick<RecipeContext, 'api' | 'customer'>,
  scenario: Scenario,
): Promise<Served> {
  const recipe = recipeOf(scenario);
  if (!recipe) throw new ActionError(`${scenario.name} cannot be caused by a request.`);
  return recipe({ ...given, taken, until }, scenario.value);
}

async function until<T>(ask: () => Promise<T | undefined>, tooLong: string): Promise<T> {
  const found = await askUntil(ask, orderPatienceMs);
  if (found === undefined) throw new ActionError(tooLong);
  return found;
}
