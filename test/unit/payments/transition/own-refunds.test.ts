/** What a provider gave back by itself, told from what merchants have refunded through us. */
import { subtract, type OwnRefund } from '../../../../src/payments/transition/own-refunds';
import type { GivenBack } from '../../../../src/rail-kit/provider-events';

const told = (
  refunds: [id: string, minor: bigint, name?: string][],
  changes: Partial<GivenBack> = {},
): GivenBack => ({
  kind: 'refunded',
  code: 'PARTIALLY_REFUNDED',
  text: 'PARTIALLY_REFUNDED',
  paidMinor: 2_500n,
  givenBackMinor: refunds.reduce((sum, [, minor]) => sum + minor, 0n),
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

const seen = (finding: GivenBack) => ({
  minor: finding.givenBackMinor,
  latest: finding.details?.['refund_id'],
  isGuess: finding.behind === true,
});

describe('what the provider gave back by itself', () => {
  it('is without a refund that bears our name, or whose id we know', () => {
    const all = told([
      ['R1', 500n],
      ['R2', 1_000n, 'ours'],
    ]);
    expect(seen(subtract(all, [ours()]))).toEqual({ minor: 500n, latest: 'R1', isGuess: false });
    const unnamed = told([
      ['R1', 1_000n],
      ['R2', 1_000n],
    ]);
    const known = ours({ provider_reference: 'R2', state: 'succeeded' });
    expect(seen(subtract(unnamed, [known]))).toEqual({ minor: 1_000n, latest: 'R1', isGuess: false });
  });

  it('is nothing where all of it is ours, and then nothing was taken back', () => {
    const finding = subtract(told([['R2', 1_000n, 'ours']], { kind: 'reversed' }), [ours()]);
    expect(finding.kind).toBe('refunded');
    expect(seen(finding)).toEqual({ minor: 0n, latest: undefined, isGuess: false });
  });

  it('is not yet what bears no name, and may be the one whose answer we wait for', () => {
    const one = told([['R1', 1_000n]]);
    expect(seen(subtract(one, [ours()]))).toEqual({ minor: 0n, latest: undefined, isGuess: true });
    for (const other of [ours({ requested_minor: '999' }), ours({ provider_reference: 'R9' })]) {
      expect(seen(subtract(one, [other]))).toEqual({ minor: 1_000n, latest: 'R1', isGuess: false });
    }
  });

  it('is not what the provider knows of and does not list, as far as that may be ours', () => {
    const all = told([], { code: 'REFUNDED', givenBackMinor: 2_500n });
    expect(seen(subtract(all, [ours()]))).toEqual({ minor: 1_500n, latest: undefined, isGuess: true });
    const back = ours({ state: 'returned', provider_reference: 'R2' });
    expect(seen(subtract(all, [back]))).toEqual({ minor: 2_500n, latest: undefined, isGuess: false });
  });
});
