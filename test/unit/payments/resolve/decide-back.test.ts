/** Decisions about returned money, in their exact words. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import type { ReturnedByProvider } from '../../../../src/rail-kit/provider-events';
import { asked, confirmed, facts, open } from '../../../support/payments/evidence';

const made = (changes: Partial<Facts>) => decide(facts(changes));
const casesBy = (changes: Partial<Facts>) =>
  made(changes).cases.map(({ reason, detail }) => [reason, detail]);
const booked = { state: 'succeeded', confirmedMinor: asked } as const;
const back = (changes: Partial<ReturnedByProvider> = {}): ReturnedByProvider => ({
  ...{ kind: 'refunded', code: 'REFUNDED', text: 'given back', currency: 'KES' },
  ...{ paidMinor: asked, returnedMinor: asked },
  ...changes,
});

describe('returned money', () => {
  it('before the success was seen is booked with all reports about it', () => {
    const { code, text, currency } = back();
    const plain = { kind: 'succeeded', code, text, amountMinor: asked, currency };
    expect(made({ answer: back() }).outcome).toStrictEqual({
      ...{ to: 'succeeded', amountMinor: asked, by: 'query' },
      providerResult: plain,
    });
    const more = { providerReference: 'REF', receipt: 'R1', details: { payer: 'Jane' } };
    expect(made({ answer: back(more) }).outcome).toMatchObject({ providerResult: { ...plain, ...more } });
  });

  it('is reported in numbers if it cannot be booked', () => {
    expect(casesBy({ ...booked, answer: back({ kind: 'reversed' }) })).toEqual([
      ['reversed', 'REFUNDED given back'],
    ]);
    expect(casesBy({ ...booked, answer: back({ returnedMinor: asked + 1n }) })).toEqual([
      ['refund_differs', 'booked 125000 KES, refunded 125001 KES (minor units)'],
    ]);
    expect(casesBy({ ...booked, refundedMinor: 1n, answer: back() })).toEqual([
      ['refund_differs', 'booked 125000 KES, refunded 125000 KES beside our refunds of 1 (minor units)'],
    ]);
    expect(casesBy({ ...booked, confirmedMinor: undefined, answer: back() })).toEqual([
      ['refund_differs', 'booked 0 KES, refunded 125000 KES (minor units)'],
    ]);
    expect(casesBy({ ...booked, answer: back({ unclear: true }) })).toEqual([
      ['refund_unclear', 'given back'],
    ]);
  });

  it('may be the whole rest beside our refunds', () => {
    const answer = back({ returnedMinor: asked - 1n });
    expect(made({ ...booked, refundedMinor: 1n, answer }).outcome).toMatchObject({ to: 'refunded' });
  });

  it('opens a reversal case only if it was refunded before', () => {
    const same = { confirmedMinor: asked, returnedMinor: asked, answer: back({ kind: 'reversed' }) };
    expect(casesBy({ ...same, state: 'refunded' })).toEqual([['reversed', 'REFUNDED given back']]);
    expect(casesBy({ ...same, state: 'reversed' })).toEqual([]);
    const more = { ...same, returnedMinor: 1n, state: 'returned' } as const;
    expect([made(more).outcome, casesBy(more)]).toEqual([undefined, []]);
  });

  it('that was paid again is booked as the remaining return', () => {
    const twice = {
      state: 'reversed',
      confirmedMinor: asked,
      returnedMinor: asked,
      isDisputed: true,
      tentative: { code: 'LESS_RETURNED', msAgo: 60_000 },
    } as const;
    const outcomeOf = (changes: Partial<Facts>) => made({ ...twice, ...changes }).outcome;
    const { currency: _none, ...answer } = confirmed;
    expect(outcomeOf({ answer })).toEqual({
      to: 'succeeded',
      returnedMinor: 0n,
      providerResult: answer,
      by: 'query',
    });
    expect(outcomeOf({ answer, refundedMinor: 1n })).toMatchObject({ to: 'refunded', returnedMinor: 0n });
    expect(outcomeOf({ answer: back({ returnedMinor: 0n }) })).toMatchObject({ to: 'succeeded' });
    const part = back({ kind: 'reversed', returnedMinor: 1n });
    expect(outcomeOf({ answer: part, refundedMinor: 1n })).toMatchObject({
      to: 'reversed',
      returnedMinor: 1n,
    });
    expect(casesBy({ ...twice, isDisputed: false, answer })).toEqual([
      ['refund_decreased', 'booked 125000 as returned, the provider reports 0 (minor units)'],
    ]);
    expect(made({ ...twice, returnedMinor: 0n, answer: back({ returnedMinor: 0n }) })).toMatchObject({
      remember: '',
    });
    expect(made({ ...twice, tentative: { code: '777', msAgo: 60_000 }, answer })).toMatchObject({
      remember: 'LESS_RETURNED',
    });
    expect(made({ ...twice, answer: open }).remember).toBeUndefined();
  });
});

describe('a returned payout', () => {
  const returned: ProviderResult = { kind: 'returned', code: 'RETURNED', text: 'sent back', currency: 'KES' };

  it('is reported in numbers if the amount differs', () => {
    expect(casesBy({ ...booked, answer: { ...returned, amountMinor: 1n } })).toEqual([
      ['returned_differs', 'sent 125000 KES, confirmed 125000, returned: 1 KES (minor units)'],
    ]);
    expect(casesBy({ ...booked, answer: returned })).toEqual([
      ['returned_differs', 'sent 125000 KES, confirmed 125000, returned: an unknown amount (minor units)'],
    ]);
    const answer = { ...returned, amountMinor: asked };
    expect(made({ ...booked, confirmedMinor: undefined, answer }).outcome).toMatchObject({ to: 'returned' });
  });

  it('before the success was seen has failed, with all reports about it', () => {
    const { code, text } = returned;
    expect(made({ answer: returned }).outcome).toStrictEqual({
      ...{ to: 'failed', by: 'query' },
      providerResult: { kind: 'failed', code, text },
    });
    const more = { providerReference: 'REF', details: { why: 'closed' } };
    expect(made({ answer: { ...returned, ...more } }).outcome).toMatchObject({ providerResult: more });
  });

  it("that is reported as paid again becomes an operator's case", () => {
    expect(casesBy({ ...booked, state: 'returned', answer: confirmed })).toEqual([
      ['late_success', 'the provider answered: succeeded 0 paid'],
    ]);
  });
});
