/** A success that is reported without proof, and denied by the provider when it is asked. */
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import {
  cancelled,
  confirmed,
  doubtful,
  facts,
  failed,
  notices,
  open,
  paid,
  timedOut,
  unknown,
} from '../../../support/payments/evidence';

describe('a success that the provider denies', () => {
  const patience = facts().confirmPatienceMs;
  const forged = (msAgo: number) => [{ inboxId: '1', finding: paid, msAgo }];
  const before = (code: string, msAgo = 30_000): Partial<Facts> => ({ tentative: { code, msAgo } });
  const told = (changes: Partial<Facts>) => decide(facts({ answer: cancelled, ...changes }));
  const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

  it('is asked about again at first, and what the provider said is remembered', () => {
    const decision = told({ notices: forged(0) });
    expect(decision).toMatchObject({ read: [], unconfirmed: true, remember: '1032' });
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['success_not_confirmed']);
  });

  it.each<[string, Partial<Facts>]>([
    ['has said so once', { notices: forged(patience) }],
    ['said something else before', { notices: forged(patience), ...before('1') }],
    ['said so a moment ago', { notices: forged(patience), ...before('1032', 1_000) }],
    ['was asked for a short time only', { notices: forged(patience - 1), ...before('1032') }],
  ])('ends nothing while the provider %s', (_why, changes) => {
    const decision = told(changes);
    expect(decision.outcome).toBeUndefined();
    expect(decision.unconfirmed).toBe(true);
  });

  it.each([failed, cancelled, timedOut])(
    'for as long as anything is asked about, and twice, ends as the provider says: $kind',
    (answer) => {
      const code = 'code' in answer ? answer.code : '';
      const decision = decide(facts({ answer, notices: forged(patience), ...before(code) }));
      expect(decision.outcome).toEqual({ to: answer.kind, finding: answer, by: 'query' });
      expect(reasons(decision)).toEqual(['success_not_confirmed']);
      expect(decision.read).toMatchObject([{ inboxId: '1', state: 'ignored' }]);
      expect(decision.unconfirmed).toBe(false);
    },
  );

  it.each([cancelled, doubtful])(
    'once, when the wait is over, is asked about all the same: $code',
    (answer) => {
      const code = 'code' in answer ? answer.code : '';
      const atEnd = { answer, cause: 'deadline' } as const;
      const early = decide(facts({ ...atEnd, notices: forged(0), ...before(code) }));
      expect(early).toMatchObject({ read: [], unconfirmed: true });
      expect(early.outcome).toBeUndefined();
      const late = decide(facts({ ...atEnd, notices: forged(patience), ...before(code) }));
      expect(late.outcome).toMatchObject({ to: answer.kind, by: 'query' });
    },
  );

  it('beside a failure that was reported, too, leaves neither unread', () => {
    const all = notices(paid, cancelled, open).map((notice) => ({ ...notice, msAgo: patience }));
    const decision = told({ notices: all, ...before('1032') });
    expect(decision.read.map(({ state }) => state)).toEqual(['ignored', 'applied', 'ignored']);
  });

  it('of a payment that has ended otherwise changes nothing, and is a question for as long as any', () => {
    const young = told({ state: 'cancelled', notices: forged(0), ...before('1032') });
    expect(young).toMatchObject({ read: [], unconfirmed: true });
    const old = told({ state: 'cancelled', notices: forged(patience), ...before('1032') });
    expect(old).toMatchObject({ read: [{ inboxId: '1', state: 'ignored' }], unconfirmed: false });
    expect(reasons(old)).toEqual(['success_not_confirmed']);
    expect([young.outcome, old.outcome]).toEqual([undefined, undefined]);
  });

  it.each([open, unknown, undefined])('is no failure while the provider does not say so', (answer) => {
    const decision = decide(
      facts({ answer, notices: forged(patience), cause: 'deadline', ...before('1032') }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['success_unconfirmed']);
  });

  it('and confirms in the end is booked', () => {
    const decision = decide(facts({ answer: confirmed, notices: forged(patience), ...before('1032') }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded' });
  });
});
