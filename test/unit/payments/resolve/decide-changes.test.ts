/** What the provider's own answer changes: after a hint, and after the success. */
import type { Finding } from '../../../../src/domain/outcome';
import { decide, wantsAnswer } from '../../../../src/payments/resolve/decide';
import type { GivenBack } from '../../../../src/rail-kit/provider-events';
import { asked, confirmed, facts, failed, open, unknown } from '../../../support/payments/evidence';

const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

describe('a hint', () => {
  const hint: Finding = { kind: 'hint', text: 'something changed' };
  const told = (msAgo: number) => [{ inboxId: '1', finding: hint, msAgo }];
  const patience = { cause: 'notification', followHintMs: 60_000 } as const;

  it('has the provider asked, also about a payment that succeeded', () => {
    expect(wantsAnswer(facts({ notices: told(0), cause: 'notification' }))).toBe(true);
    expect(wantsAnswer(facts({ notices: told(0), cause: 'notification', state: 'succeeded' }))).toBe(true);
  });

  it('is dealt with by the answer, which alone is believed', () => {
    const decision = decide(facts({ ...patience, notices: told(0), answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', by: 'query' });
    expect(decision.read).toEqual([{ inboxId: '1', state: 'applied', reason: 'the provider was asked' }]);
    expect(decision.unconfirmed).toBe(false);
  });

  it.each([
    ['does not answer', unknown],
    ['was not reached', undefined],
    ['says that nothing has changed yet', open],
  ])('is followed while the provider %s', (_how, answer) => {
    const decision = decide(facts({ ...patience, notices: told(0), answer }));
    expect(decision).toMatchObject({ read: [], unconfirmed: true });
    expect(decision.outcome).toBeUndefined();
  });

  it('is followed while the provider shows less than was told, whatever else the answer brings', () => {
    const answer: Finding = { ...confirmed, behind: true };
    const first = decide(facts({ ...patience, notices: told(0), answer }));
    expect(first.outcome).toMatchObject({ to: 'succeeded' });
    expect(first).toMatchObject({ unconfirmed: true, read: [] });
    const later = decide(facts({ ...patience, state: 'succeeded', notices: told(59_999), answer }));
    expect(later).toMatchObject({ unconfirmed: true, read: [] });
    const last = decide(facts({ ...patience, state: 'succeeded', notices: told(60_000), answer }));
    expect(last).toMatchObject({ unconfirmed: false, read: [{ state: 'ignored' }] });
  });

  it('has brought nothing where the provider only says once more what it calls the payment', () => {
    const known: Finding = { kind: 'open', text: 'CREATED', providerReference: 'REF-1' };
    const late = facts({ ...patience, notices: told(60_000), answer: known });
    expect(decide(late).read).toMatchObject([{ state: 'ignored' }]);
    expect(decide({ ...late, isNamed: false }).read).toMatchObject([{ state: 'applied' }]);
  });

  it('is put aside when the provider has said for long enough that nothing has changed', () => {
    const decision = decide(facts({ ...patience, notices: told(60_000), answer: open }));
    expect(decision).toMatchObject({ read: [{ inboxId: '1', state: 'ignored' }], unconfirmed: false });
  });
});

describe('a deposit that went back', () => {
  const refunded = (givenBackMinor: bigint, changes: Partial<GivenBack> = {}): GivenBack => ({
    kind: 'refunded',
    code: 'REFUNDED',
    text: 'refunded',
    paidMinor: asked,
    givenBackMinor,
    currency: 'KES',
    ...changes,
  });
  const booked = { state: 'succeeded', confirmedMinor: asked, watchedAfterSuccess: true } as const;

  it('is looked for after the success where the rail watches for it', () => {
    expect(wantsAnswer(facts({ ...booked, cause: 'check' }))).toBe(true);
  });

  it('is debited with what went back so far', () => {
    expect(decide(facts({ ...booked, answer: refunded(5_000n) })).outcome).toMatchObject({
      to: 'refunded',
      givenBackMinor: 5_000n,
      by: 'query',
    });
  });

  it('is debited again when more goes back, and not when it is told again', () => {
    const once = { ...booked, state: 'refunded', givenBackMinor: 5_000n } as const;
    expect(decide(facts({ ...once, answer: refunded(7_000n) })).outcome).toMatchObject({
      givenBackMinor: 7_000n,
    });
    expect(decide(facts({ ...once, answer: refunded(5_000n) }))).toMatchObject({ cases: [] });
    expect(decide(facts({ ...once, answer: refunded(5_000n) })).outcome).toBeUndefined();
  });

  it('before we had heard of its success is credited first, and looked at again for the rest', () => {
    const decision = decide(facts({ answer: refunded(5_000n) }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked });
    expect(decision.unconfirmed).toBe(true);
  });

  it('is a case for a person when the provider took it back', () => {
    const decision = decide(facts({ ...booked, answer: refunded(asked, { kind: 'reversed' }) }));
    expect(decision.outcome).toMatchObject({ to: 'reversed', givenBackMinor: asked });
    expect(reasons(decision)).toEqual(['reversed']);
  });

  it('by an amount that nobody names is one case for each amount shown, and is not debited', () => {
    const answer = refunded(0n, { unclear: true, code: 'PART_1', text: 'completed with 1' });
    const decision = decide(facts({ ...booked, answer }));
    expect(decision).toMatchObject({ remember: 'PART_1', unconfirmed: false });
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['given_back_unclear']]);
    const seen = { ...booked, tentative: { code: 'PART_1', msAgo: 1 } };
    expect(decide(facts({ ...seen, answer }))).toMatchObject({ cases: [] });
    expect(reasons(decide(facts({ ...seen, answer: { ...answer, code: 'PART_2' } })))).toEqual([
      'given_back_unclear',
    ]);
  });

  it.each<[string, GivenBack, bigint?]>([
    ['more than had come', refunded(asked + 1n)],
    ['another currency than had come', refunded(1n, { currency: 'USD' })],
    ['more than is left beside refunds of ours', refunded(asked - 999n), 1_000n],
  ])('in %s is a case and is not debited', (_what, answer, refundedMinor = 0n) => {
    const decision = decide(facts({ ...booked, refundedMinor, answer }));
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['given_back_differs']);
  });
});

