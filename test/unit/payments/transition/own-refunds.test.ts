/** The provider's own refunds, separated from the merchants' refunds through us. */
import { subtract, type OwnRefund } from '../../../../src/payments/transition/own-refunds';
import type { ReturnedByProvider } from '../../../../src/rail-kit/provider-events';

const reported = (
  refunds: [id: string, minor: bigint, name?: string][],
  changes: Partial<ReturnedByProvider> = {},
): ReturnedByProvider => ({
  kind: 'refunded',
  code: 'PARTIALLY_REFUNDED',
  text: 'PARTIALLY_REFUNDED',
  paidMinor: 2_500n,
  returnedMinor: refunds.reduce((sum, [, minor]) => sum + minor, 0n),
  refunds: refunds.map(([id, amountMinor, name = 'the order']) => ({ id, amountMinor, names: [name] })),
  currency: 'USD',
  details: { refund_id: refunds.at(-1)?.[0] ?? '' },
  ...changes,
});

const ours = (changes: Partial<OwnRefund> = {}): OwnRefund => ({
  payment_id: 'ours',
  provider_reference: null,
  state: 'pending',
  requested_minor: '1000',
  ...changes,
});

const seen = (providerResult: ReturnedByProvider) => ({
  minor: providerResult.returnedMinor,
  latest: providerResult.details?.['refund_id'],
  isGuess: providerResult.behind === true,
});

describe("the provider's own refunds", () => {
  it('exclude a refund with our reference, or with a known id', () => {
    const all = reported([
      ['R1', 500n],
      ['R2', 1_000n, 'ours'],
    ]);
    expect(seen(subtract(all, [ours()]))).toEqual({ minor: 500n, latest: 'R1', isGuess: false });
    const unnamed = reported([
      ['R1', 1_000n],
      ['R2', 1_000n],
    ]);
    const known = ours({ provider_reference: 'R2', state: 'succeeded' });
    expect(seen(subtract(unnamed, [known]))).toEqual({ minor: 1_000n, latest: 'R1', isGuess: false });
  });

  it('are zero if all refunds are ours', () => {
    const providerResult = subtract(reported([['R2', 1_000n, 'ours']], { kind: 'reversed' }), [ours()]);
    expect(providerResult.kind).toBe('refunded');
    expect(seen(providerResult)).toEqual({ minor: 0n, latest: undefined, isGuess: false });
  });

  it('exclude a refund without a reference that may be one of ours without an answer', () => {
    const one = reported([['R1', 1_000n]]);
    expect(seen(subtract(one, [ours()]))).toEqual({ minor: 0n, latest: undefined, isGuess: true });
    for (const other of [ours({ requested_minor: '999' }), ours({ provider_reference: 'R9' })]) {
      expect(seen(subtract(one, [other]))).toEqual({ minor: 1_000n, latest: 'R1', isGuess: false });
    }
  });

  it('exclude unlisted refunds that may be ours', () => {
    const all = reported([], { code: 'REFUNDED', returnedMinor: 2_500n });
    expect(seen(subtract(all, [ours()]))).toEqual({ minor: 1_500n, latest: undefined, isGuess: true });
    const back = ours({ state: 'returned', provider_reference: 'R2' });
    expect(seen(subtract(all, [back]))).toEqual({ minor: 2_500n, latest: undefined, isGuess: false });
  });
});
