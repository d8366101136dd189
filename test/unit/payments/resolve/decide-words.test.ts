/** What a decision tells people, to the word: the details of its cases, and why each notification was read. */
import type { Finding } from '../../../../src/domain/outcome';
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import { sentAgain } from '../../../../src/rail-kit/provider-words';
import {
  asked,
  cancelled,
  confirmed,
  failed,
  facts,
  notices,
  open,
  paid,
  unknown,
} from '../../../support/payments/evidence';

type Success = Extract<Finding, { kind: 'succeeded' }>;

const made = (changes: Partial<Facts>) => decide(facts(changes));
const readBy = (changes: Partial<Facts>) => made(changes).read.map(({ state, reason }) => [state, reason]);
const casesBy = (changes: Partial<Facts>) =>
  made(changes).cases.map(({ reason, detail }) => [reason, detail]);
const booked = { state: 'succeeded', confirmedMinor: asked } as const;
const { amountMinor: _, ...unnamed } = paid;

describe('a hint', () => {
  const hint: Finding = { kind: 'hint', text: 'something changed' };
  const told = (msAgo: number, changes: object = {}) => [{ inboxId: '1', finding: hint, msAgo, ...changes }];
  const following = { cause: 'notification', followHintMs: 60_000 } as const;

  it('that led to a case was asked about, and has brought nothing', () => {
    const changes = { ...following, ...booked, notices: told(0), answer: failed };
    expect(readBy(changes)).toEqual([['ignored', 'the provider was asked']]);
  });

  it('behind others is not followed for long, once the provider has answered', () => {
    const repeated = { ...following, notices: told(0, { isRepetition: true }) };
    const decision = made({ ...repeated, answer: open });
    expect(decision.read).toEqual([
      { inboxId: '1', state: 'ignored', reason: 'asked, the provider told nothing new' },
    ]);
    expect(decision.unconfirmed).toBe(false);
    for (const answer of [unknown, undefined])
      expect(made({ ...repeated, answer })).toMatchObject({ read: [], unconfirmed: true });
  });

  it('is followed on beside one that is done with', () => {
    const both = [...told(60_000), ...told(0)];
    expect(made({ ...following, notices: both, answer: open })).toMatchObject({
      read: [{ state: 'ignored' }],
      unconfirmed: true,
    });
  });

  it('has brought what the answer adds to the payment', () => {
    const answer: Finding = { kind: 'open', details: { payer: 'Jane' } };
    expect(readBy({ ...following, notices: told(60_000), answer })).toEqual([
      ['applied', 'asked, the provider told nothing new'],
    ]);
    const receipt = [...notices(paid), { inboxId: '2', finding: hint, msAgo: 0 }];
    expect(readBy({ ...following, ...booked, notices: receipt, answer: confirmed })).toMatchObject([
      ['applied', 'receipt'],
      ['applied', 'asked, the provider told nothing new'],
    ]);
  });

  it('does not end the asking that something else needs', () => {
    const refunded: Finding = {
      ...{ kind: 'refunded', code: 'REFUNDED', text: 'given back', currency: 'KES' },
      ...{ paidMinor: asked, givenBackMinor: asked },
    };
    const decision = made({ ...following, notices: told(0), answer: refunded });
    expect(decision).toMatchObject({ read: [{ state: 'applied' }], unconfirmed: true });
  });
});

describe('after the success', () => {
  it('a failure contradicts it, and says who told it', () => {
    expect(casesBy({ ...booked, answer: failed, notices: notices(cancelled) })).toEqual([
      ['contradictory_outcome', 'asked: failed 1 insufficient balance'],
      ['contradictory_outcome', 'inbox 1: cancelled 1032 cancelled'],
    ]);
    const returned = { ...booked, state: 'returned', notices: notices(cancelled) } as const;
    expect([casesBy(returned), readBy(returned)]).toEqual([[], [['ignored', 'cancelled after a success']]]);
  });

  it('a report of another amount adds nothing, and is told in figures', () => {
    const less = { ...booked, notices: notices({ ...paid, amountMinor: 1n }) };
    expect(casesBy(less)).toEqual([['amount_differs', 'booked 125000, reported later 1 minor units']]);
    expect([readBy(less), made(less).enrichment]).toEqual([[['ignored', 'repeat']], undefined]);
  });

  it('a report without an amount adds its receipt, and one without a receipt nothing', () => {
    expect(readBy({ ...booked, notices: notices(unnamed) })).toEqual([['applied', 'receipt']]);
    expect(casesBy({ ...booked, notices: notices(unnamed) })).toEqual([]);
    expect(readBy({ ...booked, notices: notices(confirmed) })).toEqual([['ignored', 'repeat']]);
  });
});

