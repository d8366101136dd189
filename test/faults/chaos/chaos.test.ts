/** A short chaos run with all other tests; `npm run chaos` makes longer ones (docs/long-tests.md). */
import { runChaos } from '../../../tools/lab/chaos/support/chaos';
import { seeds } from './seeds';

/**
 * A minute and a half of faults in total, for any number of seeds; with the recovery that makes three. Each night has
 * half an hour of faults.
 */
const msOfAll = 90_000;
const ms = msOfAll / seeds.length;
/** The machine runs other tests too. */
const restsWithinMs = 400_000;
const say = (): void => undefined;

it.each(seeds)(
  'under any faults, every payment ends as its provider has booked it (seed $seed)',
  async ({ seed }) => {
    const { shopped, struck, violations } = await runChaos({ seed, ms, restsWithinMs, say });
    expect(violations).toEqual([]);
    expect(shopped.filter(({ id }) => id !== undefined).length).toBeGreaterThan(0);
    expect(struck.length).toBeGreaterThan(5);
  },
);
