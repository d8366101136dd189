/** The stored warnings of a payment, with names that exist in every database, and their meaning. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import {
  debitedBeforeReversal,
  heldFrom,
  heldFromDetails,
  isVouchedFor,
  isWarned,
  isWarnedAlike,
  showsReversal,
  reportedMinorOf,
  warnedBefore,
  wasHeld,
  withDisputesOver,
  withoutReversal,
} from '../../../../src/payments/transition/warning-details';
import type { PaymentRow } from '../../../../src/store/tables';
import { asked, confirmed, facts } from '../../../support/payments/evidence';

const row = (details: Record<string, string>, changes: Partial<PaymentRow> = {}) =>
  ({
    details,
    confirmed_minor: '1100',
    returned_minor: '100',
    refunded_minor: '0',
    ...changes,
  }) as PaymentRow;

describe('the warnings of a payment', () => {
  it('are read as stored', () => {
    expect(warnedBefore(row({}))).toStrictEqual({ hasSeveral: false });
    const all = {
      ...{ warned_at: 'T1', reversal_told_minor: '700', disputes_several: 'yes' },
      ...{ dispute_told_id: 'D', dispute_told_at: 'T0', dispute_over: 'yes' },
    };
    const dispute = { id: 'D', reportedAt: 'T0', isWon: true };
    expect(warnedBefore(row(all))).toStrictEqual({ at: 'T1', reversal: '700', hasSeveral: true, dispute });
    expect(warnedBefore(row({ ...all, dispute_over: 'no' })).dispute).toEqual({ ...dispute, isWon: false });
    expect(warnedBefore(row({ dispute_told_id: 'D' })).dispute).toBeUndefined();
    expect(warnedBefore(row({ dispute_told_at: 'T0' })).dispute).toBeUndefined();
  });

  it('have the time of the last one, and are signed unless marked otherwise', () => {
    expect([{}, { warned_at: 'T1' }].map((details) => isWarned(row(details)))).toEqual([false, true]);
    const vouched = [{}, { warning_vouched: 'yes' }, { warning_vouched: 'no' }];
    expect(vouched.map((details) => isVouchedFor(row(details)))).toEqual([true, true, false]);
  });

  it.each([
    ...['warned_at', 'warning_vouched', 'disputes_several', 'disputed_minor', 'reversal_told_minor'],
    ...['dispute_told_id', 'dispute_told_at', 'dispute_over'],
  ])('differ if %s differs', (name) => {
    expect(isWarnedAlike(row({ [name]: 'a' }), row({ [name]: 'b' }))).toBe(false);
    expect(isWarnedAlike(row({ [name]: 'a', other: '1' }), row({ [name]: 'a', other: '2' }))).toBe(true);
  });

  it('have an amount, or may concern all', () => {
    const reported = row({ disputed_minor: '500', reversal_told_minor: '700' });
    expect([reportedMinorOf(reported, 'disputed'), reportedMinorOf(reported, 'reversal_reported')]).toEqual([
      500n,
      700n,
    ]);
    expect(reportedMinorOf(row({ disputed_minor: 'all' }), 'disputed')).toBeUndefined();
    expect(reportedMinorOf(row({}), 'disputed')).toBeUndefined();
  });

  it.each<[string, Record<string, string>, bigint, boolean]>([
    ['as much as was named', { reversal_told_minor: '500' }, 600n, true],
    ['less than was named', { reversal_told_minor: '500' }, 599n, false],
    ['all that is left, of which more was named', { reversal_told_minor: '5000' }, 1_100n, true],
    ['less than is left, of which more was named', { reversal_told_minor: '5000' }, 1_099n, false],
    ['all that is left, where nothing was named', {}, 1_100n, true],
    ['less than is left, where nothing was named', {}, 1_099n, false],
  ])('are shown by %s', (_what, details, returnedMinor, expected) => {
    expect(showsReversal(row(details), { returnedMinor, providerResult: confirmed })).toBe(expected);
    const behind: ProviderResult = { ...confirmed, behind: true };
    expect(showsReversal(row(details), { returnedMinor, providerResult: behind })).toBe(false);
  });

  it('are less if a part was refunded by us, and nothing if nothing was confirmed', () => {
    const providerResult = confirmed;
    expect(showsReversal(row({}, { refunded_minor: '300' }), { returnedMinor: 800n, providerResult })).toBe(
      true,
    );
    const unpaid = row({}, { confirmed_minor: null, returned_minor: '0' });
    expect(showsReversal(unpaid, { returnedMinor: 0n, providerResult })).toBe(true);
  });

  it('started at their stored time', () => {
    expect([{}, { reversal_told_from: '7' }].map((details) => debitedBeforeReversal(row(details)))).toEqual([
      0n,
      7n,
    ]);
  });

  it('are not reported any more for a shown reversal', () => {
    const kept = { reversal_told_minor: '7', reversal_told_from: '0', disputed_minor: '5' };
    expect(withoutReversal(kept)).toEqual({ disputed_minor: '5' });
  });

  it('end for disputes once an operator has closed their case', () => {
    const open = { dispute_told_id: 'D', disputes_several: 'yes', other: '1' };
    expect(withDisputesOver(open)).toEqual({ dispute_told_id: 'D', other: '1', dispute_over: 'yes' });
    expect(withDisputesOver({ disputes_several: 'yes' })).toEqual({ disputes_several: 'yes' });
  });

  it('reserve for one dispute, counted from the refunds at its start', () => {
    const reported = { dispute_told_id: 'D' };
    const held = { ...reported, held_for_dispute: 'D', held_from_gone: '40' };
    expect(heldFromDetails(row(reported), 40n)).toEqual({ held_for_dispute: 'D', held_from_gone: '40' });
    expect(heldFromDetails(row({}), 40n)).toEqual({});
    expect([wasHeld(row(held)), wasHeld(row(reported))]).toEqual([true, false]);
    expect(heldFrom(row(held))).toBe(40n);
    expect(heldFrom(row({ ...held, dispute_told_id: 'E' }))).toBeUndefined();
    expect(heldFrom(row({ ...reported, held_for_dispute: 'D' }))).toBeUndefined();
  });
});

describe('the reserve of a warning', () => {
  type UnverifiedResult = Extract<ProviderResult, { kind: 'unverified' }>;
  const disputed = (changes: Partial<UnverifiedResult> = {}): UnverifiedResult => ({
    ...{ kind: 'unverified', text: 'DISPUTE', warns: 'disputed' },
    ...{ dispute: { id: 'D', reportedAt: 'T1', isWon: false } },
    ...changes,
  });
  const reversal = (changes: Partial<UnverifiedResult> = {}): UnverifiedResult => ({
    ...{ kind: 'unverified', text: 'REVERSED', warns: 'reversal_reported' },
    ...changes,
  });
  const amount = (amountMinor: bigint, currency = 'KES') => ({ mayTake: { amountMinor, currency } });
  const decided = (unverifiedEvents: UnverifiedResult[], changes: Partial<Facts> = {}, isProven = true) =>
    decide(
      facts({
        ...{ state: 'succeeded', confirmedMinor: asked, watchedAfterSuccess: true, cause: 'notification' },
        ...{ answer: confirmed, returnedMinor: 0n },
        ...changes,
        providerEvents: unverifiedEvents.map((providerResult, n) => ({
          inboxId: String(n),
          providerResult,
          msAgo: 0,
          isProven,
        })),
      }),
    );
  const noted = (...given: Parameters<typeof decided>) => decided(...given).noted;
  const ofDispute = {
    ...{ warning_vouched: 'yes', dispute_told_id: 'D', dispute_told_at: 'T1', dispute_over: 'no' },
  };

  it('is its amount, for its dispute', () => {
    const notes = { dispute_id: 'D-1', claim: '7' };
    const decision = decided([disputed({ ...amount(500n), notes })]);
    expect(decision.noted).toEqual({ ...notes, ...ofDispute, disputed_minor: '500' });
    expect(decision.cases).toEqual([{ reason: 'disputed', detail: 'DISPUTE, dispute_id D-1, claim 7' }]);
    expect(decision.settles).toEqual([]);
  });

  it('may be the whole payment if there is no amount, or one in another currency', () => {
    const allOfIt = { ...ofDispute, disputed_minor: 'all' };
    expect(noted([disputed()])).toEqual(allOfIt);
    expect(noted([disputed(amount(500n, 'USD'))])).toEqual(allOfIt);
  });

  it('is released for a won dispute, if no other is open', () => {
    const won = disputed({ dispute: { id: 'D', reportedAt: 'T1', isWon: true }, notes: { by: 'seller' } });
    const decision = decided([won]);
    expect([decision.cases, decision.settles]).toEqual([
      [],
      [{ reason: 'disputed', detail: 'DISPUTE, by seller' }],
    ]);
    expect(decision.noted).toMatchObject({ dispute_over: 'yes' });
    // At the same time the end counts, in any order.
    for (const both of [
      [won, disputed()],
      [disputed(), won],
    ])
      expect(decided(both)).toMatchObject({ cases: [], settles: [{ reason: 'disputed' }] });
  });

  it('is for several disputes only if one is reported before another is over', () => {
    const before = (id: string, isWon: boolean) => ({
      warnedBefore: { dispute: { id, reportedAt: 'T0', isWon } },
    });
    expect(noted([disputed()], before('C', false))).toMatchObject({
      disputes_several: 'yes',
      disputed_minor: 'all',
    });
    for (const changes of [before('C', true), before('D', false)])
      expect(noted([disputed(amount(5n))], changes)).toEqual({ ...ofDispute, disputed_minor: '5' });
    const two = [disputed(), disputed({ dispute: { id: 'E', reportedAt: 'T2', isWon: true } })];
    const decision = decided(two);
    expect(decision.noted).toMatchObject({ disputes_several: 'yes', dispute_told_id: 'E' });
    expect([decision.cases.length, decision.settles]).toEqual([2, []]);
  });

  it('of an unsigned warning is only shown, and does not replace a signed one', () => {
    const notes = { dispute_id: 'D-1' };
    expect(noted([disputed({ notes })], {}, false)).toEqual({ ...notes, warning_vouched: 'no' });
    expect(noted([disputed({ notes })], { warnedBefore: { at: 'T0' } }, false)).toEqual(notes);
    const forged = disputed({ dispute: { id: 'D', reportedAt: 'T9', isWon: true } });
    const known = { warnedBefore: { dispute: { id: 'D', reportedAt: 'T0', isWon: false } } };
    expect(decided([forged], known, false)).toMatchObject({ cases: [{ reason: 'disputed' }], settles: [] });
  });

  it('for a reversal is its maximal reported amount, counted from the refunds by then', () => {
    const reported = { warning_vouched: 'yes', reversal_told_from: '90', reversal_told_minor: '500' };
    const gone = { returnedMinor: 90n, answer: undefined };
    expect(noted([reversal(amount(500n))], gone)).toEqual(reported);
    expect(noted([reversal(amount(300n)), reversal(amount(500n))], gone)).toEqual(reported);
    expect(noted([reversal(amount(500n)), reversal(amount(300n))], gone)).toEqual(reported);
    const before = (amountReported: string) => ({ ...gone, warnedBefore: { reversal: amountReported } });
    const again = (amountReported: string) => noted([reversal(amount(500n))], before(amountReported));
    expect(['300', '900', 'all'].map(again)).toEqual(
      ['500', '900', 'all'].map((most) => ({ warning_vouched: 'yes', reversal_told_minor: most })),
    );
    expect(noted([reversal()], before('300'))).toMatchObject({ reversal_told_minor: 'all' });
  });

  it('is zero without a warning', () => {
    const { noted: none, settles } = decided([{ kind: 'unverified', text: 'something changed' }]);
    expect([none, settles]).toEqual([undefined, undefined]);
  });
});
