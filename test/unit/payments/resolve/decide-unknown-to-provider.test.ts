/** The decision when the provider does not know a payment that it reported before. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import {
  decide,
  unknownToProviderDetails,
  disowningOf,
  isUnknownAlike,
  type Facts,
  type Disowning,
} from '../../../../src/payments/resolve/decide';
import type { PaymentRow } from '../../../../src/store/tables';
import { failed, facts, providerEvents, open, paid, unknown } from '../../../support/payments/evidence';

const unknownToProvider: ProviderResult = { kind: 'open', text: 'NOT_FOUND', unknownToProvider: true };
const neverReceived: ProviderResult = {
  kind: 'failed',
  code: 'NOT_RECEIVED',
  text: 'never received',
  neverReceived: true,
};

describe('an answer that the provider does not know the payment', () => {
  const made = (changes: Partial<Facts>, seen?: Disowning['seen']) => {
    const decision = decide(
      facts({ disowning: { account: 'momo', seen, againAfterMs: 30_000 }, ...changes }),
    );
    return [decision.unknownToProvider, decision.unconfirmed, decision.cases.map(({ reason }) => reason)];
  };

  it('the first time ends nothing, and it is queried again soon', () => {
    expect(decide(facts({ answer: unknownToProvider })).outcome).toBeUndefined();
    expect(made({ answer: unknownToProvider })).toEqual(['seen', true, []]);
    expect(made({ answer: unknownToProvider }, { msAgo: 29_999 })).toEqual([undefined, true, []]);
  });

  it('the second time, half a minute later, opens a case and pauses the account', () => {
    const seen = { msAgo: 30_000 };
    expect(made({ answer: unknownToProvider }, seen)).toEqual(['asked', false, ['unknown_to_provider']]);
    const { cases } = decide(
      facts({ answer: unknownToProvider, disowning: { account: 'momo', seen, againAfterMs: 1 } }),
    );
    expect(cases).toMatchObject([{ stops: 'momo' }]);
  });

  it('opens a case once, until the provider has known it again', () => {
    expect(made({ answer: unknownToProvider }, 'asked')).toEqual([undefined, false, []]);
    expect(made({ answer: open }, 'asked')).toEqual(['known', false, []]);
    expect(made({ answer: paid }, 'asked')).toEqual(['known', false, []]);
    expect(made({ answer: failed }, { msAgo: 1 })).toEqual(['known', false, []]);
    expect(made({ answer: open })).toEqual([undefined, false, []]);
  });

  it('no answer, and "never received", do not count', () => {
    expect(made({ answer: unknown }, { msAgo: 1 })[0]).toBeUndefined();
    expect(made({ answer: neverReceived }, 'asked')[0]).toBeUndefined();
    expect(made({ answer: undefined }, 'asked')[0]).toBeUndefined();
  });

  it('reports do not count, proven or not', () => {
    for (const notificationsAreTrusted of [true, false]) {
      const reported = providerEvents(unknownToProvider);
      expect(
        made({ providerEvents: reported, notificationsAreTrusted }, { msAgo: 90_000 })[0],
      ).toBeUndefined();
    }
  });
});

describe('the stored detail', () => {
  const row = (details: Record<string, string>) => ({ details, clock_ahead_ms: '60000' }) as PaymentRow;

  it("is when it was first unknown, by the payment's clock, or that a case was opened", () => {
    const kept = unknownToProviderDetails(row({}), 'seen');
    const { seen, ...rest } = disowningOf(row(kept), 'stk', 10);
    expect(rest).toEqual({ account: 'stk', againAfterMs: 3_000 });
    expect(seen).toEqual({ msAgo: expect.any(Number) });
    const { msAgo } = seen as { msAgo: number };
    expect(msAgo >= 0 && msAgo < 60_000).toBe(true);
    expect(unknownToProviderDetails(row({}), 'asked')).toEqual({ unknown_to_provider: 'asked' });
    expect(disowningOf(row({ unknown_to_provider: 'asked' }), 'stk', 1)).toEqual({
      account: 'stk',
      seen: 'asked',
      againAfterMs: 30_000,
    });
  });

  it('is empty once it is known again', () => {
    expect(unknownToProviderDetails(row({}), 'known')).toEqual({ unknown_to_provider: '' });
    for (const details of [{}, { unknown_to_provider: '' }])
      expect(disowningOf(row(details as Record<string, string>), 'stk', 1).seen).toBeUndefined();
    expect(isUnknownAlike({}, { unknown_to_provider: '' })).toBe(true);
    expect(isUnknownAlike({ unknown_to_provider: '' }, {})).toBe(true);
    expect(isUnknownAlike({ unknown_to_provider: 'asked' }, { unknown_to_provider: 'asked' })).toBe(true);
    expect(isUnknownAlike({ unknown_to_provider: 'asked' }, {})).toBe(false);
  });
});
