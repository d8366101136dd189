/** The chaos itself, seen finding a fault that is put into the worker. */
import { runChaos } from '../../../tools/lab/chaos/support/chaos';

it('finds an instruction that is sent anew because its answer was lost', async () => {
  const { violations } = await runChaos({
    // In its first half minute the providers of both rails that ask a payer twice lose several answers.
    seed: 656,
    ms: 40_000,
    restsWithinMs: 400_000,
    plant: 'sent-anew-when-lost',
    say: () => undefined,
  });
  expect(violations).toContainEqual(expect.stringMatching(/^the payer of \S+ was asked [2-9] times$/));
});
