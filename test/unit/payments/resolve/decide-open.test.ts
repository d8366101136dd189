/** What the provider says it is doing with a payment, and what is made of a silence. */
import type { Finding } from '../../../../src/domain/outcome';
import { OUTCOME_UNKNOWN } from '../../../../src/domain/payment';
import { decide, wantsAnswer, type Facts } from '../../../../src/payments/resolve/decide';
import {
  cancelled,
  confirmed,
  facts,
  failed,
  notices,
  open,
  paid,
  unknown,
} from '../../../support/payments/evidence';

const processing: Finding = { kind: 'open', text: 'under way', as: 'processing' };
const queued: Finding = { kind: 'open', text: 'the network is away', as: 'queued' };
const named = { ...processing, providerReference: 'REF-1' };

describe('what the provider says it is doing', () => {
  const outcomeOf = (changes: Partial<Facts>) => decide(facts({ answer: undefined, ...changes })).outcome;

  it('is followed when it is asked', () => {
    expect(outcomeOf({ answer: processing })).toEqual({ to: 'processing', finding: processing, by: 'query' });
    expect(outcomeOf({ answer: queued })).toEqual({ to: 'queued', finding: queued, by: 'query' });
  });

  it('is followed when it is reported, save for what the payment is called there', () => {
    const outcome = { to: 'processing', finding: processing, by: 'callback' };
    for (const notificationsAreProof of [true, false])
      expect(outcomeOf({ notices: notices(named), notificationsAreProof })).toEqual(outcome);
    expect(outcomeOf({ notices: notices(named, unknown) })).toEqual(outcome);
    expect(outcomeOf({ notices: notices(named), answer: unknown })).toEqual(outcome);
  });

  it('is what it says last: of what was reported, and then when it is asked', () => {
    expect(outcomeOf({ notices: notices(processing, queued) })).toMatchObject({ to: 'queued' });
    expect(outcomeOf({ notices: notices(queued), answer: named })).toEqual({
      to: 'processing',
      finding: named,
      by: 'query',
    });
  });

  it('begins what may still be cancelled only by proof, or when it is asked', () => {
    const state = 'queued';
    expect(outcomeOf({ state, notices: notices(processing) })).toBeUndefined();
    const proven = { notices: notices(processing), notificationsAreProof: true };
    expect(outcomeOf({ state, ...proven })).toMatchObject({ to: 'processing', by: 'callback' });
    expect(outcomeOf({ state, answer: processing })).toMatchObject({ to: 'processing', by: 'query' });
  });

  it('leads nowhere that the payment cannot go, and is kept all the same', () => {
    const answer = { ...queued, details: { network: 'MTN' } };
    const decision = decide(facts({ state: 'processing', answer }));
    expect([decision.outcome, decision.enrichment]).toEqual([undefined, answer]);
    const told = decide(facts({ state: 'processing', notices: notices(answer) }));
    expect([told.outcome, told.enrichment]).toEqual([undefined, answer]);
  });

  it('is nothing that a failure without proof adds to', () => {
    const letter: Finding = { ...failed, details: { note: 'a letter' } } as Finding;
    expect(decide(facts({ notices: notices(letter) })).enrichment).toBeUndefined();
  });
});

describe('asking the provider', () => {
  const wants = (changes: Partial<Facts>) => wantsAnswer(facts({ cause: 'notification', ...changes }));

  it('is due when something may tell what a payment is called that has no name yet', () => {
    const told = notices(unknown, named);
    expect(wants({ isNamed: false, notices: told })).toBe(true);
    expect(wants({ isNamed: true, notices: told })).toBe(false);
    expect(wants({ isNamed: false, notices: notices(unknown, open) })).toBe(false);
  });

  it('is due after a success at its looks, and not for whatever comes in', () => {
    const watched = { state: 'succeeded', watchedAfterSuccess: true } as const;
    expect(wants({ ...watched, notices: notices(paid) })).toBe(false);
    expect(wants({ ...watched, cause: 'check' })).toBe(true);
  });
});

