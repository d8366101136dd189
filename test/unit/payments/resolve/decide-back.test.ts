/** What a decision makes of money that goes the other way again, to the word. */
import type { Finding } from '../../../../src/domain/outcome';
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import type { GivenBack } from '../../../../src/rail-kit/provider-events';
import { asked, confirmed, facts, open } from '../../../support/payments/evidence';

const made = (changes: Partial<Facts>) => decide(facts(changes));
const casesBy = (changes: Partial<Facts>) =>
  made(changes).cases.map(({ reason, detail }) => [reason, detail]);
const booked = { state: 'succeeded', confirmedMinor: asked } as const;
const back = (changes: Partial<GivenBack> = {}): GivenBack => ({
  ...{ kind: 'refunded', code: 'REFUNDED', text: 'given back', currency: 'KES' },
  ...{ paidMinor: asked, givenBackMinor: asked },
  ...changes,
});

describe('what went back', () => {
  it('before it was seen to be paid is booked with all that was told of it', () => {
    const { code, text, currency } = back();
    const plain = { kind: 'succeeded', code, text, amountMinor: asked, currency };
    expect(made({ answer: back() }).outcome).toStrictEqual({
      ...{ to: 'succeeded', amountMinor: asked, by: 'query' },
      finding: plain,
    });
    const more = { providerReference: 'REF', receipt: 'R1', details: { payer: 'Jane' } };
    expect(made({ answer: back(more) }).outcome).toMatchObject({ finding: { ...plain, ...more } });
  });

  it('is told in figures where it cannot be', () => {
    expect(casesBy({ ...booked, answer: back({ kind: 'reversed' }) })).toEqual([
      ['reversed', 'REFUNDED given back'],
    ]);
    expect(casesBy({ ...booked, answer: back({ givenBackMinor: asked + 1n }) })).toEqual([
      ['given_back_differs', 'booked 125000 KES, refunded 125001 KES (minor units)'],
    ]);
    expect(casesBy({ ...booked, refundedMinor: 1n, answer: back() })).toEqual([
      [
        'given_back_differs',
        'booked 125000 KES, refunded 125000 KES beside 1 that we refunded (minor units)',
      ],
    ]);
    expect(casesBy({ ...booked, confirmedMinor: undefined, answer: back() })).toEqual([
      ['given_back_differs', 'booked 0 KES, refunded 125000 KES (minor units)'],
    ]);
    expect(casesBy({ ...booked, answer: back({ unclear: true }) })).toEqual([
      ['given_back_unclear', 'given back'],
    ]);
  });

  it('may be all that is left beside refunds of ours', () => {
    const answer = back({ givenBackMinor: asked - 1n });
    expect(made({ ...booked, refundedMinor: 1n, answer }).outcome).toMatchObject({ to: 'refunded' });
  });

  it('is a case of a reversal only where it was refunded before', () => {
    const same = { confirmedMinor: asked, givenBackMinor: asked, answer: back({ kind: 'reversed' }) };
    expect(casesBy({ ...same, state: 'refunded' })).toEqual([['reversed', 'REFUNDED given back']]);
    expect(casesBy({ ...same, state: 'reversed' })).toEqual([]);
    const more = { ...same, givenBackMinor: 1n, state: 'returned' } as const;
    expect([made(more).outcome, casesBy(more)]).toEqual([undefined, []]);
  });

  it('and was paid once more is booked as what is left of it', () => {
    const twice = {
      state: 'reversed',
      confirmedMinor: asked,
      givenBackMinor: asked,
      isContested: true,
      tentative: { code: 'LESS_GIVEN_BACK', msAgo: 60_000 },
    } as const;
    const outcomeOf = (changes: Partial<Facts>) => made({ ...twice, ...changes }).outcome;
    const { currency: _none, ...answer } = confirmed;
    expect(outcomeOf({ answer })).toEqual({
      to: 'succeeded',
      givenBackMinor: 0n,
      finding: answer,
      by: 'query',
    });
    expect(outcomeOf({ answer, refundedMinor: 1n })).toMatchObject({ to: 'refunded', givenBackMinor: 0n });
    expect(outcomeOf({ answer: back({ givenBackMinor: 0n }) })).toMatchObject({ to: 'succeeded' });
    const part = back({ kind: 'reversed', givenBackMinor: 1n });
    expect(outcomeOf({ answer: part, refundedMinor: 1n })).toMatchObject({
      to: 'reversed',
      givenBackMinor: 1n,
    });
    expect(casesBy({ ...twice, isContested: false, answer })).toEqual([
      ['given_back_less', 'booked 125000 as given back, the provider shows 0 (minor units)'],
    ]);
    expect(made({ ...twice, givenBackMinor: 0n, answer: back({ givenBackMinor: 0n }) })).toMatchObject({
      remember: '',
    });
    expect(made({ ...twice, tentative: { code: '777', msAgo: 60_000 }, answer })).toMatchObject({
      remember: 'LESS_GIVEN_BACK',
    });
    expect(made({ ...twice, answer: open }).remember).toBeUndefined();
  });
});

describe('what came back', () => {
  const returned: Finding = { kind: 'returned', code: 'RETURNED', text: 'sent back', currency: 'KES' };

  it('is told in figures where it is not what went', () => {
    expect(casesBy({ ...booked, answer: { ...returned, amountMinor: 1n } })).toEqual([
      ['returned_differs', 'sent 125000 KES, confirmed 125000, came back: 1 KES (minor units)'],
    ]);
    expect(casesBy({ ...booked, answer: returned })).toEqual([
      [
        'returned_differs',
        'sent 125000 KES, confirmed 125000, came back: an amount nobody named (minor units)',
      ],
    ]);
    const answer = { ...returned, amountMinor: asked };
    expect(made({ ...booked, confirmedMinor: undefined, answer }).outcome).toMatchObject({ to: 'returned' });
  });

  it('before it was seen to be paid has failed, with all that was told of it', () => {
    const { code, text } = returned;
    expect(made({ answer: returned }).outcome).toStrictEqual({
      ...{ to: 'failed', by: 'query' },
      finding: { kind: 'failed', code, text },
    });
    const more = { providerReference: 'REF', details: { why: 'closed' } };
    expect(made({ answer: { ...returned, ...more } }).outcome).toMatchObject({ finding: more });
  });

  it('and is told to be paid once more is for a person', () => {
    expect(casesBy({ ...booked, state: 'returned', answer: confirmed })).toEqual([
      ['late_success', 'asked, the provider says succeeded 0 paid'],
    ]);
  });
});
