/** What is made of an answer that the provider does not know what it has told of before. */
import type { Finding } from '../../../../src/domain/outcome';
import {
  decide,
  disownedDetails,
  disowningOf,
  isDisownedAlike,
  type Facts,
  type Disowning,
} from '../../../../src/payments/resolve/decide';
import type { PaymentRow } from '../../../../src/store/tables';
import { failed, facts, notices, open, paid, unknown } from '../../../support/payments/evidence';

const disowned: Finding = { kind: 'open', text: 'NOT_FOUND', disowned: true };
const neverReceived: Finding = {
  kind: 'failed',
  code: 'NOT_RECEIVED',
  text: 'never received',
  neverReceived: true,
};

describe('what is made of an answer that the provider does not know it', () => {
  const made = (changes: Partial<Facts>, seen?: Disowning['seen']) => {
    const decision = decide(
      facts({ disowning: { account: 'momo', seen, againAfterMs: 30_000 }, ...changes }),
    );
    return [decision.disowned, decision.unconfirmed, decision.cases.map(({ reason }) => reason)];
  };

  it('the first time nothing ends, and it is asked again soon', () => {
    expect(decide(facts({ answer: disowned })).outcome).toBeUndefined();
    expect(made({ answer: disowned })).toEqual(['seen', true, []]);
    expect(made({ answer: disowned }, { msAgo: 29_999 })).toEqual([undefined, true, []]);
  });

  it('the second time, half a minute later, a person is asked, and the account is stopped', () => {
    const seen = { msAgo: 30_000 };
    expect(made({ answer: disowned }, seen)).toEqual(['asked', false, ['provider_disowns']]);
    const { cases } = decide(
      facts({ answer: disowned, disowning: { account: 'momo', seen, againAfterMs: 1 } }),
    );
    expect(cases).toMatchObject([{ stops: 'momo' }]);
  });

  it('a person is asked once, until the provider has known it again', () => {
    expect(made({ answer: disowned }, 'asked')).toEqual([undefined, false, []]);
    expect(made({ answer: open }, 'asked')).toEqual(['known', false, []]);
    expect(made({ answer: paid }, 'asked')).toEqual(['known', false, []]);
    expect(made({ answer: failed }, { msAgo: 1 })).toEqual(['known', false, []]);
    expect(made({ answer: open })).toEqual([undefined, false, []]);
  });

  it('no answer, and that it was never received, tell nothing of that', () => {
    expect(made({ answer: unknown }, { msAgo: 1 })[0]).toBeUndefined();
    expect(made({ answer: neverReceived }, 'asked')[0]).toBeUndefined();
    expect(made({ answer: undefined }, 'asked')[0]).toBeUndefined();
  });

  it('what somebody reports does not count, proven or not', () => {
    for (const notificationsAreProof of [true, false]) {
      const reported = notices(disowned);
      expect(made({ notices: reported, notificationsAreProof }, { msAgo: 90_000 })[0]).toBeUndefined();
    }
  });
});

describe('what is kept of it', () => {
  const row = (details: Record<string, string>) => ({ details, clock_ahead_ms: '60000' }) as PaymentRow;

  it('is when the provider disowned it first, by the clock of the payment, or that a person was asked', () => {
    const kept = disownedDetails(row({}), 'seen');
    const { seen, ...rest } = disowningOf(row(kept), 'stk', 10);
    expect(rest).toEqual({ account: 'stk', againAfterMs: 3_000 });
    expect(seen).toEqual({ msAgo: expect.any(Number) });
    const { msAgo } = seen as { msAgo: number };
    expect(msAgo >= 0 && msAgo < 60_000).toBe(true);
    expect(disownedDetails(row({}), 'asked')).toEqual({ disowned: 'asked' });
    expect(disowningOf(row({ disowned: 'asked' }), 'stk', 1)).toEqual({
      account: 'stk',
      seen: 'asked',
      againAfterMs: 30_000,
    });
  });

  it('is nothing once it is known again', () => {
    expect(disownedDetails(row({}), 'known')).toEqual({ disowned: '' });
    for (const details of [{}, { disowned: '' }])
      expect(disowningOf(row(details as Record<string, string>), 'stk', 1).seen).toBeUndefined();
    expect(isDisownedAlike({}, { disowned: '' })).toBe(true);
    expect(isDisownedAlike({ disowned: '' }, {})).toBe(true);
    expect(isDisownedAlike({ disowned: 'asked' }, { disowned: 'asked' })).toBe(true);
    expect(isDisownedAlike({ disowned: 'asked' }, {})).toBe(false);
  });
});
