/** What a provider warns of before it shows anything, and what it pays once more after it was taken back. */
import type { Finding } from '../../../../src/domain/outcome';
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import { planCheck } from '../../../../src/payments/transition/plan-check';
import type { GivenBack } from '../../../../src/rail-kit/provider-events';
import { asked, confirmed, facts, unknown } from '../../../support/payments/evidence';

const hour = 3_600_000;
const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);
const told = (finding: Finding, msAgo = 0) => [{ inboxId: '1', finding, msAgo }];
const refunded = (givenBackMinor: bigint, changes: Partial<GivenBack> = {}): GivenBack => ({
  kind: 'refunded',
  code: 'REFUNDED',
  text: 'refunded',
  paidMinor: asked,
  givenBackMinor,
  currency: 'KES',
  ...changes,
});
const booked = {
  state: 'succeeded',
  confirmedMinor: asked,
  watchedAfterSuccess: true,
  followHintMs: 60_000,
  cause: 'notification',
} as const;

describe('a warning', () => {
  const dispute: Finding = {
    kind: 'hint',
    text: 'CUSTOMER.DISPUTE.CREATED',
    warns: 'disputed',
    notes: { dispute_id: 'PP-D-1' },
  };
  const reversal: Finding = { kind: 'hint', text: 'REVERSED', warns: 'reversal_told' };

  it('of a dispute is a case, keeps what it names, and moves no money', () => {
    const decision = decide(facts({ ...booked, notices: told(dispute), answer: confirmed }));
    expect(decision).toMatchObject({
      cases: [{ reason: 'disputed', detail: 'CUSTOMER.DISPUTE.CREATED, dispute_id PP-D-1' }],
      noted: { dispute_id: 'PP-D-1', warning_vouched: 'no' },
      read: [{ inboxId: '1' }],
    });
    expect(decision.outcome).toBeUndefined();
  });

  it('of a reversal is a case while the provider still shows it as paid', () => {
    const behind: Finding = { ...confirmed, behind: true };
    const first = decide(facts({ ...booked, notices: told(reversal), answer: behind }));
    expect([reasons(first), first.read, first.unconfirmed]).toEqual([['reversal_told'], [], true]);
    expect(first.outcome).toBeUndefined();
  });

  it('of a reversal that is shown is booked, with the case of that', () => {
    const answer = refunded(asked, { kind: 'reversed' });
    const decision = decide(facts({ ...booked, notices: told(reversal), answer }));
    expect([decision.outcome?.to, reasons(decision)]).toEqual(['reversed', ['reversed']]);
  });

  it('is not kept unread for ever by an answer that nobody can read, such as a part without an amount', () => {
    const given = { ...booked, answer: unknown };
    expect(decide(facts({ ...given, notices: told(reversal, 59_999) })).read).toEqual([]);
    const last = decide(facts({ ...given, notices: told(reversal, 60_000) }));
    expect([last.read.length, last.unconfirmed, reasons(last)]).toEqual([1, false, ['reversal_told']]);
  });

  it('has the payment looked at again, also where all of it went back', () => {
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
    for (const [state, given_back_minor] of [
      ['succeeded', '0'],
      ['refunded', '100'],
      ['reversed', '100'],
    ] as const) {
      const look = (at: number) =>
        planCheck(policy, { ...payment, state, given_back_minor }, at)?.getTime() ?? 0;
      expect(look(now)).toBeGreaterThanOrEqual(now + hour);
      expect(look(now)).toBeLessThan(now + 2 * hour);
      expect(look(now + 2 * hour)).toBeGreaterThanOrEqual(now + 24 * hour);
      expect(look(now + 25 * hour)).toBe(0);
    }
  });
});

