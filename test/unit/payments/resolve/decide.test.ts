import { OUTCOME_UNKNOWN } from '../../../../src/domain/payment';
import { decide, wantsAnswer } from '../../../../src/payments/resolve/decide';
import {
  asked,
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

const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

describe('querying the provider', () => {
  it.each([
    [
      'for an unsigned report of a success',
      { providerEvents: providerEvents(paid), cause: 'notification' },
      true,
    ],
    ['not for a signed one', { providerEvents: providerEvents(paid), notificationsAreTrusted: true }, false],
    [
      'for an unsigned report of a failure',
      { providerEvents: providerEvents(failed), cause: 'notification' },
      true,
    ],
    [
      'not for a signed one of a failure',
      { providerEvents: providerEvents(failed), notificationsAreTrusted: true },
      false,
    ],
    [
      'not for one about a payment that has failed',
      { providerEvents: providerEvents(failed), state: 'cancelled' },
      false,
    ],
    [
      'not after a report that says nothing',
      { providerEvents: providerEvents(open), cause: 'notification' },
      false,
    ],
    ['when it is time to look', { cause: 'check' }, true],
    ['before giving up', { cause: 'deadline' }, true],
    [
      'when a success still lacks its confirmation',
      { providerEvents: providerEvents(paid), cause: 'confirmation' },
      true,
    ],
    ['never again once it succeeded', { state: 'succeeded', cause: 'check' }, false],
  ] as const)('%s', (_when, changes, expected) => {
    expect(wantsAnswer(facts(changes))).toBe(expected);
  });
});

describe('a reported success', () => {
  it("is booked when the provider's answer agrees", () => {
    const decision = decide(facts({ providerEvents: providerEvents(paid), answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked, by: 'callback' });
    expect(decision.read).toEqual([{ inboxId: '1', state: 'applied', reason: 'success' }]);
    expect(decision.cases).toEqual([]);
  });

  it('is booked at once if notifications are signed', () => {
    const decision = decide(facts({ providerEvents: providerEvents(paid), notificationsAreTrusted: true }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked });
  });

  it.each([
    ['is still open', open],
    ['does not answer', unknown],
    ['was not asked', undefined],
  ])('stays unread and unbooked while the provider %s', (_how, answer) => {
    const decision = decide(facts({ providerEvents: providerEvents(paid), answer }));
    expect(decision).toEqual({ read: [], cases: [], unconfirmed: true });
  });

  it('that the provider contradicts opens a case, and is not booked', () => {
    const decision = decide(facts({ providerEvents: providerEvents(paid), answer: cancelled }));
    expect(decision.outcome).toBeUndefined();
    expect(decision.unconfirmed).toBe(true);
    expect(reasons(decision)).toEqual(['success_not_confirmed']);
  });

  it('that is unconfirmed at the deadline opens a case, without a timeout', () => {
    const decision = decide(
      facts({ providerEvents: providerEvents(paid), answer: unknown, cause: 'deadline' }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['success_unconfirmed']);
  });

  it('wins over a failure reported before it, which opens a case', () => {
    const decision = decide(facts({ providerEvents: providerEvents(cancelled, paid), answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded' });
    expect(reasons(decision)).toEqual(['contradictory_outcome']);
    expect(decision.read.map(({ state }) => state)).toEqual(['ignored', 'applied']);
  });

  it.each(['failed', 'cancelled', 'timed_out'] as const)(
    'corrects a payment that was reported as %s',
    (state) => {
      expect(
        decide(facts({ state, providerEvents: providerEvents(paid), answer: confirmed })).outcome,
      ).toMatchObject({
        to: 'succeeded',
      });
    },
  );
});

describe('the status query', () => {
  it('alone is enough for a success, booked as requested because it has no amount', () => {
    const decision = decide(facts({ answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked, by: 'query' });
  });

  it('proves a failure only after the time for the notification has passed', () => {
    expect(decide(facts({ answer: cancelled, msSinceCreation: 89_999 })).outcome).toBeUndefined();
    expect(decide(facts({ answer: cancelled, msSinceCreation: 90_000 })).outcome).toMatchObject({
      to: 'cancelled',
      by: 'query',
    });
  });

  it('proves a failure at the deadline, however early that is', () => {
    const decision = decide(facts({ answer: failed, msSinceCreation: 1, cause: 'deadline' }));
    expect(decision.outcome).toMatchObject({ to: 'failed', by: 'query' });
  });

  it('must return an unknown code twice, some time apart', () => {
    expect(decide(facts({ answer: doubtful }))).toMatchObject({ remember: '777' });
    const again = (msAgo: number) => decide(facts({ answer: doubtful, tentative: { code: '777', msAgo } }));
    expect(again(29_999).outcome).toBeUndefined();
    expect(again(30_000).outcome).toMatchObject({ to: 'failed', by: 'query' });
  });

  it('with another unknown code starts counting again', () => {
    const decision = decide(facts({ answer: doubtful, tentative: { code: '778', msAgo: 60_000 } }));
    expect(decision).toMatchObject({ remember: '777' });
    expect(decision.outcome).toBeUndefined();
  });
});

describe('a reported failure with proof', () => {
  const proven = (...providerResults: Parameters<typeof providerEvents>) =>
    facts({
      providerEvents: providerEvents(...providerResults),
      cause: 'notification',
      notificationsAreTrusted: true,
    });

  it.each([failed, cancelled, timedOut])('ends the payment as $kind without a query', (providerResult) => {
    const decision = decide(proven(providerResult));
    expect(decision.outcome).toMatchObject({ to: providerResult.kind, by: 'callback' });
    expect(decision.read).toEqual([{ inboxId: '1', state: 'applied', reason: providerResult.kind }]);
  });

  it('is the first reported one', () => {
    const decision = decide(proven(cancelled, failed));
    expect(decision.outcome).toMatchObject({ to: 'cancelled' });
    expect(decision.read.map(({ state }) => state)).toEqual(['applied', 'ignored']);
  });

  it('replaces our own timeout without a report', () => {
    const late = facts({
      state: 'timed_out',
      failureCode: OUTCOME_UNKNOWN,
      providerEvents: providerEvents(cancelled),
    });
    expect(decide({ ...late, notificationsAreTrusted: true }).outcome).toMatchObject({ to: 'cancelled' });
    expect(decide({ ...late, answer: cancelled }).outcome).toMatchObject({ to: 'cancelled' });
    expect(decide({ ...late, answer: open }).outcome).toBeUndefined();
  });

  it("does not replace the provider's own timeout, nor any other end", () => {
    for (const state of ['timed_out', 'failed', 'cancelled'] as const) {
      const decision = decide(facts({ state, providerEvents: providerEvents(failed) }));
      expect(decision.outcome).toBeUndefined();
      expect(decision.read).toEqual([{ inboxId: '1', state: 'ignored', reason: `already ${state}` }]);
    }
  });

  it('after a success changes nothing and opens a case', () => {
    const decision = decide(
      facts({
        state: 'succeeded',
        confirmedMinor: asked,
        receipt: 'R1',
        providerEvents: providerEvents(cancelled),
      }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['contradictory_outcome']);
    expect(decision.read).toEqual([{ inboxId: '1', state: 'ignored', reason: 'cancelled after a success' }]);
  });
});

describe('a notification after the success', () => {
  const booked = { state: 'succeeded', confirmedMinor: asked } as const;

  it('adds the receipt if the query had none', () => {
    const decision = decide(facts({ ...booked, providerEvents: providerEvents(paid) }));
    expect(decision.enrichment).toMatchObject({ receipt: 'R1' });
    expect(decision.read).toEqual([{ inboxId: '1', state: 'applied', reason: 'receipt' }]);
  });

  it('with known data is ignored', () => {
    const decision = decide(facts({ ...booked, receipt: 'R1', providerEvents: providerEvents(paid) }));
    expect(decision).toEqual({
      read: [{ inboxId: '1', state: 'ignored', reason: 'repeat' }],
      cases: [],
      unconfirmed: false,
    });
  });
});

describe('without any report', () => {
  it('nothing happens before the deadline', () => {
    expect(decide(facts({ answer: open }))).toEqual({ read: [], cases: [], unconfirmed: false });
  });

  it.each([open, unknown, undefined])(
    'the payment times out at the deadline, with an unknown reason',
    (answer) => {
      expect(decide(facts({ answer, cause: 'deadline' })).outcome).toMatchObject({
        to: 'timed_out',
        by: 'deadline',
        providerResult: { code: OUTCOME_UNKNOWN },
      });
    },
  );

  it.each(['timed_out', 'failed', 'cancelled'] as const)(
    'a payment that is already %s does not time out again',
    (state) => {
      expect(decide(facts({ state, answer: open, cause: 'deadline' })).outcome).toBeUndefined();
    },
  );

  describe('at the end of the wait', () => {
    const ending = (changes: Parameters<typeof facts>[0]) => decide(facts({ answer: open, ...changes }));

    it('a payment that may wait longer does so, until status checks end', () => {
      expect(ending({ onTimeout: 'wait', cause: 'deadline' })).toMatchObject({ cases: [] });
      const over = ending({ onTimeout: 'wait', cause: 'watch_end' });
      expect([over.outcome, reasons(over)]).toEqual([undefined, ['no_outcome']]);
    });

    it('an unpaid payment times out then, too', () => {
      expect(ending({ cause: 'watch_end' }).outcome).toMatchObject({ to: 'timed_out' });
    });
  });

  it('is found by its own reference, when the provider finally has it', () => {
    const found = { kind: 'open', text: 'found', providerReference: 'REF-1' } as const;
    expect(decide(facts({ answer: found })).enrichment).toEqual(found);
  });

  it('a notification without a result is ignored', () => {
    const decision = decide(facts({ providerEvents: providerEvents(open, unknown) }));
    expect(decision.read).toEqual([
      { inboxId: '1', state: 'ignored', reason: 'reports open' },
      { inboxId: '2', state: 'ignored', reason: 'reports unknown' },
    ]);
  });
});
