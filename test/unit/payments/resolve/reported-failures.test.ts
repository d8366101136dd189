/** A reported failure of a payment without proof. */
import { decide } from '../../../../src/payments/resolve/decide';
import {
  cancelled,
  confirmed,
  doubtful,
  facts,
  failed,
  providerEvents,
  open,
  paid,
  unknown,
} from '../../../support/payments/evidence';

const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

describe('a failure reported without proof', () => {
  const reported = (changes: Parameters<typeof facts>[0] = {}) =>
    facts({
      providerEvents: providerEvents(cancelled),
      cause: 'notification',
      msSinceCreation: 1_000,
      ...changes,
    });

  it.each([
    ['says that it is open', open],
    ['does not answer', unknown],
    ['cannot be asked', undefined],
    ['says something that nobody knows', doubtful],
  ])('ends nothing while the provider %s, and is queried again', (_how, answer) => {
    const decision = decide(reported({ answer }));
    expect([decision.outcome, decision.read, decision.unconfirmed]).toEqual([undefined, [], true]);
    expect(decision.undecided?.[0]?.reason).toMatch(/^an unverified event reported a failure; /);
  });

  it("ends the payment at once when the provider's answer agrees, with the provider's text", () => {
    const decision = decide(reported({ answer: failed }));
    expect(decision.outcome).toMatchObject({ to: 'failed', providerResult: failed, by: 'query' });
    expect(decision.read).toEqual([
      {
        inboxId: '1',
        state: 'applied',
        reason:
          'an unverified event reported a failure; the provider answered: failed 1 insufficient balance',
      },
    ]);
  });

  it('ends it with an unknown code when both report that code', () => {
    const decision = decide(
      reported({
        providerEvents: providerEvents({ kind: 'failed', code: '777', text: 'never seen' }),
        answer: doubtful,
      }),
    );
    expect(decision.outcome).toMatchObject({ to: 'failed', by: 'query' });
  });

  it("opens a case beside the provider's success", () => {
    const decision = decide(reported({ answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', by: 'query' });
    expect(reasons(decision)).toEqual(['contradictory_outcome']);
    expect(decision.read).toEqual([{ inboxId: '1', state: 'ignored', reason: 'cancelled beside a success' }]);
  });

  it('waits together with a reported success, while that is unconfirmed', () => {
    const old = providerEvents(paid, cancelled).map((providerEvent) => ({
      ...providerEvent,
      msAgo: 400_000,
    }));
    const decision = decide(reported({ providerEvents: old, answer: open }));
    expect([decision.outcome, decision.read, decision.undecided]).toEqual([undefined, [], undefined]);
    expect(decision.unconfirmed).toBe(true);
  });

  it('is queried, whatever meaningless reports there are', () => {
    const decision = decide(reported({ providerEvents: providerEvents(open, cancelled), answer: open }));
    expect(decision.read).toEqual([{ inboxId: '1', state: 'ignored', reason: 'reports open' }]);
    expect(decision.undecided).toMatchObject([{ inboxId: '2' }]);
  });

  it('is ignored when the provider has answered otherwise for long enough', () => {
    const [providerEvent] = providerEvents(cancelled);
    const decision = decide(
      reported({ providerEvents: providerEvent ? [{ ...providerEvent, msAgo: 400_000 }] : [], answer: open }),
    );
    expect(decision).toMatchObject({ read: [{ inboxId: '1', state: 'ignored' }], unconfirmed: false });
    expect(decision.outcome).toBeUndefined();
  });

  it('is left to the deadline, like a payment without any report', () => {
    const decision = decide(reported({ answer: open, cause: 'deadline' }));
    expect(decision.outcome).toMatchObject({ to: 'timed_out', by: 'deadline' });
    expect(decision).toMatchObject({ read: [{ state: 'ignored' }], unconfirmed: false });
  });

  it('does not end a payment with a case at the deadline', () => {
    const decision = decide(reported({ answer: open, cause: 'deadline', onTimeout: 'ask_operator' }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['no_outcome']]);
  });
});
