/** A short chaos beside all other tests; `npm run chaos` has longer ones (docs/proof.md). */
import { runChaos } from '../../../tools/lab/chaos/support/chaos';
import { seeds } from './seeds';

/**
 * A minute and a half of faults in all, however many seeds have found something, which with the way back to rest makes
 * three: each night has half an hour of them.
 */
const msOfAll = 90_000;
const ms = msOfAll / seeds.length;
/** The machine has other tests to run. */
const restsWithinMs = 400_000;
const say = (): void => undefined;

it.each(seeds)(
  'whatever breaks, everything comes to rest as its provider has it (seed $seed)',
  async ({ seed }) => {
    const { shopped, struck, violations } = await runChaos({ seed, ms, restsWithinMs, say });
    expect(violations).toEqual([]);
    expect(shopped.filter(({ id }) => id !== undefined).length).toBeGreaterThan(0);
    expect(struck.length).toBeGreaterThan(5);
  },
);
