import { OUTCOME_UNKNOWN } from '../../../../src/domain/payment';
import { decide, wantsAnswer } from '../../../../src/payments/resolve/decide';
import {
  asked,
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

const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

describe('asking the provider', () => {
  it.each([
    ['for an unsigned report of a success', { notices: notices(paid), cause: 'notification' }, true],
    ['not for a signed one', { notices: notices(paid), notificationsAreProof: true }, false],
    ['for an unsigned report of a failure', { notices: notices(failed), cause: 'notification' }, true],
    ['not for a signed one of a failure', { notices: notices(failed), notificationsAreProof: true }, false],
    ['not for one about a payment that has failed', { notices: notices(failed), state: 'cancelled' }, false],
    [
      'not when something was reported that says nothing',
      { notices: notices(open), cause: 'notification' },
      false,
    ],
    ['when it is time to look', { cause: 'check' }, true],
    ['before giving up', { cause: 'deadline' }, true],
    ['when a success still lacks its confirmation', { notices: notices(paid), cause: 'confirmation' }, true],
    ['never again once it succeeded', { state: 'succeeded', cause: 'check' }, false],
  ] as const)('%s', (_when, changes, expected) => {
    expect(wantsAnswer(facts(changes))).toBe(expected);
  });
});

describe('a reported success', () => {
  it('is booked when the provider, asked, agrees', () => {
    const decision = decide(facts({ notices: notices(paid), answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked, by: 'callback' });
    expect(decision.read).toEqual([{ inboxId: '1', state: 'applied', reason: 'success' }]);
    expect(decision.cases).toEqual([]);
  });

  it('is booked at once where notifications are signed', () => {
    const decision = decide(facts({ notices: notices(paid), notificationsAreProof: true }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked });
  });

  it.each([
    ['is still open', open],
    ['does not answer', unknown],
    ['was not asked', undefined],
  ])('stays unread and unbooked while the provider %s', (_how, answer) => {
    const decision = decide(facts({ notices: notices(paid), answer }));
    expect(decision).toEqual({ read: [], cases: [], unconfirmed: true });
  });

  it('that the provider contradicts is a case, and is not booked', () => {
    const decision = decide(facts({ notices: notices(paid), answer: cancelled }));
    expect(decision.outcome).toBeUndefined();
    expect(decision.unconfirmed).toBe(true);
    expect(reasons(decision)).toEqual(['success_not_confirmed']);
  });

  it('that nobody confirms until the deadline is a case, and no timeout', () => {
    const decision = decide(facts({ notices: notices(paid), answer: unknown, cause: 'deadline' }));
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['success_unconfirmed']);
  });

  it('wins over a failure reported before it, which becomes a case', () => {
    const decision = decide(facts({ notices: notices(cancelled, paid), answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded' });
    expect(reasons(decision)).toEqual(['contradictory_outcome']);
    expect(decision.read.map(({ state }) => state)).toEqual(['ignored', 'applied']);
  });

  it.each(['failed', 'cancelled', 'timed_out'] as const)(
    'corrects a payment that was published as %s',
    (state) => {
      expect(decide(facts({ state, notices: notices(paid), answer: confirmed })).outcome).toMatchObject({
        to: 'succeeded',
      });
    },
  );
});

describe('the status query', () => {
  it('alone is enough for a success, booked as asked because it names no amount', () => {
    const decision = decide(facts({ answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked, by: 'query' });
  });

  it('is believed about a failure only after the callback has had its time', () => {
    expect(decide(facts({ answer: cancelled, msSinceAcceptance: 89_999 })).outcome).toBeUndefined();
    expect(decide(facts({ answer: cancelled, msSinceAcceptance: 90_000 })).outcome).toMatchObject({
      to: 'cancelled',
      by: 'query',
    });
  });

  it('is believed about a failure at the deadline, however early that is', () => {
    const decision = decide(facts({ answer: failed, msSinceAcceptance: 1, cause: 'deadline' }));
    expect(decision.outcome).toMatchObject({ to: 'failed', by: 'query' });
  });

  it('must say an unknown code twice, some time apart', () => {
    expect(decide(facts({ answer: doubtful }))).toMatchObject({ remember: '777' });
    const again = (msAgo: number) => decide(facts({ answer: doubtful, tentative: { code: '777', msAgo } }));
    expect(again(29_999).outcome).toBeUndefined();
    expect(again(30_000).outcome).toMatchObject({ to: 'failed', by: 'query' });
  });

  it('that says another unknown code starts counting anew', () => {
    const decision = decide(facts({ answer: doubtful, tentative: { code: '778', msAgo: 60_000 } }));
    expect(decision).toMatchObject({ remember: '777' });
    expect(decision.outcome).toBeUndefined();
  });
});

describe('a reported failure with proof', () => {
  const proven = (...findings: Parameters<typeof notices>) =>
    facts({ notices: notices(...findings), cause: 'notification', notificationsAreProof: true });

  it.each([failed, cancelled, timedOut])('ends the payment as $kind without asking', (finding) => {
    const decision = decide(proven(finding));
    expect(decision.outcome).toMatchObject({ to: finding.kind, by: 'callback' });
    expect(decision.read).toEqual([{ inboxId: '1', state: 'applied', reason: finding.kind }]);
  });

  it('is the first one that was told', () => {
    const decision = decide(proven(cancelled, failed));
    expect(decision.outcome).toMatchObject({ to: 'cancelled' });
    expect(decision.read.map(({ state }) => state)).toEqual(['applied', 'ignored']);
  });

  it('replaces our own "nobody told us in time"', () => {
    const late = facts({ state: 'timed_out', failureCode: OUTCOME_UNKNOWN, notices: notices(cancelled) });
    expect(decide({ ...late, notificationsAreProof: true }).outcome).toMatchObject({ to: 'cancelled' });
    expect(decide({ ...late, answer: cancelled }).outcome).toMatchObject({ to: 'cancelled' });
    expect(decide({ ...late, answer: open }).outcome).toBeUndefined();
  });

  it("does not replace the provider's own timeout, nor any other ending", () => {
    for (const state of ['timed_out', 'failed', 'cancelled'] as const) {
      const decision = decide(facts({ state, notices: notices(failed) }));
      expect(decision.outcome).toBeUndefined();
      expect(decision.read).toEqual([{ inboxId: '1', state: 'ignored', reason: `already ${state}` }]);
    }
  });

  it('after a success changes nothing and is a case', () => {
    const decision = decide(
      facts({ state: 'succeeded', confirmedMinor: asked, receipt: 'R1', notices: notices(cancelled) }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['contradictory_outcome']);
    expect(decision.read).toEqual([{ inboxId: '1', state: 'ignored', reason: 'cancelled after a success' }]);
  });
});

describe('a notification after the success', () => {
  const booked = { state: 'succeeded', confirmedMinor: asked } as const;

  it('adds the receipt where the query had brought none', () => {
    const decision = decide(facts({ ...booked, notices: notices(paid) }));
    expect(decision.enrichment).toMatchObject({ receipt: 'R1' });
    expect(decision.read).toEqual([{ inboxId: '1', state: 'applied', reason: 'receipt' }]);
  });

  it('that repeats what is known is put aside', () => {
    const decision = decide(facts({ ...booked, receipt: 'R1', notices: notices(paid) }));
    expect(decision).toEqual({
      read: [{ inboxId: '1', state: 'ignored', reason: 'repeat' }],
      cases: [],
      unconfirmed: false,
    });
  });
});

describe('when nobody tells', () => {
  it('nothing happens before the deadline', () => {
    expect(decide(facts({ answer: open }))).toEqual({ read: [], cases: [], unconfirmed: false });
  });

  it.each([open, unknown, undefined])(
    'the payment times out at the deadline, for an unknown reason',
    (answer) => {
      expect(decide(facts({ answer, cause: 'deadline' })).outcome).toMatchObject({
        to: 'timed_out',
        by: 'deadline',
        finding: { code: OUTCOME_UNKNOWN },
      });
    },
  );

  it.each(['timed_out', 'failed', 'cancelled'] as const)(
    'a payment that is %s already does not time out again',
    (state) => {
      expect(decide(facts({ state, answer: open, cause: 'deadline' })).outcome).toBeUndefined();
    },
  );

  describe('at the end of the wait', () => {
    const ending = (changes: Parameters<typeof facts>[0]) => decide(facts({ answer: open, ...changes }));

    it('a payment that may wait longer does so, until nobody watches it any more', () => {
      expect(ending({ whenSilent: 'wait', cause: 'deadline' })).toMatchObject({ cases: [] });
      const over = ending({ whenSilent: 'wait', cause: 'watch_end' });
      expect([over.outcome, reasons(over)]).toEqual([undefined, ['no_outcome']]);
    });

    it('a payment that nobody paid times out then, too', () => {
      expect(ending({ cause: 'watch_end' }).outcome).toMatchObject({ to: 'timed_out' });
    });
  });

  it('is found by its own name, when the provider tells its reference at last', () => {
    const found = { kind: 'open', text: 'found', providerReference: 'REF-1' } as const;
    expect(decide(facts({ answer: found })).enrichment).toEqual(found);
  });

  it('a notification that says nothing is put aside', () => {
    const decision = decide(facts({ notices: notices(open, unknown) }));
    expect(decision.read).toEqual([
      { inboxId: '1', state: 'ignored', reason: 'says open' },
      { inboxId: '2', state: 'ignored', reason: 'says unknown' },
    ]);
  });
});
