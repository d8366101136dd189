/** Random sequences through the pure core: decisions, states, moves and fees; `npm run sequences` runs many more. */
import { runCoreSequences } from '../../../../tools/lab/sequences/run-core';

it('several payments over a few accounts, 512 steps long: only allowed steps, and all books add up after each', () => {
  const { steps, refused, states } = runCoreSequences({ runs: 50, length: 512 });
  expect(steps).toBe(50 * 512);
  // Overdrawn, twice, or in no state for it.
  expect(refused).toBeGreaterThan(1_000);
  expect(states).toEqual(expect.arrayContaining(['failed', 'pending', 'refunded', 'succeeded', 'timed_out']));
});