describe('another receipt than the one that we have', () => {
  const other: Success = { ...paid, receipt: 'R2' };
  const known = { ...booked, receipt: 'R1' };
  const differs = ['receipt_differs', 'booked with receipt R1, reported later R2'];

  it('is a case, whether a notification or an answer names it, and changes nothing', () => {
    for (const told of [
      { notices: notices(other) },
      { answer: other },
      { notices: notices(other, paid, other) },
    ]) {
      const decision = made({ ...known, ...told });
      expect([casesBy({ ...known, ...told }), decision.enrichment, decision.outcome]).toEqual([
        [differs],
        undefined,
        undefined,
      ]);
    }
    expect(readBy({ ...known, notices: notices(other) })).toEqual([['ignored', 'another receipt']]);
  });

  it('is one also after the money went back', () => {
    expect(casesBy({ ...known, state: 'reversed', notices: notices(other) })).toEqual([differs]);
  });

  it('is a case where two notifications at once name two, and the first is kept', () => {
    const both = { ...booked, notices: notices(paid, other) };
    expect([casesBy(both), made(both).enrichment]).toEqual([[differs], paid]);
  });

  it('is none where a success names the same receipt, or none', () => {
    for (const told of [paid, confirmed]) {
      expect(casesBy({ ...known, notices: notices(told), answer: told })).toEqual([]);
    }
  });
});

describe('a report that nothing else proves', () => {
  const more: Success = { ...paid, amountMinor: asked + 1n };

  it('and that names more than was asked is told in figures', () => {
    const changes = { notices: notices(more, paid), answer: confirmed };
    expect(casesBy(changes)).toEqual([
      ['amount_differs', '125000 minor units were asked for; a report without proof names 125001'],
    ]);
    expect(readBy(changes)).toEqual([
      ['ignored', 'it names more than was asked, and proves nothing'],
      ['applied', 'success'],
    ]);
  });

  it('and names more than was asked is the one case about the amount, beside all others', () => {
    const less = { ...paid, amountMinor: 1n };
    const detail = '125000 minor units were asked for; a report without proof names 125001';
    expect(casesBy({ notices: notices(more, less, cancelled), answer: confirmed })).toEqual([
      ['contradictory_outcome', 'inbox 3: cancelled 1032 cancelled'],
      ['amount_differs', detail],
    ]);
    const returned: Finding = {
      ...{ kind: 'returned', code: 'RETURNED', text: 'sent back', currency: 'KES' },
      amountMinor: asked + 1n,
    };
    const others = { notices: notices(more, { ...more, receipt: 'R9' }, returned), answer: confirmed };
    expect(readBy(others).map(([, reason]) => reason)).toEqual([
      'it names more than was asked, and proves nothing',
      'it names more than was asked, and proves nothing',
      'returned beside a success',
    ]);
  });

  it('is booked in the words of the provider, where it has any', () => {
    const detailed: Success = { ...paid, details: { payer: 'Jane', note: 'mine' }, providerReference: 'OLD' };
    const outcomeOf = (answer: Success) => made({ notices: notices(detailed), answer }).outcome;
    expect(outcomeOf({ kind: 'succeeded', code: '9', text: 'known' })).toMatchObject({ finding: detailed });
    const words = { receipt: 'R2', providerReference: 'REF', currency: 'KES' };
    expect(outcomeOf({ ...confirmed, ...words, details: { note: 'theirs' } })).toEqual({
      ...{ to: 'succeeded', amountMinor: asked, by: 'callback' },
      finding: { ...detailed, ...words, details: { payer: 'Jane', note: 'theirs' } },
    });
    expect(made({ notices: notices(paid), answer: confirmed }).outcome).toStrictEqual({
      ...{ to: 'succeeded', amountMinor: asked, finding: paid, by: 'callback' },
    });
    const { currency: _none, ...silent } = detailed;
    expect(outcomeOf(confirmed)).toMatchObject({ finding: { currency: 'KES' } });
    expect(made({ notices: notices(silent), answer: confirmed }).outcome).toMatchObject({
      finding: { currency: 'KES' },
    });
    expect(made({ notices: notices(silent), answer: silent }).outcome).toStrictEqual({
      ...{ to: 'succeeded', amountMinor: asked, finding: silent, by: 'callback' },
    });
  });

  it('and names another currency than the provider is for a person, whoever names it', () => {
    const foreign = { ...paid, currency: 'USD' };
    const detail = ['currency_differs', 'asked KES, confirmed USD'];
    expect(casesBy({ notices: notices(foreign), answer: confirmed })).toEqual([detail]);
    expect(casesBy({ notices: notices(paid), answer: { ...confirmed, currency: 'USD' } })).toEqual([detail]);
  });

  it('of a success that is not confirmed is kept open in the words of the provider', () => {
    const atEnd = { notices: notices(paid), cause: 'deadline' } as const;
    expect(casesBy({ ...atEnd, answer: open })).toEqual([['success_unconfirmed', 'open']]);
    expect(casesBy(atEnd)).toEqual([['success_unconfirmed', 'not asked']]);
    expect(casesBy({ notices: notices(paid), answer: cancelled })).toEqual([
      ['success_not_confirmed', 'asked, the provider says cancelled 1032 cancelled'],
    ]);
    const seen = { tentative: { code: '1032', msAgo: 0 } };
    expect(made({ notices: notices(paid), answer: cancelled, ...seen }).remember).toBeUndefined();
  });

  it('of a success that is denied for good says so', () => {
    const ours: Finding = { kind: 'failed', code: '1', text: 'x'.repeat(600), ourAccount: true };
    const changes = {
      notices: notices(paid).map((notice) => ({ ...notice, msAgo: 400_000 })),
      tentative: { code: '1', msAgo: 30_000 },
      answer: ours,
    };
    const told = `succeeded was reported without proof; asked, the provider says failed 1 ${'x'.repeat(600)}`;
    expect(readBy(changes)).toEqual([['ignored', told.slice(0, 500)]]);
    expect(made(changes).cases.map(({ reason }) => reason)).toEqual([
      'success_not_confirmed',
      'account_refused',
    ]);
  });

  it('of a failure says what the provider said instead', () => {
    const changes = { notices: notices(cancelled), cause: 'notification' } as const;
    const reason = 'a failure was reported without proof; ';
    const undecided = (answer?: Finding) => made({ ...changes, answer }).undecided;
    expect(undecided()).toEqual([{ inboxId: '1', reason: `${reason}it cannot be asked about` }]);
    expect(undecided(open)).toEqual([{ inboxId: '1', reason: `${reason}asked, the provider says open` }]);
    const long = made({ ...changes, answer: { ...failed, text: 'x'.repeat(600) } });
    expect(long.read.map(({ reason: { length } }) => length)).toEqual([500]);
  });
});