describe('the words of a dispute', () => {
  const word = (id: string, toldAt: string, isWon = false): Finding => ({
    kind: 'hint',
    text: 'DISPUTE',
    warns: 'disputed',
    dispute: { id, toldAt, isWon },
  });
  const decided = (words: Finding[], warnedBefore: Facts['warnedBefore'] = {}, isProven = true) =>
    decide(
      facts({
        ...booked,
        answer: confirmed,
        warnedBefore,
        notices: words.map((finding, n) => ({ inboxId: String(n), finding, msAgo: 0, isProven })),
      }),
    );
  const settled = ({ settles = [] }: ReturnType<typeof decide>) => settles.map(({ reason }) => reason);

  it('count by the time they were told at, whichever comes first', () => {
    const one = decided([word('D', '2026-01-02', true), word('D', '2026-01-01')]);
    expect([reasons(one), settled(one)]).toEqual([[], ['disputed']]);
    const known = { dispute: { id: 'D', toldAt: '2026-01-02', isWon: true } };
    const late = decided([word('D', '2026-01-01')], known);
    expect([reasons(late), late.noted, late.read.length]).toEqual([[], undefined, 1]);
    const again = decided([word('D', '2026-01-03')], known);
    expect([reasons(again), settled(again)]).toEqual([['disputed'], []]);
  });

  it('are noted as they were told one after the other, and what tells no time before them', () => {
    const noted = (...words: Finding[]) => decided(words).noted;
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
    const reversal: Finding = { kind: 'hint', text: 'REVERSED', warns: 'reversal_told' };
    expect(reasons(decided([first, reversal]))).toEqual(['reversal_told', 'disputed']);
    const nameless: Finding = { kind: 'hint', text: 'DISPUTE', warns: 'disputed' };
    expect(reasons(decided([nameless]))).toEqual(['disputed']);
  });

  it('count once more at the same moment, save before the end of it, and not before what is known', () => {
    const known = (isWon: boolean) => ({ dispute: { id: 'D', toldAt: '2026-01-03', isWon } });
    const again = (toldAt: string, isWon: boolean, before: boolean) =>
      decided([word('D', toldAt, isWon)], known(before)).noted !== undefined;
    expect(again('2026-01-03', false, false)).toBe(true);
    expect(again('2026-01-03', true, true)).toBe(true);
    expect(again('2026-01-03', false, true)).toBe(false);
    const older = [word('D', '2026-01-01'), word('D', '2026-01-02')];
    expect(decided(older, known(false)).noted).toBeUndefined();
  });

  it('settle nothing while another dispute may be open, and all of it is held then', () => {
    const known = { dispute: { id: 'D', toldAt: '2026-01-01', isWon: false } };
    const second = decided([word('E', '2026-01-02')], known);
    expect(second.noted).toMatchObject({ disputes_several: 'yes', disputed_minor: 'all' });
    const won = decided([word('E', '2026-01-03', true)], { ...known, hasSeveral: true });
    expect([reasons(won), settled(won)]).toEqual([['disputed'], []]);
  });

  it('that nobody has signed settle nothing, and leave nothing by which signed ones are judged', () => {
    const forged = decided([word('D', '2030-01-01', true)], { at: '2026-01-01' }, false);
    expect([reasons(forged), settled(forged), forged.noted]).toEqual([['disputed'], [], {}]);
  });
});

describe('less given back than is booked', () => {
  const gone = { ...booked, state: 'reversed', givenBackMinor: asked, cause: 'check' } as const;
  const seen = {
    tentative: { code: 'LESS_GIVEN_BACK', msAgo: 60_000 },
    believeTentativeFailureAfterMs: 60_000,
  };
  const contested = { ...gone, ...seen, isContested: true };
  const decided = (changes: Partial<Facts>) => decide(facts({ ...contested, answer: confirmed, ...changes }));

  it('is the seller’s again, once the provider has said so twice', () => {
    const first = decided({ tentative: undefined });
    expect(first).toMatchObject({ remember: 'LESS_GIVEN_BACK', unconfirmed: true, cases: [] });
    const soon = decided({ tentative: { code: 'LESS_GIVEN_BACK', msAgo: 59_999 } });
    expect([first.outcome, soon.outcome, soon.unconfirmed]).toEqual([undefined, undefined, true]);
    expect(decided({}).outcome).toMatchObject({ to: 'succeeded', givenBackMinor: 0n });
  });

  it('is booked in part, where a part remains given back', () => {
    expect(decided({ answer: refunded(asked - 1n) }).outcome).toMatchObject({
      to: 'refunded',
      givenBackMinor: asked - 1n,
    });
  });

  it.each<[string, Partial<Facts>]>([
    ['of what nobody contested', { isContested: false, state: 'refunded' }],
    ['a second time', { wasPaidAgain: true }],
    ['in another currency', { answer: { ...confirmed, currency: 'USD' } }],
  ])('%s is a case, and nothing is credited', (_what, changes) => {
    const decision = decided(changes);
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['given_back_less']]);
  });

  it('is nothing where the provider shows as much as is booked, or has told of more', () => {
    const same = decided({ state: 'refunded', answer: refunded(asked) });
    const behind = decided({ answer: { ...confirmed, behind: true } });
    for (const { outcome, cases } of [same, behind]) expect([outcome, cases]).toEqual([undefined, []]);
    expect(behind.remember).toBeUndefined();
  });

  it('counts twice in a row only: an answer that shows all of it has the first one forgotten', () => {
    expect(decided({ state: 'refunded', answer: refunded(asked) }).remember).toBe('');
    expect(
      decided({ state: 'refunded', answer: refunded(asked), tentative: undefined }).remember,
    ).toBeUndefined();
  });
});
