/** Random sequences through the pure core: the decision, the states and the fees; `npm run sequences` runs many more. */
import { runCoreSequences } from './run-core';

it('a payment to which anything happens 512 times takes only allowed steps, and its books add up', () => {
  const { events, states } = runCoreSequences({ runs: 50, length: 512 });
  expect(events).toBeGreaterThan(5_000);
  expect(states.length).toBeGreaterThan(1);
});
