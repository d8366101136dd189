/** Warnings of a provider before a change is visible, and repayments after a reversal. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import { planCheck } from '../../../../src/payments/transition/plan-check';
import type { ReturnedByProvider } from '../../../../src/rail-kit/provider-events';
import { asked, confirmed, facts, unknown } from '../../../support/payments/evidence';

const hour = 3_600_000;
const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);
const reported = (providerResult: ProviderResult, msAgo = 0) => [{ inboxId: '1', providerResult, msAgo }];
const refunded = (returnedMinor: bigint, changes: Partial<ReturnedByProvider> = {}): ReturnedByProvider => ({
  kind: 'refunded',
  code: 'REFUNDED',
  text: 'refunded',
  paidMinor: asked,
  returnedMinor,
  currency: 'KES',
  ...changes,
});
const booked = {
  state: 'succeeded',
  confirmedMinor: asked,
  watchedAfterSuccess: true,
  followUnverifiedMs: 60_000,
  cause: 'notification',
} as const;

describe('a warning', () => {
  const dispute: ProviderResult = {
    kind: 'unverified',
    text: 'CUSTOMER.DISPUTE.CREATED',
    warns: 'disputed',
    notes: { dispute_id: 'PP-D-1' },
  };
  const reversal: ProviderResult = { kind: 'unverified', text: 'REVERSED', warns: 'reversal_reported' };

  it('of a dispute opens a case, stores its amount, and moves no money', () => {
    const decision = decide(facts({ ...booked, providerEvents: reported(dispute), answer: confirmed }));
    expect(decision).toMatchObject({
      cases: [{ reason: 'disputed', detail: 'CUSTOMER.DISPUTE.CREATED, dispute_id PP-D-1' }],
      noted: { dispute_id: 'PP-D-1', warning_vouched: 'no' },
      read: [{ inboxId: '1' }],
    });
    expect(decision.outcome).toBeUndefined();
  });

  it('of a reversal opens a case while the provider still shows the payment as paid', () => {
    const behind: ProviderResult = { ...confirmed, behind: true };
    const first = decide(facts({ ...booked, providerEvents: reported(reversal), answer: behind }));
    expect([reasons(first), first.read, first.unconfirmed]).toEqual([['reversal_reported'], [], true]);
    expect(first.outcome).toBeUndefined();
  });

  it('of a visible reversal is booked, with its case', () => {
    const answer = refunded(asked, { kind: 'reversed' });
    const decision = decide(facts({ ...booked, providerEvents: reported(reversal), answer }));
    expect([decision.outcome?.to, reasons(decision)]).toEqual(['reversed', ['reversed']]);
  });

  it('does not stay unread forever after an unreadable answer, such as a part without an amount', () => {
    const given = { ...booked, answer: unknown };
    expect(decide(facts({ ...given, providerEvents: reported(reversal, 59_999) })).read).toEqual([]);
    const last = decide(facts({ ...given, providerEvents: reported(reversal, 60_000) }));
    expect([last.read.length, last.unconfirmed, reasons(last)]).toEqual([1, false, ['reversal_reported']]);
  });

  it('makes the payment be checked again, even if all of it was returned', () => {
    const now = Date.UTC(2026, 0, 5);
    const policy = {
      checksMs: [],
      rechecksMs: [],
      watchMs: 0,
      confirmDelaysMs: [],
      afterWarningChecksMs: [hour, 24 * hour],
    };
    const payment = {
      created_at: new Date(now),
      accepted_at: new Date(now),
      finished_at: new Date(now),
      provider_reference: 'REF-1',
      confirmed_minor: '100',
      refunded_minor: '0',
      ...{ clock_ahead_ms: '0', accepted_ahead_ms: '0', finished_ahead_ms: '0' },
      details: { warned_at: new Date(now).toISOString() },
    };
    for (const [state, returned_minor] of [
      ['succeeded', '0'],
      ['refunded', '100'],
      ['reversed', '100'],
    ] as const) {
      const check = (at: number) =>
        planCheck(policy, { ...payment, state, returned_minor }, at)?.getTime() ?? 0;
      expect(check(now)).toBeGreaterThanOrEqual(now + hour);
      expect(check(now)).toBeLessThan(now + 2 * hour);
      expect(check(now + 2 * hour)).toBeGreaterThanOrEqual(now + 24 * hour);
      expect(check(now + 25 * hour)).toBe(0);
    }
  });
});

describe('the reports of a dispute', () => {
  const word = (id: string, reportedAt: string, isWon = false): ProviderResult => ({
    kind: 'unverified',
    text: 'DISPUTE',
    warns: 'disputed',
    dispute: { id, reportedAt, isWon },
  });
  const decided = (words: ProviderResult[], warnedBefore: Facts['warnedBefore'] = {}, isProven = true) =>
    decide(
      facts({
        ...booked,
        answer: confirmed,
        warnedBefore,
        providerEvents: words.map((providerResult, n) => ({
          inboxId: String(n),
          providerResult,
          msAgo: 0,
          isProven,
        })),
      }),
    );
  const settled = ({ settles = [] }: ReturnType<typeof decide>) => settles.map(({ reason }) => reason);

  it('count by their own time, in any order', () => {
    const one = decided([word('D', '2026-01-02', true), word('D', '2026-01-01')]);
    expect([reasons(one), settled(one)]).toEqual([[], ['disputed']]);
    const known = { dispute: { id: 'D', reportedAt: '2026-01-02', isWon: true } };
    const late = decided([word('D', '2026-01-01')], known);
    expect([reasons(late), late.noted, late.read.length]).toEqual([[], undefined, 1]);
    const again = decided([word('D', '2026-01-03')], known);
    expect([reasons(again), settled(again)]).toEqual([['disputed'], []]);
  });

  it('are recorded in order of arrival, those without a time first', () => {
    const noted = (...words: ProviderResult[]) => decided(words).noted;
    const [first, second, third] = [
      word('D', '2026-01-01'),
      word('E', '2026-01-02'),
      word('F', '2026-01-03'),
    ];
    for (const words of [
      [third, first, second],
      [second, third, first],
      [third, second, first],
    ])
      expect(noted(...words)).toMatchObject({ dispute_told_id: 'F', dispute_told_at: '2026-01-03' });
    expect(noted(first, word('G', '2026-01-01'))).toMatchObject({ dispute_told_id: 'G' });
    const reversal: ProviderResult = { kind: 'unverified', text: 'REVERSED', warns: 'reversal_reported' };
    expect(reasons(decided([first, reversal]))).toEqual(['reversal_reported', 'disputed']);
    const nameless: ProviderResult = { kind: 'unverified', text: 'DISPUTE', warns: 'disputed' };
    expect(reasons(decided([nameless]))).toEqual(['disputed']);
  });

  it('count once more at the same time, except before its end, and not before known ones', () => {
    const known = (isWon: boolean) => ({ dispute: { id: 'D', reportedAt: '2026-01-03', isWon } });
    const again = (reportedAt: string, isWon: boolean, before: boolean) =>
      decided([word('D', reportedAt, isWon)], known(before)).noted !== undefined;
    expect(again('2026-01-03', false, false)).toBe(true);
    expect(again('2026-01-03', true, true)).toBe(true);
    expect(again('2026-01-03', false, true)).toBe(false);
    const older = [word('D', '2026-01-01'), word('D', '2026-01-02')];
    expect(decided(older, known(false)).noted).toBeUndefined();
  });

  it('settle nothing while another dispute may be open, and then everything is reserved', () => {
    const known = { dispute: { id: 'D', reportedAt: '2026-01-01', isWon: false } };
    const second = decided([word('E', '2026-01-02')], known);
    expect(second.noted).toMatchObject({ disputes_several: 'yes', disputed_minor: 'all' });
    const won = decided([word('E', '2026-01-03', true)], { ...known, hasSeveral: true });
    expect([reasons(won), settled(won)]).toEqual([['disputed'], []]);
  });

  it('without a signature settle nothing, and never outdate signed ones', () => {
    const forged = decided([word('D', '2030-01-01', true)], { at: '2026-01-01' }, false);
    expect([reasons(forged), settled(forged), forged.noted]).toEqual([['disputed'], [], {}]);
  });
});

describe('less refunded than booked', () => {
  const gone = { ...booked, state: 'reversed', returnedMinor: asked, cause: 'check' } as const;
  const seen = {
    tentative: { code: 'LESS_RETURNED', msAgo: 60_000 },
    trustTentativeFailureAfterMs: 60_000,
  };
  const disputedFunds = { ...gone, ...seen, isDisputed: true };
  const decided = (changes: Partial<Facts>) =>
    decide(facts({ ...disputedFunds, answer: confirmed, ...changes }));

  it('is credited to the seller again, once the provider has said so twice', () => {
    const first = decided({ tentative: undefined });
    expect(first).toMatchObject({ remember: 'LESS_RETURNED', unconfirmed: true, cases: [] });
    const soon = decided({ tentative: { code: 'LESS_RETURNED', msAgo: 59_999 } });
    expect([first.outcome, soon.outcome, soon.unconfirmed]).toEqual([undefined, undefined, true]);
    expect(decided({}).outcome).toMatchObject({ to: 'succeeded', returnedMinor: 0n });
  });

  it('is booked in part, if a part stays refunded', () => {
    expect(decided({ answer: refunded(asked - 1n) }).outcome).toMatchObject({
      to: 'refunded',
      returnedMinor: asked - 1n,
    });
  });

  it.each<[string, Partial<Facts>]>([
    ['of what nobody contested', { isDisputed: false, state: 'refunded' }],
    ['a second time', { wasPaidAgain: true }],
    ['in another currency', { answer: { ...confirmed, currency: 'USD' } }],
  ])('%s opens a case, and nothing is credited', (_what, changes) => {
    const decision = decided(changes);
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['refund_decreased']]);
  });

  it('is ignored if the provider shows as much as booked, or has reported more', () => {
    const same = decided({ state: 'refunded', answer: refunded(asked) });
    const behind = decided({ answer: { ...confirmed, behind: true } });
    for (const { outcome, cases } of [same, behind]) expect([outcome, cases]).toEqual([undefined, []]);
    expect(behind.remember).toBeUndefined();
  });

  it('counts only twice in a row: a complete answer resets it', () => {
    expect(decided({ state: 'refunded', answer: refunded(asked) }).remember).toBe('');
    expect(
      decided({ state: 'refunded', answer: refunded(asked), tentative: undefined }).remember,
    ).toBeUndefined();
  });
});
