/** The decision when the provider says that a payout was returned. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { paymentStates } from '../../../../src/domain/payment';
import { decide, wantsAnswer, type Facts } from '../../../../src/payments/resolve/decide';
import type { Returned } from '../../../../src/rail-kit/provider-events';
import { asked, facts, failed, providerEvents, paid } from '../../../support/payments/evidence';

const back = (changes: Partial<Returned> = {}): Returned => ({
  kind: 'returned',
  code: 'RETURNED',
  text: 'returned',
  amountMinor: asked,
  currency: 'KES',
  ...changes,
});
const payout = { whenSuccessIsLate: 'open_case', watchedAfterSuccess: true } as const;
const paidOut = { ...payout, state: 'succeeded', confirmedMinor: asked } as const;
const reasons = (given: Partial<Facts>) => decide(facts(given)).cases.map(({ reason }) => reason);
const unverified: ProviderResult = { kind: 'unverified', text: 'PAYMENT.PAYOUTS-ITEM.RETURNED' };

describe('a paid payout', () => {
  it("is returned when the provider's answer says so", () => {
    const decision = decide(facts({ ...paidOut, answer: back() }));
    expect(decision.outcome).toEqual({ to: 'returned', providerResult: back(), by: 'query' });
    expect(decision.cases).toEqual([]);
  });

  it('is queried when a report says that it was returned, and at its checks', () => {
    expect(
      wantsAnswer(facts({ ...paidOut, providerEvents: providerEvents(unverified), cause: 'notification' })),
    ).toBe(true);
    expect(wantsAnswer(facts({ ...paidOut, cause: 'check' }))).toBe(true);
  });

  it.each<[string, ProviderResult | undefined]>([
    ['no answer', undefined],
    ['its success', paid],
    ['that it is still looked into', { kind: 'open' }],
    ['nothing', { kind: 'unknown', text: '' }],
  ])('stays paid while the provider reports %s, whatever was notified', (_what, answer) => {
    const decision = decide(
      facts({ ...paidOut, providerEvents: providerEvents(unverified, back()), answer }),
    );
    expect([decision.outcome, decision.cases]).toEqual([undefined, []]);
  });

  it.each([
    ['a part of it', back({ amountMinor: asked - 1n })],
    ['more than went', back({ amountMinor: asked + 1n })],
    ['another currency', back({ currency: 'USD' })],
    ['an amount nobody names', { ...back(), amountMinor: undefined } as unknown as Returned],
  ])('that is returned as %s is not booked, and opens a case', (_what, answer) => {
    expect(decide(facts({ ...paidOut, answer })).outcome).toBeUndefined();
    expect(reasons({ ...paidOut, answer })).toEqual(['returned_differs']);
  });

  it('with another amount than requested opens a case even when all of either amount is returned', () => {
    const confirmedMinor = asked - 100n;
    for (const amountMinor of [confirmedMinor, asked]) {
      const given = { ...paidOut, confirmedMinor, answer: back({ amountMinor }) };
      expect(decide(facts(given)).outcome).toBeUndefined();
      expect(reasons(given)).toEqual(['returned_differs']);
    }
  });
});

describe('a returned payout', () => {
  const returned = { ...paidOut, state: 'returned' } as const;

  it('is not returned again for a repeated report', () => {
    const decision = decide(
      facts({ ...returned, providerEvents: providerEvents(unverified), answer: back() }),
    );
    expect([decision.outcome, decision.cases]).toEqual([undefined, []]);
    expect(decision.read).toMatchObject([{ inboxId: '1', state: 'ignored' }]);
  });

  it('does not become paid again, whoever says so; if the provider does, a case opens', () => {
    expect(decide(facts({ ...returned, answer: paid })).outcome).toBeUndefined();
    expect(reasons({ ...returned, answer: paid })).toEqual(['late_success']);
    // The report of the success may simply be late.
    expect(decide(facts({ ...returned, providerEvents: providerEvents(paid) }))).toMatchObject({ cases: [] });
  });

  it('is not contradicted by a failure', () => {
    expect(reasons({ ...returned, providerEvents: providerEvents(failed), answer: failed })).toEqual([]);
  });

  it('before we ever saw it paid has failed', () => {
    for (const state of ['initiating', 'pending', 'queued', 'processing'] as const) {
      expect(decide(facts({ ...payout, state, answer: back() })).outcome).toMatchObject({
        to: 'failed',
        providerResult: { kind: 'failed', code: 'RETURNED' },
        by: 'query',
      });
    }
  });

  it('only follows a success', () => {
    for (const state of paymentStates.filter((each) => each !== 'received')) {
      const { outcome } = decide(facts({ ...payout, state, confirmedMinor: asked, answer: back() }));
      if (state === 'succeeded') expect(outcome?.to).toBe('returned');
      else expect([undefined, 'failed']).toContain(outcome?.to);
    }
  });
});
