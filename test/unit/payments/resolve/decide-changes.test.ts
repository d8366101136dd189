/** The effects of the provider's own answer: after an unverified event, and after the success. */
import type { ProviderResult } from '../../../../src/domain/outcome';
import { decide, wantsAnswer } from '../../../../src/payments/resolve/decide';
import type { ReturnedByProvider } from '../../../../src/rail-kit/provider-events';
import { asked, confirmed, facts, failed, open, unknown } from '../../../support/payments/evidence';

const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

describe('an unverified event', () => {
  const unverified: ProviderResult = { kind: 'unverified', text: 'something changed' };
  const reported = (msAgo: number) => [{ inboxId: '1', providerResult: unverified, msAgo }];
  const patience = { cause: 'notification', followUnverifiedMs: 60_000 } as const;

  it('triggers a query, also for a payment that succeeded', () => {
    expect(wantsAnswer(facts({ providerEvents: reported(0), cause: 'notification' }))).toBe(true);
    expect(
      wantsAnswer(facts({ providerEvents: reported(0), cause: 'notification', state: 'succeeded' })),
    ).toBe(true);
  });

  it('is settled by the answer, which alone is trusted', () => {
    const decision = decide(facts({ ...patience, providerEvents: reported(0), answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', by: 'query' });
    expect(decision.read).toEqual([{ inboxId: '1', state: 'applied', reason: 'the provider was queried' }]);
    expect(decision.unconfirmed).toBe(false);
  });

  it.each([
    ['does not answer', unknown],
    ['was not reached', undefined],
    ['says that nothing has changed yet', open],
  ])('triggers further queries while the provider %s', (_how, answer) => {
    const decision = decide(facts({ ...patience, providerEvents: reported(0), answer }));
    expect(decision).toMatchObject({ read: [], unconfirmed: true });
    expect(decision.outcome).toBeUndefined();
  });

  it('triggers further queries while the provider shows less than reported, whatever else the answer has', () => {
    const answer: ProviderResult = { ...confirmed, behind: true };
    const first = decide(facts({ ...patience, providerEvents: reported(0), answer }));
    expect(first.outcome).toMatchObject({ to: 'succeeded' });
    expect(first).toMatchObject({ unconfirmed: true, read: [] });
    const later = decide(
      facts({ ...patience, state: 'succeeded', providerEvents: reported(59_999), answer }),
    );
    expect(later).toMatchObject({ unconfirmed: true, read: [] });
    const last = decide(facts({ ...patience, state: 'succeeded', providerEvents: reported(60_000), answer }));
    expect(last).toMatchObject({ unconfirmed: false, read: [{ state: 'ignored' }] });
  });

  it("has no effect if the provider only repeats the payment's reference", () => {
    const known: ProviderResult = { kind: 'open', text: 'CREATED', providerReference: 'REF-1' };
    const late = facts({ ...patience, providerEvents: reported(60_000), answer: known });
    expect(decide(late).read).toMatchObject([{ state: 'ignored' }]);
    expect(decide({ ...late, isNamed: false }).read).toMatchObject([{ state: 'applied' }]);
  });

  it('is ignored when the provider has shown no change for long enough', () => {
    const decision = decide(facts({ ...patience, providerEvents: reported(60_000), answer: open }));
    expect(decision).toMatchObject({ read: [{ inboxId: '1', state: 'ignored' }], unconfirmed: false });
  });
});

describe('a refunded deposit', () => {
  const refunded = (
    returnedMinor: bigint,
    changes: Partial<ReturnedByProvider> = {},
  ): ReturnedByProvider => ({
    kind: 'refunded',
    code: 'REFUNDED',
    text: 'refunded',
    paidMinor: asked,
    returnedMinor,
    currency: 'KES',
    ...changes,
  });
  const booked = { state: 'succeeded', confirmedMinor: asked, watchedAfterSuccess: true } as const;

  it('is checked for after the success if the rail says so', () => {
    expect(wantsAnswer(facts({ ...booked, cause: 'check' }))).toBe(true);
  });

  it('is debited with the refund so far', () => {
    expect(decide(facts({ ...booked, answer: refunded(5_000n) })).outcome).toMatchObject({
      to: 'refunded',
      returnedMinor: 5_000n,
      by: 'query',
    });
  });

  it('is debited again when more is refunded, and not for a repeated report', () => {
    const once = { ...booked, state: 'refunded', returnedMinor: 5_000n } as const;
    expect(decide(facts({ ...once, answer: refunded(7_000n) })).outcome).toMatchObject({
      returnedMinor: 7_000n,
    });
    expect(decide(facts({ ...once, answer: refunded(5_000n) }))).toMatchObject({ cases: [] });
    expect(decide(facts({ ...once, answer: refunded(5_000n) })).outcome).toBeUndefined();
  });

  it('before its success was seen is credited first, and checked again for the rest', () => {
    const decision = decide(facts({ answer: refunded(5_000n) }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked });
    expect(decision.unconfirmed).toBe(true);
  });

  it('opens a case if the provider reversed it', () => {
    const decision = decide(facts({ ...booked, answer: refunded(asked, { kind: 'reversed' }) }));
    expect(decision.outcome).toMatchObject({ to: 'reversed', returnedMinor: asked });
    expect(reasons(decision)).toEqual(['reversed']);
  });

  it('by an unknown amount opens one case per shown amount, and is not debited', () => {
    const answer = refunded(0n, { unclear: true, code: 'PART_1', text: 'completed with 1' });
    const decision = decide(facts({ ...booked, answer }));
    expect(decision).toMatchObject({ remember: 'PART_1', unconfirmed: false });
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['refund_unclear']]);
    const seen = { ...booked, tentative: { code: 'PART_1', msAgo: 1 } };
    expect(decide(facts({ ...seen, answer }))).toMatchObject({ cases: [] });
    expect(reasons(decide(facts({ ...seen, answer: { ...answer, code: 'PART_2' } })))).toEqual([
      'refund_unclear',
    ]);
  });

  it.each<[string, ReturnedByProvider, bigint?]>([
    ['more than had come', refunded(asked + 1n)],
    ['another currency than had come', refunded(1n, { currency: 'USD' })],
    ['more than is left beside refunds of ours', refunded(asked - 999n), 1_000n],
  ])('in %s opens a case and is not debited', (_what, answer, refundedMinor = 0n) => {
    const decision = decide(facts({ ...booked, refundedMinor, answer }));
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['refund_differs']);
  });
});

