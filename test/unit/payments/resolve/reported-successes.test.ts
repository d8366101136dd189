/** A success that is reported without proof, and denied by the provider's answer. */
import { decide, type Facts } from '../../../../src/payments/resolve/decide';
import {
  cancelled,
  confirmed,
  doubtful,
  facts,
  failed,
  providerEvents,
  open,
  paid,
  timedOut,
  unknown,
} from '../../../support/payments/evidence';

describe('a success that the provider denies', () => {
  const patience = facts().confirmPatienceMs;
  const forged = (msAgo: number) => [{ inboxId: '1', providerResult: paid, msAgo }];
  const before = (code: string, msAgo = 30_000): Partial<Facts> => ({ tentative: { code, msAgo } });
  const reported = (changes: Partial<Facts>) => decide(facts({ answer: cancelled, ...changes }));
  const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

  it("is queried again at first, and the provider's answer is stored", () => {
    const decision = reported({ providerEvents: forged(0) });
    expect(decision).toMatchObject({ read: [], unconfirmed: true, remember: '1032' });
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['success_not_confirmed']);
  });

  it.each<[string, Partial<Facts>]>([
    ['has said so once', { providerEvents: forged(patience) }],
    ['said something else before', { providerEvents: forged(patience), ...before('1') }],
    ['said so a moment ago', { providerEvents: forged(patience), ...before('1032', 1_000) }],
    ['was asked for a short time only', { providerEvents: forged(patience - 1), ...before('1032') }],
  ])('ends nothing while the provider %s', (_why, changes) => {
    const decision = reported(changes);
    expect(decision.outcome).toBeUndefined();
    expect(decision.unconfirmed).toBe(true);
  });

  it.each([failed, cancelled, timedOut])(
    'for the maximal time, and twice, ends as the provider says: $kind',
    (answer) => {
      const code = 'code' in answer ? answer.code : '';
      const decision = decide(facts({ answer, providerEvents: forged(patience), ...before(code) }));
      expect(decision.outcome).toEqual({ to: answer.kind, providerResult: answer, by: 'query' });
      expect(reasons(decision)).toEqual(['success_not_confirmed']);
      expect(decision.read).toMatchObject([{ inboxId: '1', state: 'ignored' }]);
      expect(decision.unconfirmed).toBe(false);
    },
  );

  it.each([cancelled, doubtful])('once, at the end of the wait, is queried all the same: $code', (answer) => {
    const code = 'code' in answer ? answer.code : '';
    const atEnd = { answer, cause: 'deadline' } as const;
    const early = decide(facts({ ...atEnd, providerEvents: forged(0), ...before(code) }));
    expect(early).toMatchObject({ read: [], unconfirmed: true });
    expect(early.outcome).toBeUndefined();
    const late = decide(facts({ ...atEnd, providerEvents: forged(patience), ...before(code) }));
    expect(late.outcome).toMatchObject({ to: answer.kind, by: 'query' });
  });

  it('beside a reported failure, too, leaves neither unread', () => {
    const all = providerEvents(paid, cancelled, open).map((providerEvent) => ({
      ...providerEvent,
      msAgo: patience,
    }));
    const decision = reported({ providerEvents: all, ...before('1032') });
    expect(decision.read.map(({ state }) => state)).toEqual(['ignored', 'applied', 'ignored']);
  });

  it('of a payment that has ended otherwise changes nothing, and stays unread for the maximal time', () => {
    const young = reported({ state: 'cancelled', providerEvents: forged(0), ...before('1032') });
    expect(young).toMatchObject({ read: [], unconfirmed: true });
    const old = reported({ state: 'cancelled', providerEvents: forged(patience), ...before('1032') });
    expect(old).toMatchObject({ read: [{ inboxId: '1', state: 'ignored' }], unconfirmed: false });
    expect(reasons(old)).toEqual(['success_not_confirmed']);
    expect([young.outcome, old.outcome]).toEqual([undefined, undefined]);
  });

  it.each([open, unknown, undefined])('is no failure until the provider says so', (answer) => {
    const decision = decide(
      facts({ answer, providerEvents: forged(patience), cause: 'deadline', ...before('1032') }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['success_unconfirmed']);
  });

  it('and finally confirms is booked', () => {
    const decision = decide(
      facts({ answer: confirmed, providerEvents: forged(patience), ...before('1032') }),
    );
    expect(decision.outcome).toMatchObject({ to: 'succeeded' });
  });
});