describe('a failure', () => {
  it('that is proven leaves all others unread no more', () => {
    const proven = { notificationsAreProof: true, notices: notices(failed, cancelled, open) };
    expect(readBy(proven)).toEqual([
      ['applied', 'failed'],
      ['ignored', 'not the first to tell'],
      ['ignored', 'not the first to tell'],
    ]);
    expect(readBy({ ...proven, state: 'failed' })).toEqual([
      ['ignored', 'already failed'],
      ['ignored', 'not the first to tell'],
      ['ignored', 'not the first to tell'],
    ]);
    expect(made(proven).unconfirmed).toBe(false);
  });

  it('for reasons of our own account is for an operator', () => {
    const ours: Finding = { ...failed, ourAccount: true } as Finding;
    const detail = ['account_refused', 'failed 1 insufficient balance'];
    expect(casesBy({ notices: notices(ours), notificationsAreProof: true })).toEqual([detail]);
    expect(casesBy({ answer: ours })).toEqual([detail]);
    expect(casesBy({ answer: failed })).toEqual([]);
  });

  it('that a provider disowns is told to a person in its words', () => {
    const answer: Finding = { kind: 'open', disowned: true };
    const disowning = { account: 'momo', seen: { msAgo: 30_000 }, againAfterMs: 30_000 };
    expect(made({ answer, disowning }).cases).toEqual([
      { reason: 'provider_disowns', detail: '', stops: 'momo' },
    ]);
  });
});

it('what was sent again and refused is told in no more than 500 characters', () => {
  const again = sentAgain({ kind: 'not_sent', text: 'x'.repeat(600) }, false);
  expect(again.kind === 'unknown' && again.text.length).toBe(500);
});
