/** A short chaos beside all other tests; `npm run chaos` has longer ones (docs/proof.md). */
import { runChaos } from './support/chaos';
import { seeds } from './seeds';

jest.setTimeout(900_000);

const ms = 40_000;

it.each(seeds)(
  'whatever breaks, everything comes to rest as its provider has it (seed $seed)',
  async ({ seed }) => {
    const { shopped, struck, violations } = await runChaos({ seed, ms, say: () => undefined });
    expect(violations).toEqual([]);
    expect(shopped.filter(({ id }) => id !== undefined).length).toBeGreaterThan(0);
    expect(struck.length).toBeGreaterThan(5);
  },
);