describe('a success', () => {
  it('that is proven is one by callback', () => {
    const decision = decide(facts({ notices: notices(paid), notificationsAreProof: true }));
    expect(decision.outcome).toMatchObject({ by: 'callback' });
  });

  it('of which nobody says the currency is in the one that was asked for', () => {
    const answer: Finding = { kind: 'succeeded', code: '0', text: 'paid' };
    expect(decide(facts({ answer })).outcome).toMatchObject({ to: 'succeeded', finding: answer });
  });

  it('is told to a person beside what contradicts it', () => {
    const decision = decide(facts({ notices: notices(cancelled, paid), answer: confirmed }));
    expect(decision.read).toEqual([
      { inboxId: '1', state: 'ignored', reason: 'cancelled beside a success' },
      { inboxId: '2', state: 'applied', reason: 'success' },
    ]);
    expect(decision.cases).toEqual([
      { reason: 'contradictory_outcome', detail: 'inbox 1: cancelled 1032 cancelled' },
    ]);
  });

  it('in another currency, or of another amount, is told in figures', () => {
    const told = (answer: Finding, changes: Partial<Facts> = {}) => {
      const { outcome, cases, unconfirmed } = decide(facts({ answer, ...changes }));
      return [outcome?.to, cases, unconfirmed];
    };
    expect(told({ ...confirmed, currency: 'UGX' })).toEqual([
      undefined,
      [{ reason: 'currency_differs', detail: 'asked KES, confirmed UGX' }],
      false,
    ]);
    const less = { ...confirmed, amountMinor: 1n };
    const cases = [{ reason: 'amount_differs', detail: 'asked 125000, confirmed 1 minor units' }];
    expect(told(less)).toEqual(['succeeded', cases, false]);
    expect(told(less, { whenAmountDiffers: 'open_case' })).toEqual([undefined, cases, false]);
  });

  it('that comes late is booked, or is for a person where its hold is gone', () => {
    const late = { state: 'failed', whenSuccessIsLate: 'open_case' } as const;
    expect(decide(facts({ ...late, answer: confirmed }))).toEqual({
      read: [],
      cases: [{ reason: 'late_success', detail: 'query: 0 paid' }],
      unconfirmed: false,
    });
    const inTime = decide(facts({ ...late, state: 'pending', answer: confirmed }));
    expect(inTime.outcome).toMatchObject({ to: 'succeeded' });
    const corrected = decide(facts({ state: 'failed', answer: confirmed }));
    expect(corrected.outcome).toMatchObject({ to: 'succeeded' });
  });

  it('that has gone back again, and cannot be booked, is not asked about any sooner for it', () => {
    const back: Finding = {
      ...{ kind: 'refunded', code: 'REFUNDED', text: 'refunded', currency: 'KES' },
      ...{ paidMinor: 1n, givenBackMinor: 1n },
    };
    const decided = (changes: Partial<Facts>) => decide(facts({ answer: back, ...changes }));
    expect(decided({ whenAmountDiffers: 'open_case' })).toMatchObject({ unconfirmed: false });
    expect(decided({})).toMatchObject({ unconfirmed: true, outcome: { to: 'succeeded', by: 'query' } });
  });
});

describe('nobody told', () => {
  it('is published in words of ours', () => {
    const { outcome, cases } = decide(facts({ cause: 'deadline', isNamed: false }));
    expect(outcome).toEqual({
      to: 'timed_out',
      finding: {
        kind: 'timed_out',
        code: OUTCOME_UNKNOWN,
        text: 'The provider did not say in time whether the customer paid',
      },
      by: 'deadline',
    });
    expect(cases).toEqual([
      { reason: 'instruction_unknown', detail: '125000 minor units of KES were asked for' },
    ]);
  });

  it('is not replaced by an answer alone, once it is published', () => {
    const published = { state: 'timed_out', failureCode: OUTCOME_UNKNOWN } as const;
    expect(decide(facts({ ...published, answer: failed })).outcome).toBeUndefined();
  });

  it('is a question to a person where the rail asks one, and none about what has ended', () => {
    const asking = { whenSilent: 'ask_operator', cause: 'watch_end' } as const;
    expect(decide(facts(asking))).toEqual({
      read: [],
      cases: [{ reason: 'no_outcome', detail: 'still pending when the watch ended' }],
      unconfirmed: false,
    });
    expect(decide(facts({ ...asking, state: 'failed' }))).toMatchObject({ cases: [] });
  });
});