describe('a submission that never got an answer', () => {
  const given = { isNamed: false, cause: 'deadline', answer: undefined } as const;

  it('opens a case with the timeout, because money may have moved', () => {
    const decision = decide(facts(given));
    expect(decision.outcome).toMatchObject({ to: 'timed_out', by: 'deadline' });
    expect(reasons(decision)).toEqual(['submission_unknown']);
  });

  it.each([
    ['the provider has told what it calls it', { isNamed: true }],
    ['it moves no money by itself', { whenAnswerLost: 'send_anew' as const }],
  ])('opens none if %s', (_why, changes) => {
    expect(reasons(decide(facts({ ...given, ...changes })))).toEqual([]);
  });
});

describe('a failure that the provider reports after the success', () => {
  it('changes nothing, and opens a case', () => {
    const decision = decide(facts({ state: 'succeeded', watchedAfterSuccess: true, answer: failed }));
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['contradictory_outcome']);
  });
});

describe('a refunded deposit, reported again,', () => {
  const refunded = {
    kind: 'refunded',
    code: 'REFUNDED',
    text: 'refunded',
    paidMinor: asked,
    returnedMinor: asked,
    currency: 'KES',
  } as const;
  const booked = { state: 'refunded', confirmedMinor: asked, returnedMinor: asked } as const;

  it('opens a case when a later answer shows that the provider reversed it', () => {
    const answer = { ...refunded, kind: 'reversed' } as const;
    const decision = decide(facts({ ...booked, answer }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['reversed']]);
  });

  it('opens the same case when that event arrives after it was booked as refunded', () => {
    const answer = { ...refunded, kind: 'reversed' } as const;
    const reported: ProviderResult = { kind: 'unverified', text: 'REVERSED', warns: 'reversal_reported' };
    const providerEvents = [{ inboxId: '1', providerResult: reported, msAgo: 0, isProven: true }];
    const decision = decide(facts({ ...booked, providerEvents, answer }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['reversed']]);
    const behind = decide(facts({ ...booked, providerEvents, answer: { ...answer, behind: true } }));
    expect(reasons(behind)).toEqual(['reversal_reported']);
  });

  it('is not debited again', () => {
    expect(decide(facts({ ...booked, answer: refunded }))).toMatchObject({ cases: [] });
    expect(decide(facts({ ...booked, answer: refunded })).outcome).toBeUndefined();
  });
});
