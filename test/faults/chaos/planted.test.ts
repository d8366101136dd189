/** The chaos test itself must find a fault that is planted in the worker. */
import { runChaos } from '../../../tools/lab/chaos/support/chaos';

it('finds a submission that is sent again because its answer was lost', async () => {
  const { violations } = await runChaos({
    // In its first half minute the providers of both rails that would prompt a payer twice lose several answers.
    seed: 656,
    ms: 40_000,
    restsWithinMs: 400_000,
    plant: 'sent-anew-when-lost',
    say: () => undefined,
  });
  expect(violations).toContainEqual(expect.stringMatching(/^the payer of \S+ was prompted [2-9] times$/));
});
