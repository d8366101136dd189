/** What is kept with a payment of its warnings, under names that stand in every database, and what is read from it. */
import type { Finding } from '../../../../src/domain/outcome';
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import {
  goneBeforeReversal,
  heldFrom,
  heldFromDetails,
  isVouchedFor,
  isWarned,
  isWarnedAlike,
  showsReversal,
  toldMinorOf,
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
    given_back_minor: '100',
    refunded_minor: '0',
    ...changes,
  }) as PaymentRow;

describe('what a payment was warned of', () => {
  it('is read as it was kept', () => {
    expect(warnedBefore(row({}))).toStrictEqual({ hasSeveral: false });
    const all = {
      ...{ warned_at: 'T1', reversal_told_minor: '700', disputes_several: 'yes' },
      ...{ dispute_told_id: 'D', dispute_told_at: 'T0', dispute_over: 'yes' },
    };
    const dispute = { id: 'D', toldAt: 'T0', isWon: true };
    expect(warnedBefore(row(all))).toStrictEqual({ at: 'T1', reversal: '700', hasSeveral: true, dispute });
    expect(warnedBefore(row({ ...all, dispute_over: 'no' })).dispute).toEqual({ ...dispute, isWon: false });
    expect(warnedBefore(row({ dispute_told_id: 'D' })).dispute).toBeUndefined();
    expect(warnedBefore(row({ dispute_told_at: 'T0' })).dispute).toBeUndefined();
  });

  it('is known by when it was the last, and is signed unless it is said to be not', () => {
    expect([{}, { warned_at: 'T1' }].map((details) => isWarned(row(details)))).toEqual([false, true]);
    const vouched = [{}, { warning_vouched: 'yes' }, { warning_vouched: 'no' }];
    expect(vouched.map((details) => isVouchedFor(row(details)))).toEqual([true, true, false]);
  });

  it.each([
    ...['warned_at', 'warning_vouched', 'disputes_several', 'disputed_minor', 'reversal_told_minor'],
    ...['dispute_told_id', 'dispute_told_at', 'dispute_over'],
  ])('is another where %s is', (name) => {
    expect(isWarnedAlike(row({ [name]: 'a' }), row({ [name]: 'b' }))).toBe(false);
    expect(isWarnedAlike(row({ [name]: 'a', other: '1' }), row({ [name]: 'a', other: '2' }))).toBe(true);
  });

  it('is an amount, or may be all', () => {
    const told = row({ disputed_minor: '500', reversal_told_minor: '700' });
    expect([toldMinorOf(told, 'disputed'), toldMinorOf(told, 'reversal_told')]).toEqual([500n, 700n]);
    expect(toldMinorOf(row({ disputed_minor: 'all' }), 'disputed')).toBeUndefined();
    expect(toldMinorOf(row({}), 'disputed')).toBeUndefined();
  });

  it.each<[string, Record<string, string>, bigint, boolean]>([
    ['as much as was named', { reversal_told_minor: '500' }, 600n, true],
    ['less than was named', { reversal_told_minor: '500' }, 599n, false],
    ['all that is left, of which more was named', { reversal_told_minor: '5000' }, 1_100n, true],
    ['less than is left, of which more was named', { reversal_told_minor: '5000' }, 1_099n, false],
    ['all that is left, where nothing was named', {}, 1_100n, true],
    ['less than is left, where nothing was named', {}, 1_099n, false],
  ])('is shown by %s', (_what, details, givenBackMinor, expected) => {
    expect(showsReversal(row(details), { givenBackMinor, finding: confirmed })).toBe(expected);
    const behind: Finding = { ...confirmed, behind: true };
    expect(showsReversal(row(details), { givenBackMinor, finding: behind })).toBe(false);
  });

  it('is less where a part was refunded by us, and nothing where nothing was confirmed', () => {
    const finding = confirmed;
    expect(showsReversal(row({}, { refunded_minor: '300' }), { givenBackMinor: 800n, finding })).toBe(true);
    const unpaid = row({}, { confirmed_minor: null, given_back_minor: '0' });
    expect(showsReversal(unpaid, { givenBackMinor: 0n, finding })).toBe(true);
  });

  it('began where it is said to have begun', () => {
    expect([{}, { reversal_told_from: '7' }].map((details) => goneBeforeReversal(row(details)))).toEqual([
      0n,
      7n,
    ]);
  });

  it('is not told any more of a reversal that was shown', () => {
    const kept = { reversal_told_minor: '7', reversal_told_from: '0', disputed_minor: '5' };
    expect(withoutReversal(kept)).toEqual({ disputed_minor: '5' });
  });

  it('is over for its disputes once a person has closed their case', () => {
    const open = { dispute_told_id: 'D', disputes_several: 'yes', other: '1' };
    expect(withDisputesOver(open)).toEqual({ dispute_told_id: 'D', other: '1', dispute_over: 'yes' });
    expect(withDisputesOver({ disputes_several: 'yes' })).toEqual({ disputes_several: 'yes' });
  });

  it('is held for one dispute, from what had gone when that began', () => {
    const told = { dispute_told_id: 'D' };
    const held = { ...told, held_for_dispute: 'D', held_from_gone: '40' };
    expect(heldFromDetails(row(told), 40n)).toEqual({ held_for_dispute: 'D', held_from_gone: '40' });
    expect(heldFromDetails(row({}), 40n)).toEqual({});
    expect([wasHeld(row(held)), wasHeld(row(told))]).toEqual([true, false]);
    expect(heldFrom(row(held))).toBe(40n);
    expect(heldFrom(row({ ...held, dispute_told_id: 'E' }))).toBeUndefined();
    expect(heldFrom(row({ ...told, held_for_dispute: 'D' }))).toBeUndefined();
  });
});