describe('an instruction that nobody ever answered', () => {
  const given = { isNamed: false, cause: 'deadline', answer: undefined } as const;

  it('is a case beside the timeout, because the money may have moved unseen', () => {
    const decision = decide(facts(given));
    expect(decision.outcome).toMatchObject({ to: 'timed_out', by: 'deadline' });
    expect(reasons(decision)).toEqual(['instruction_unknown']);
  });

  it.each([
    ['the provider has told what it calls it', { isNamed: true }],
    ['it moves no money by itself', { whenAnswerLost: 'send_anew' as const }],
  ])('is none where %s', (_why, changes) => {
    expect(reasons(decide(facts({ ...given, ...changes })))).toEqual([]);
  });
});

describe('a failure that the provider tells after the success', () => {
  it('changes nothing, and is for a person to look at', () => {
    const decision = decide(facts({ state: 'succeeded', watchedAfterSuccess: true, answer: failed }));
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['contradictory_outcome']);
  });
});

describe('a deposit that went back, told once more,', () => {
  const refunded = {
    kind: 'refunded',
    code: 'REFUNDED',
    text: 'refunded',
    paidMinor: asked,
    givenBackMinor: asked,
    currency: 'KES',
  } as const;
  const booked = { state: 'refunded', confirmedMinor: asked, givenBackMinor: asked } as const;

  it('is a case when it turns out later that the provider took it back', () => {
    const answer = { ...refunded, kind: 'reversed' } as const;
    const decision = decide(facts({ ...booked, answer }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['reversed']]);
  });

  it('is the same case when the event that tells so comes after it was booked as refunded', () => {
    const answer = { ...refunded, kind: 'reversed' } as const;
    const told: Finding = { kind: 'hint', text: 'REVERSED', warns: 'reversal_told' };
    const notices = [{ inboxId: '1', finding: told, msAgo: 0, isProven: true }];
    const decision = decide(facts({ ...booked, notices, answer }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['reversed']]);
    const behind = decide(facts({ ...booked, notices, answer: { ...answer, behind: true } }));
    expect(reasons(behind)).toEqual(['reversal_told']);
  });

  it('is not debited again for being told again', () => {
    expect(decide(facts({ ...booked, answer: refunded }))).toMatchObject({ cases: [] });
    expect(decide(facts({ ...booked, answer: refunded })).outcome).toBeUndefined();
  });
});
