/** What is made of the provider's word that what had gone out came back. */
import type { Finding } from '../../../../src/domain/outcome';
import { paymentStates } from '../../../../src/domain/payment';
import { decide, wantsAnswer, type Facts } from '../../../../src/payments/resolve/decide';
import type { CameBack } from '../../../../src/rail-kit/provider-events';
import { asked, facts, failed, notices, paid } from '../../../support/payments/evidence';

const back = (changes: Partial<CameBack> = {}): CameBack => ({
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
const hint: Finding = { kind: 'hint', text: 'PAYMENT.PAYOUTS-ITEM.RETURNED' };

describe('what was paid out', () => {
  it('is back when the provider, asked, says so', () => {
    const decision = decide(facts({ ...paidOut, answer: back() }));
    expect(decision.outcome).toEqual({ to: 'returned', finding: back(), by: 'query' });
    expect(decision.cases).toEqual([]);
  });

  it('is asked about when somebody says that it is back, and at its looks', () => {
    expect(wantsAnswer(facts({ ...paidOut, notices: notices(hint), cause: 'notification' }))).toBe(true);
    expect(wantsAnswer(facts({ ...paidOut, cause: 'check' }))).toBe(true);
  });

  it.each<[string, Finding | undefined]>([
    ['no answer', undefined],
    ['its success', paid],
    ['that it is still looked into', { kind: 'open' }],
    ['nothing', { kind: 'unknown', text: '' }],
  ])('stays paid while the provider tells %s, whatever was reported', (_what, answer) => {
    const decision = decide(facts({ ...paidOut, notices: notices(hint, back()), answer }));
    expect([decision.outcome, decision.cases]).toEqual([undefined, []]);
  });

  it.each([
    ['a part of it', back({ amountMinor: asked - 1n })],
    ['more than went', back({ amountMinor: asked + 1n })],
    ['another currency', back({ currency: 'USD' })],
    ['an amount nobody names', { ...back(), amountMinor: undefined } as unknown as CameBack],
  ])('that comes back as %s is booked by nobody, and is a case', (_what, answer) => {
    expect(decide(facts({ ...paidOut, answer })).outcome).toBeUndefined();
    expect(reasons({ ...paidOut, answer })).toEqual(['returned_differs']);
  });

  it('with another amount than asked is a case even when all of that, or of what was asked, comes back', () => {
    const confirmedMinor = asked - 100n;
    for (const amountMinor of [confirmedMinor, asked]) {
      const given = { ...paidOut, confirmedMinor, answer: back({ amountMinor }) };
      expect(decide(facts(given)).outcome).toBeUndefined();
      expect(reasons(given)).toEqual(['returned_differs']);
    }
  });
});

describe('what came back', () => {
  const returned = { ...paidOut, state: 'returned' } as const;

  it('is not brought back again for being told again', () => {
    const decision = decide(facts({ ...returned, notices: notices(hint), answer: back() }));
    expect([decision.outcome, decision.cases]).toEqual([undefined, []]);
    expect(decision.read).toMatchObject([{ inboxId: '1', state: 'ignored' }]);
  });

  it('does not count as paid again, whoever says so; that the provider does is a case', () => {
    expect(decide(facts({ ...returned, answer: paid })).outcome).toBeUndefined();
    expect(reasons({ ...returned, answer: paid })).toEqual(['late_success']);
    // The report of the success may simply be late.
    expect(decide(facts({ ...returned, notices: notices(paid) }))).toMatchObject({ cases: [] });
  });

  it('is not contradicted by a failure', () => {
    expect(reasons({ ...returned, notices: notices(failed), answer: failed })).toEqual([]);
  });

  it('before we ever saw it paid has failed', () => {
    for (const state of ['initiating', 'pending', 'queued', 'processing'] as const) {
      expect(decide(facts({ ...payout, state, answer: back() })).outcome).toMatchObject({
        to: 'failed',
        finding: { kind: 'failed', code: 'RETURNED' },
        by: 'query',
      });
    }
  });

  it('comes from nowhere but a success', () => {
    for (const state of paymentStates.filter((each) => each !== 'received')) {
      const { outcome } = decide(facts({ ...payout, state, confirmedMinor: asked, answer: back() }));
      if (state === 'succeeded') expect(outcome?.to).toBe('returned');
      else expect([undefined, 'failed']).toContain(outcome?.to);
    }
  });
});
