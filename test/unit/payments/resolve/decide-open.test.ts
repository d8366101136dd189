/** The provider's current status of a payment, and the effect of silence. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { OUTCOME_UNKNOWN } from '../../../../src/domain/payment';
import { decide, wantsAnswer, type Facts } from '../../../../src/payments/resolve/decide';
import {
  cancelled,
  confirmed,
  facts,
  failed,
  providerEvents,
  open,
  paid,
  unknown,
} from '../../../support/payments/evidence';

const processing: ProviderResult = { kind: 'open', text: 'under way', as: 'processing' };
const queued: ProviderResult = { kind: 'open', text: 'the network is away', as: 'queued' };
const named = { ...processing, providerReference: 'REF-1' };

describe("the provider's current status", () => {
  const outcomeOf = (changes: Partial<Facts>) => decide(facts({ answer: undefined, ...changes })).outcome;

  it('is applied from a query', () => {
    expect(outcomeOf({ answer: processing })).toEqual({
      to: 'processing',
      providerResult: processing,
      by: 'query',
    });
    expect(outcomeOf({ answer: queued })).toEqual({ to: 'queued', providerResult: queued, by: 'query' });
  });

  it("is applied from a report, except for the payment's reference there", () => {
    const outcome = { to: 'processing', providerResult: processing, by: 'callback' };
    for (const notificationsAreTrusted of [true, false])
      expect(outcomeOf({ providerEvents: providerEvents(named), notificationsAreTrusted })).toEqual(outcome);
    expect(outcomeOf({ providerEvents: providerEvents(named, unknown) })).toEqual(outcome);
    expect(outcomeOf({ providerEvents: providerEvents(named), answer: unknown })).toEqual(outcome);
  });

  it('is the latest one: of the reports, then of the query', () => {
    expect(outcomeOf({ providerEvents: providerEvents(processing, queued) })).toMatchObject({ to: 'queued' });
    expect(outcomeOf({ providerEvents: providerEvents(queued), answer: named })).toEqual({
      to: 'processing',
      providerResult: named,
      by: 'query',
    });
  });

  it('starts a payment that may still be cancelled only with proof, or from a query', () => {
    const state = 'queued';
    expect(outcomeOf({ state, providerEvents: providerEvents(processing) })).toBeUndefined();
    const proven = { providerEvents: providerEvents(processing), notificationsAreTrusted: true };
    expect(outcomeOf({ state, ...proven })).toMatchObject({ to: 'processing', by: 'callback' });
    expect(outcomeOf({ state, answer: processing })).toMatchObject({ to: 'processing', by: 'query' });
  });

  it('that is no possible transition is stored all the same', () => {
    const answer = { ...queued, details: { network: 'MTN' } };
    const decision = decide(facts({ state: 'processing', answer }));
    expect([decision.outcome, decision.enrichment]).toEqual([undefined, answer]);
    const reported = decide(facts({ state: 'processing', providerEvents: providerEvents(answer) }));
    expect([reported.outcome, reported.enrichment]).toEqual([undefined, answer]);
  });

  it('gets nothing from an unproven failure', () => {
    const letter: ProviderResult = { ...failed, details: { note: 'a letter' } } as ProviderResult;
    expect(decide(facts({ providerEvents: providerEvents(letter) })).enrichment).toBeUndefined();
  });
});

describe('querying the provider', () => {
  const wants = (changes: Partial<Facts>) => wantsAnswer(facts({ cause: 'notification', ...changes }));

  it('is due when a notification may contain the reference of a payment without one', () => {
    const reported = providerEvents(unknown, named);
    expect(wants({ isNamed: false, providerEvents: reported })).toBe(true);
    expect(wants({ isNamed: true, providerEvents: reported })).toBe(false);
    expect(wants({ isNamed: false, providerEvents: providerEvents(unknown, open) })).toBe(false);
  });

  it('is due after a success at its scheduled checks, and not for every event', () => {
    const watched = { state: 'succeeded', watchedAfterSuccess: true } as const;
    expect(wants({ ...watched, providerEvents: providerEvents(paid) })).toBe(false);
    expect(wants({ ...watched, cause: 'check' })).toBe(true);
  });
});

describe('a success', () => {
  it('that is proven is a success by notification', () => {
    const decision = decide(facts({ providerEvents: providerEvents(paid), notificationsAreTrusted: true }));
    expect(decision.outcome).toMatchObject({ by: 'callback' });
  });

  it('without a currency has the requested one', () => {
    const answer: ProviderResult = { kind: 'succeeded', code: '0', text: 'paid' };
    expect(decide(facts({ answer })).outcome).toMatchObject({ to: 'succeeded', providerResult: answer });
  });

  it('opens a case beside a contradiction', () => {
    const decision = decide(facts({ providerEvents: providerEvents(cancelled, paid), answer: confirmed }));
    expect(decision.read).toEqual([
      { inboxId: '1', state: 'ignored', reason: 'cancelled beside a success' },
      { inboxId: '2', state: 'applied', reason: 'success' },
    ]);
    expect(decision.cases).toEqual([
      { reason: 'contradictory_outcome', detail: 'inbox 1: cancelled 1032 cancelled' },
    ]);
  });

  it('with another currency or amount is reported in numbers', () => {
    const reported = (answer: ProviderResult, changes: Partial<Facts> = {}) => {
      const { outcome, cases, unconfirmed } = decide(facts({ answer, ...changes }));
      return [outcome?.to, cases, unconfirmed];
    };
    expect(reported({ ...confirmed, currency: 'UGX' })).toEqual([
      undefined,
      [{ reason: 'currency_differs', detail: 'requested KES, confirmed UGX' }],
      false,
    ]);
    const less = { ...confirmed, amountMinor: 1n };
    const cases = [{ reason: 'amount_differs', detail: 'requested 125000, confirmed 1 minor units' }];
    expect(reported(less)).toEqual(['succeeded', cases, false]);
    expect(reported(less, { whenAmountDiffers: 'open_case' })).toEqual([undefined, cases, false]);
  });

  it('that arrives late is booked, or opens a case if its reserve is gone', () => {
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

  it('that was returned again, and cannot be booked, is not queried any sooner', () => {
    const back: ProviderResult = {
      ...{ kind: 'refunded', code: 'REFUNDED', text: 'refunded', currency: 'KES' },
      ...{ paidMinor: 1n, returnedMinor: 1n },
    };
    const decided = (changes: Partial<Facts>) => decide(facts({ answer: back, ...changes }));
    expect(decided({ whenAmountDiffers: 'open_case' })).toMatchObject({ unconfirmed: false });
    expect(decided({})).toMatchObject({ unconfirmed: true, outcome: { to: 'succeeded', by: 'query' } });
  });
});

describe('a payment without any report', () => {
  it('has our own text', () => {
    const { outcome, cases } = decide(facts({ cause: 'deadline', isNamed: false }));
    expect(outcome).toEqual({
      to: 'timed_out',
      providerResult: {
        kind: 'timed_out',
        code: OUTCOME_UNKNOWN,
        text: 'The provider did not report in time whether the customer paid',
      },
      by: 'deadline',
    });
    expect(cases).toEqual([{ reason: 'submission_unknown', detail: 'requested: 125000 minor units of KES' }]);
  });

  it('is not replaced by an answer alone, once it is reported', () => {
    const published = { state: 'timed_out', failureCode: OUTCOME_UNKNOWN } as const;
    expect(decide(facts({ ...published, answer: failed })).outcome).toBeUndefined();
  });

  it('opens a case if the rail says so, and none for an ended payment', () => {
    const asking = { onTimeout: 'ask_operator', cause: 'watch_end' } as const;
    expect(decide(facts(asking))).toEqual({
      read: [],
      cases: [{ reason: 'no_outcome', detail: 'still pending when status checks ended' }],
      unconfirmed: false,
    });
    expect(decide(facts({ ...asking, state: 'failed' }))).toMatchObject({ cases: [] });
  });
});
