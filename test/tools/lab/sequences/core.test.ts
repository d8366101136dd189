/**
 * Random sequences through the pure core: decisions, states, transitions and fees; `npm run sequences` runs many more.
 */
import { liveInMemory } from '../../../../tools/lab/sequences/core';
import { runCoreSequences } from '../../../../tools/lab/sequences/run-core';

it('several payments over a few accounts, 512 steps long: only allowed steps, and all books balance after each', () => {
  const { steps, refused, states } = runCoreSequences({ runs: 50, length: 512 });
  expect(steps).toBe(50 * 512);
  // Overdrawn, repeated, or in a wrong state.
  expect(refused).toBeGreaterThan(1_000);
  expect(states).toEqual(expect.arrayContaining(['failed', 'pending', 'refunded', 'succeeded', 'timed_out']));
});

it('a deposit is refunded by us and by its provider, which then pays a part again: the excess becomes smaller', () => {
  const deposit = { do: 'accept', kind: 'deposit', merchant: 0, amount: 100, of: 0 } as const;
  const collection = { operation: 'collection', fixed: '27', per_million: 0 } as const;
  const { refused, states } = liveInMemory(
    {
      facts: { watchedAfterSuccess: true, isDisputed: true },
      collection: { ...collection, minimum: null, maximum: null },
      payout: { operation: 'payout', fixed: '0', per_million: 0, minimum: null, maximum: null },
    },
    [
      deposit,
      { do: 'send', n: 0, answer: 'accepted' },
      { do: 'check', n: 0, statusText: 'paid', cause: 'check' },
      { ...deposit, kind: 'refund' },
      { do: 'send', n: 0, answer: 'accepted' },
      { do: 'check', n: 1, statusText: 'gone back', cause: 'check' },
      { do: 'check', n: 0, statusText: 'paid', cause: 'check' },
      // Seen twice, as after a dispute that the merchant has won.
      { do: 'check', n: 1, statusText: 'gone back in part', cause: 'check' },
      { do: 'check', n: 1, statusText: 'gone back in part', cause: 'check' },
    ],
  );
  expect({ refused, states: [...states].sort() }).toEqual({ refused: 0, states: ['refunded', 'succeeded'] });
});