describe('what a warning leaves', () => {
  type Hint = Extract<Finding, { kind: 'hint' }>;
  const disputed = (changes: Partial<Hint> = {}): Hint => ({
    ...{ kind: 'hint', text: 'DISPUTE', warns: 'disputed' },
    ...{ dispute: { id: 'D', toldAt: 'T1', isWon: false } },
    ...changes,
  });
  const reversal = (changes: Partial<Hint> = {}): Hint => ({
    ...{ kind: 'hint', text: 'REVERSED', warns: 'reversal_told' },
    ...changes,
  });
  const amount = (amountMinor: bigint, currency = 'KES') => ({ mayTake: { amountMinor, currency } });
  const decided = (hints: Hint[], changes: Partial<Facts> = {}, isProven = true) =>
    decide(
      facts({
        ...{ state: 'succeeded', confirmedMinor: asked, watchedAfterSuccess: true, cause: 'notification' },
        ...{ answer: confirmed, givenBackMinor: 0n },
        ...changes,
        notices: hints.map((finding, n) => ({ inboxId: String(n), finding, msAgo: 0, isProven })),
      }),
    );
  const noted = (...given: Parameters<typeof decided>) => decided(...given).noted;
  const ofDispute = {
    ...{ warning_vouched: 'yes', dispute_told_id: 'D', dispute_told_at: 'T1', dispute_over: 'no' },
  };

  it('is what it names, and of which dispute', () => {
    const notes = { dispute_id: 'D-1', claim: '7' };
    const decision = decided([disputed({ ...amount(500n), notes })]);
    expect(decision.noted).toEqual({ ...notes, ...ofDispute, disputed_minor: '500' });
    expect(decision.cases).toEqual([{ reason: 'disputed', detail: 'DISPUTE, dispute_id D-1, claim 7' }]);
    expect(decision.settles).toEqual([]);
  });

  it('may be all of the payment where no amount is named, or one in another currency', () => {
    const allOfIt = { ...ofDispute, disputed_minor: 'all' };
    expect(noted([disputed()])).toEqual(allOfIt);
    expect(noted([disputed(amount(500n, 'USD'))])).toEqual(allOfIt);
  });

  it('settles what was won, where nothing else is open', () => {
    const won = disputed({ dispute: { id: 'D', toldAt: 'T1', isWon: true }, notes: { by: 'seller' } });
    const decision = decided([won]);
    expect([decision.cases, decision.settles]).toEqual([
      [],
      [{ reason: 'disputed', detail: 'DISPUTE, by seller' }],
    ]);
    expect(decision.noted).toMatchObject({ dispute_over: 'yes' });
    // Of one moment the end counts, whichever comes first.
    for (const both of [
      [won, disputed()],
      [disputed(), won],
    ])
      expect(decided(both)).toMatchObject({ cases: [], settles: [{ reason: 'disputed' }] });
  });

  it('is of several disputes only while one is told of before another is over', () => {
    const before = (id: string, isWon: boolean) => ({
      warnedBefore: { dispute: { id, toldAt: 'T0', isWon } },
    });
    expect(noted([disputed()], before('C', false))).toMatchObject({
      disputes_several: 'yes',
      disputed_minor: 'all',
    });
    for (const changes of [before('C', true), before('D', false)])
      expect(noted([disputed(amount(5n))], changes)).toEqual({ ...ofDispute, disputed_minor: '5' });
    const two = [disputed(), disputed({ dispute: { id: 'E', toldAt: 'T2', isWon: true } })];
    const decision = decided(two);
    expect(decision.noted).toMatchObject({ disputes_several: 'yes', dispute_told_id: 'E' });
    expect([decision.cases.length, decision.settles]).toEqual([2, []]);
  });

  it('that nobody has signed is only shown, and does not outdate what is signed', () => {
    const notes = { dispute_id: 'D-1' };
    expect(noted([disputed({ notes })], {}, false)).toEqual({ ...notes, warning_vouched: 'no' });
    expect(noted([disputed({ notes })], { warnedBefore: { at: 'T0' } }, false)).toEqual(notes);
    const forged = disputed({ dispute: { id: 'D', toldAt: 'T9', isWon: true } });
    const known = { warnedBefore: { dispute: { id: 'D', toldAt: 'T0', isWon: false } } };
    expect(decided([forged], known, false)).toMatchObject({ cases: [{ reason: 'disputed' }], settles: [] });
  });

  it('of a reversal is the most that was told of it, from what had gone by then', () => {
    const told = { warning_vouched: 'yes', reversal_told_from: '90', reversal_told_minor: '500' };
    const gone = { givenBackMinor: 90n, answer: undefined };
    expect(noted([reversal(amount(500n))], gone)).toEqual(told);
    expect(noted([reversal(amount(300n)), reversal(amount(500n))], gone)).toEqual(told);
    expect(noted([reversal(amount(500n)), reversal(amount(300n))], gone)).toEqual(told);
    const before = (amountTold: string) => ({ ...gone, warnedBefore: { reversal: amountTold } });
    const again = (amountTold: string) => noted([reversal(amount(500n))], before(amountTold));
    expect(['300', '900', 'all'].map(again)).toEqual(
      ['500', '900', 'all'].map((most) => ({ warning_vouched: 'yes', reversal_told_minor: most })),
    );
    expect(noted([reversal()], before('300'))).toMatchObject({ reversal_told_minor: 'all' });
  });

  it('is nothing where nothing warns', () => {
    const { noted: none, settles } = decided([{ kind: 'hint', text: 'something changed' }]);
    expect([none, settles]).toEqual([undefined, undefined]);
  });
});
