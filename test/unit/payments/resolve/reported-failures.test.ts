/** What becomes of a payment that somebody says has failed, and proves nothing. */
import { decide } from '../../../../src/payments/resolve/decide';
import {
  cancelled,
  confirmed,
  doubtful,
  facts,
  failed,
  notices,
  open,
  paid,
  unknown,
} from '../../../support/payments/evidence';

const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

describe('a failure reported without proof', () => {
  const told = (changes: Parameters<typeof facts>[0] = {}) =>
    facts({ notices: notices(cancelled), cause: 'notification', msSinceAcceptance: 1_000, ...changes });

  it.each([
    ['says that it is open', open],
    ['does not answer', unknown],
    ['cannot be asked', undefined],
    ['says something that nobody knows', doubtful],
  ])('ends nothing while the provider %s, and is asked about again', (_how, answer) => {
    const decision = decide(told({ answer }));
    expect([decision.outcome, decision.read, decision.unconfirmed]).toEqual([undefined, [], true]);
    expect(decision.undecided?.[0]?.reason).toMatch(/^a failure was reported without proof; /);
  });

  it('ends the payment at once when the provider, asked, agrees, and in the words of the provider', () => {
    const decision = decide(told({ answer: failed }));
    expect(decision.outcome).toMatchObject({ to: 'failed', finding: failed, by: 'query' });
    expect(decision.read).toEqual([
      {
        inboxId: '1',
        state: 'applied',
        reason:
          'a failure was reported without proof; asked, the provider says failed 1 insufficient balance',
      },
    ]);
  });

  it('ends it with a code that nobody knows when both say that one', () => {
    const decision = decide(
      told({ notices: notices({ kind: 'failed', code: '777', text: 'never seen' }), answer: doubtful }),
    );
    expect(decision.outcome).toMatchObject({ to: 'failed', by: 'query' });
  });

  it('is a case beside the success that the provider shows', () => {
    const decision = decide(told({ answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', by: 'query' });
    expect(reasons(decision)).toEqual(['contradictory_outcome']);
    expect(decision.read).toEqual([{ inboxId: '1', state: 'ignored', reason: 'cancelled beside a success' }]);
  });

  it('waits together with the success that is reported beside it, for as long as nobody confirms that', () => {
    const old = notices(paid, cancelled).map((notice) => ({ ...notice, msAgo: 400_000 }));
    const decision = decide(told({ notices: old, answer: open }));
    expect([decision.outcome, decision.read, decision.undecided]).toEqual([undefined, [], undefined]);
    expect(decision.unconfirmed).toBe(true);
  });

  it('is asked about, whatever else was told that says nothing', () => {
    const decision = decide(told({ notices: notices(open, cancelled), answer: open }));
    expect(decision.read).toEqual([{ inboxId: '1', state: 'ignored', reason: 'says open' }]);
    expect(decision.undecided).toMatchObject([{ inboxId: '2' }]);
  });

  it('is put aside when the provider has said something else for long enough', () => {
    const [notice] = notices(cancelled);
    const decision = decide(told({ notices: notice ? [{ ...notice, msAgo: 400_000 }] : [], answer: open }));
    expect(decision).toMatchObject({ read: [{ inboxId: '1', state: 'ignored' }], unconfirmed: false });
    expect(decision.outcome).toBeUndefined();
  });

  it('is left to the deadline, as a payment that nobody told of is', () => {
    const decision = decide(told({ answer: open, cause: 'deadline' }));
    expect(decision.outcome).toMatchObject({ to: 'timed_out', by: 'deadline' });
    expect(decision).toMatchObject({ read: [{ state: 'ignored' }], unconfirmed: false });
  });

  it('does not end what a person is asked about at the deadline', () => {
    const decision = decide(told({ answer: open, cause: 'deadline', whenSilent: 'ask_operator' }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['no_outcome']]);
  });
});
