/** The exact texts of a decision: the details of its cases, and why each notification was read. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import { sentAgain } from '../../../../src/rail-kit/provider-words';
import {
  asked,
  cancelled,
  confirmed,
  failed,
  facts,
  providerEvents,
  open,
  paid,
  unknown,
} from '../../../support/payments/evidence';

type Success = Extract<ProviderResult, { kind: 'succeeded' }>;

const made = (changes: Partial<Facts>) => decide(facts(changes));
const readBy = (changes: Partial<Facts>) => made(changes).read.map(({ state, reason }) => [state, reason]);
const casesBy = (changes: Partial<Facts>) =>
  made(changes).cases.map(({ reason, detail }) => [reason, detail]);
const booked = { state: 'succeeded', confirmedMinor: asked } as const;
const { amountMinor: _, ...unnamed } = paid;

describe('an unverified event', () => {
  const unverified: ProviderResult = { kind: 'unverified', text: 'something changed' };
  const reported = (msAgo: number, changes: object = {}) => [
    { inboxId: '1', providerResult: unverified, msAgo, ...changes },
  ];
  const following = { cause: 'notification', followUnverifiedMs: 60_000 } as const;

  it('that led to a case was queried, without an effect', () => {
    const changes = { ...following, ...booked, providerEvents: reported(0), answer: failed };
    expect(readBy(changes)).toEqual([['ignored', 'the provider was queried']]);
  });

  it('behind others does not trigger queries for long, once the provider has answered', () => {
    const repeated = { ...following, providerEvents: reported(0, { isRepetition: true }) };
    const decision = made({ ...repeated, answer: open });
    expect(decision.read).toEqual([
      { inboxId: '1', state: 'ignored', reason: 'queried, the provider reported nothing new' },
    ]);
    expect(decision.unconfirmed).toBe(false);
    for (const answer of [unknown, undefined])
      expect(made({ ...repeated, answer })).toMatchObject({ read: [], unconfirmed: true });
  });

  it('still triggers queries beside a settled one', () => {
    const both = [...reported(60_000), ...reported(0)];
    expect(made({ ...following, providerEvents: both, answer: open })).toMatchObject({
      read: [{ state: 'ignored' }],
      unconfirmed: true,
    });
  });

  it('is applied with the data that the answer adds to the payment', () => {
    const answer: ProviderResult = { kind: 'open', details: { payer: 'Jane' } };
    expect(readBy({ ...following, providerEvents: reported(60_000), answer })).toEqual([
      ['applied', 'queried, the provider reported nothing new'],
    ]);
    const receipt = [...providerEvents(paid), { inboxId: '2', providerResult: unverified, msAgo: 0 }];
    expect(readBy({ ...following, ...booked, providerEvents: receipt, answer: confirmed })).toMatchObject([
      ['applied', 'receipt'],
      ['applied', 'queried, the provider reported nothing new'],
    ]);
  });

  it('does not end queries that another event needs', () => {
    const refunded: ProviderResult = {
      ...{ kind: 'refunded', code: 'REFUNDED', text: 'given back', currency: 'KES' },
      ...{ paidMinor: asked, returnedMinor: asked },
    };
    const decision = made({ ...following, providerEvents: reported(0), answer: refunded });
    expect(decision).toMatchObject({ read: [{ state: 'applied' }], unconfirmed: true });
  });
});

describe('after the success', () => {
  it('a failure contradicts it, with its source', () => {
    expect(casesBy({ ...booked, answer: failed, providerEvents: providerEvents(cancelled) })).toEqual([
      ['contradictory_outcome', 'asked: failed 1 insufficient balance'],
      ['contradictory_outcome', 'inbox 1: cancelled 1032 cancelled'],
    ]);
    const returned = { ...booked, state: 'returned', providerEvents: providerEvents(cancelled) } as const;
    expect([casesBy(returned), readBy(returned)]).toEqual([[], [['ignored', 'cancelled after a success']]]);
  });

  it('a report with another amount adds nothing, and opens a case with both numbers', () => {
    const less = { ...booked, providerEvents: providerEvents({ ...paid, amountMinor: 1n }) };
    expect(casesBy(less)).toEqual([['amount_differs', 'booked 125000, reported later 1 minor units']]);
    expect([readBy(less), made(less).enrichment]).toEqual([[['ignored', 'repeat']], undefined]);
  });

  it('a report without an amount adds its receipt, and one without a receipt nothing', () => {
    expect(readBy({ ...booked, providerEvents: providerEvents(unnamed) })).toEqual([['applied', 'receipt']]);
    expect(casesBy({ ...booked, providerEvents: providerEvents(unnamed) })).toEqual([]);
    expect(readBy({ ...booked, providerEvents: providerEvents(confirmed) })).toEqual([['ignored', 'repeat']]);
  });
});

describe('a receipt other than the stored one', () => {
  const other: Success = { ...paid, receipt: 'R2' };
  const known = { ...booked, receipt: 'R1' };
  const differs = ['receipt_differs', 'booked with receipt R1, reported later R2'];

  it('opens a case, from a notification or an answer, and changes nothing', () => {
    for (const reported of [
      { providerEvents: providerEvents(other) },
      { answer: other },
      { providerEvents: providerEvents(other, paid, other) },
    ]) {
      const decision = made({ ...known, ...reported });
      expect([casesBy({ ...known, ...reported }), decision.enrichment, decision.outcome]).toEqual([
        [differs],
        undefined,
        undefined,
      ]);
    }
    expect(readBy({ ...known, providerEvents: providerEvents(other) })).toEqual([
      ['ignored', 'another receipt'],
    ]);
  });

  it('also opens one after the money was returned', () => {
    expect(casesBy({ ...known, state: 'reversed', providerEvents: providerEvents(other) })).toEqual([
      differs,
    ]);
  });

  it('opens a case if two notifications at once have two, and the first is stored', () => {
    const both = { ...booked, providerEvents: providerEvents(paid, other) };
    expect([casesBy(both), made(both).enrichment]).toEqual([[differs], paid]);
  });

  it('opens none for a success with the same receipt, or none', () => {
    for (const reported of [paid, confirmed]) {
      expect(casesBy({ ...known, providerEvents: providerEvents(reported), answer: reported })).toEqual([]);
    }
  });
});

describe('an unproven report', () => {
  const more: Success = { ...paid, amountMinor: asked + 1n };

  it('above the requested amount is reported in numbers', () => {
    const changes = { providerEvents: providerEvents(more, paid), answer: confirmed };
    expect(casesBy(changes)).toEqual([
      ['amount_differs', 'requested: 125000 minor units; an unverified event reports 125001'],
    ]);
    expect(readBy(changes)).toEqual([
      ['ignored', 'it reports more than the requested amount, without proof'],
      ['applied', 'success'],
    ]);
  });

  it('above the requested amount is the only case about the amount', () => {
    const less = { ...paid, amountMinor: 1n };
    const detail = 'requested: 125000 minor units; an unverified event reports 125001';
    expect(casesBy({ providerEvents: providerEvents(more, less, cancelled), answer: confirmed })).toEqual([
      ['contradictory_outcome', 'inbox 3: cancelled 1032 cancelled'],
      ['amount_differs', detail],
    ]);
    const returned: ProviderResult = {
      ...{ kind: 'returned', code: 'RETURNED', text: 'sent back', currency: 'KES' },
      amountMinor: asked + 1n,
    };
    const others = {
      providerEvents: providerEvents(more, { ...more, receipt: 'R9' }, returned),
      answer: confirmed,
    };
    expect(readBy(others).map(([, reason]) => reason)).toEqual([
      'it reports more than the requested amount, without proof',
      'it reports more than the requested amount, without proof',
      'returned beside a success',
    ]);
  });

  it("is booked with the provider's text, if there is one", () => {
    const detailed: Success = { ...paid, details: { payer: 'Jane', note: 'mine' }, providerReference: 'OLD' };
    const outcomeOf = (answer: Success) => made({ providerEvents: providerEvents(detailed), answer }).outcome;
    expect(outcomeOf({ kind: 'succeeded', code: '9', text: 'known' })).toMatchObject({
      providerResult: detailed,
    });
    const words = { receipt: 'R2', providerReference: 'REF', currency: 'KES' };
    expect(outcomeOf({ ...confirmed, ...words, details: { note: 'theirs' } })).toEqual({
      ...{ to: 'succeeded', amountMinor: asked, by: 'callback' },
      providerResult: { ...detailed, ...words, details: { payer: 'Jane', note: 'theirs' } },
    });
    expect(made({ providerEvents: providerEvents(paid), answer: confirmed }).outcome).toStrictEqual({
      ...{ to: 'succeeded', amountMinor: asked, providerResult: paid, by: 'callback' },
    });
    const { currency: _none, ...silent } = detailed;
    expect(outcomeOf(confirmed)).toMatchObject({ providerResult: { currency: 'KES' } });
    expect(made({ providerEvents: providerEvents(silent), answer: confirmed }).outcome).toMatchObject({
      providerResult: { currency: 'KES' },
    });
    expect(made({ providerEvents: providerEvents(silent), answer: silent }).outcome).toStrictEqual({
      ...{ to: 'succeeded', amountMinor: asked, providerResult: silent, by: 'callback' },
    });
  });

  it("in another currency than the provider's opens a case, whoever reports it", () => {
    const foreign = { ...paid, currency: 'USD' };
    const detail = ['currency_differs', 'requested KES, confirmed USD'];
    expect(casesBy({ providerEvents: providerEvents(foreign), answer: confirmed })).toEqual([detail]);
    expect(
      casesBy({ providerEvents: providerEvents(paid), answer: { ...confirmed, currency: 'USD' } }),
    ).toEqual([detail]);
  });

  it("of an unconfirmed success stays open with the provider's text", () => {
    const atEnd = { providerEvents: providerEvents(paid), cause: 'deadline' } as const;
    expect(casesBy({ ...atEnd, answer: open })).toEqual([['success_unconfirmed', 'open']]);
    expect(casesBy(atEnd)).toEqual([['success_unconfirmed', 'not queried']]);
    expect(casesBy({ providerEvents: providerEvents(paid), answer: cancelled })).toEqual([
      ['success_not_confirmed', 'the provider answered: cancelled 1032 cancelled'],
    ]);
    const seen = { tentative: { code: '1032', msAgo: 0 } };
    expect(
      made({ providerEvents: providerEvents(paid), answer: cancelled, ...seen }).remember,
    ).toBeUndefined();
  });

  it('of a success that is finally denied says so', () => {
    const ours: ProviderResult = { kind: 'failed', code: '1', text: 'x'.repeat(600), ourAccount: true };
    const changes = {
      providerEvents: providerEvents(paid).map((providerEvent) => ({ ...providerEvent, msAgo: 400_000 })),
      tentative: { code: '1', msAgo: 30_000 },
      answer: ours,
    };
    const reported = `an unverified event reported succeeded; the provider answered: failed 1 ${'x'.repeat(600)}`;
    expect(readBy(changes)).toEqual([['ignored', reported.slice(0, 500)]]);
    expect(made(changes).cases.map(({ reason }) => reason)).toEqual([
      'success_not_confirmed',
      'account_refused',
    ]);
  });

  it("of a failure contains the provider's answer", () => {
    const changes = { providerEvents: providerEvents(cancelled), cause: 'notification' } as const;
    const reason = 'an unverified event reported a failure; ';
    const undecided = (answer?: ProviderResult) => made({ ...changes, answer }).undecided;
    expect(undecided()).toEqual([{ inboxId: '1', reason: `${reason}the provider cannot be queried` }]);
    expect(undecided(open)).toEqual([{ inboxId: '1', reason: `${reason}the provider answered: open` }]);
    const long = made({ ...changes, answer: { ...failed, text: 'x'.repeat(600) } });
    expect(long.read.map(({ reason: { length } }) => length)).toEqual([500]);
  });
});

describe('a failure', () => {
  it('that is proven leaves no other notification unread', () => {
    const proven = { notificationsAreTrusted: true, providerEvents: providerEvents(failed, cancelled, open) };
    expect(readBy(proven)).toEqual([
      ['applied', 'failed'],
      ['ignored', 'not the first report'],
      ['ignored', 'not the first report'],
    ]);
    expect(readBy({ ...proven, state: 'failed' })).toEqual([
      ['ignored', 'already failed'],
      ['ignored', 'not the first report'],
      ['ignored', 'not the first report'],
    ]);
    expect(made(proven).unconfirmed).toBe(false);
  });

  it('caused by our own account is for an operator', () => {
    const ours: ProviderResult = { ...failed, ourAccount: true } as ProviderResult;
    const detail = ['account_refused', 'failed 1 insufficient balance'];
    expect(casesBy({ providerEvents: providerEvents(ours), notificationsAreTrusted: true })).toEqual([
      detail,
    ]);
    expect(casesBy({ answer: ours })).toEqual([detail]);
    expect(casesBy({ answer: failed })).toEqual([]);
  });

  it('of a payment unknown to the provider opens a case with its text', () => {
    const answer: ProviderResult = { kind: 'open', unknownToProvider: true };
    const disowning = { account: 'momo', seen: { msAgo: 30_000 }, againAfterMs: 30_000 };
    expect(made({ answer, disowning }).cases).toEqual([
      { reason: 'unknown_to_provider', detail: '', stops: 'momo' },
    ]);
  });
});

it('the text of a rejected second submission has at most 500 characters', () => {
  const again = sentAgain({ kind: 'not_sent', text: 'x'.repeat(600) }, false);
  expect(again.kind === 'unknown' && again.text.length).toBe(500);
});
