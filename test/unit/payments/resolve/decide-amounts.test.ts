import { decide } from '../../../../src/payments/resolve/decide';
import { asked, confirmed, facts, notices, paid } from '../../../support/payments/evidence';

const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

describe('money that is not booked', () => {
  const answer = { ...paid, amountMinor: asked - 100n };
  const kept = (amount: bigint, currency = 'KES') => ({
    ...{ kind: 'open', details: { paid_otherwise: `${String(amount)} ${currency}` } },
  });

  it('of another amount is kept with the payment, so that nobody is asked to pay again', () => {
    const decision = decide(facts({ answer, whenAmountDiffers: 'open_case' }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['amount_differs']]);
    expect(decision.enrichment).toMatchObject(kept(asked - 100n));
  });

  it('of another currency, too', () => {
    const decision = decide(facts({ answer: { ...paid, currency: 'USD' } }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['currency_differs']]);
    expect(decision.enrichment).toMatchObject(kept(asked, 'USD'));
  });

  it('and is none, is not', () => {
    expect(decide(facts({ answer: { ...paid, amountMinor: 0n } })).enrichment).toBeUndefined();
  });
});

describe('an amount that differs', () => {
  const less = { ...paid, amountMinor: asked - 100n };

  it('is booked as it was paid, with a case, where the money has arrived', () => {
    const decision = decide(facts({ notices: notices(less), answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked - 100n });
    expect(reasons(decision)).toEqual(['amount_differs']);
  });

  it('of which the provider, asked, says another figure than was reported is that of the provider', () => {
    const answer = { ...confirmed, amountMinor: asked, receipt: 'R2' };
    const decision = decide(facts({ notices: notices({ ...paid, amountMinor: 100n * asked }), answer }));
    expect(decision.outcome).toMatchObject({ amountMinor: asked, finding: { receipt: 'R2' } });
    expect(reasons(decision)).toEqual([]);
  });

  describe('and is more than was asked, by an unproven word,', () => {
    const more = { ...paid, amountMinor: 100n * asked, receipt: 'FORGED' };

    it('is not booked: what was asked is, in the words of the provider alone, and a person is told', () => {
      const decision = decide(facts({ notices: notices(more), answer: confirmed }));
      expect(decision.outcome).toEqual({
        to: 'succeeded',
        amountMinor: asked,
        finding: confirmed,
        by: 'query',
      });
      expect(reasons(decision)).toEqual(['amount_differs']);
      expect(decision.read).toMatchObject([{ inboxId: '1', state: 'ignored' }]);
    });

    it('does not hide the true one', () => {
      const decision = decide(facts({ notices: notices(more, paid), answer: confirmed }));
      expect(decision.outcome).toMatchObject({ amountMinor: asked, finding: { receipt: 'R1' } });
      expect(reasons(decision)).toEqual(['amount_differs']);
      expect(decision.read).toMatchObject([{ state: 'ignored' }, { state: 'applied' }]);
    });

    it('adds nothing to what was booked before it', () => {
      const decision = decide(facts({ state: 'succeeded', confirmedMinor: asked, notices: notices(more) }));
      expect(decision).toMatchObject({ read: [{ state: 'ignored' }] });
      expect([decision.outcome, decision.enrichment]).toEqual([undefined, undefined]);
      expect(reasons(decision)).toEqual(['amount_differs']);
    });

    it('is booked where the word is proven, or the provider says the same when asked', () => {
      const told = { to: 'succeeded', amountMinor: 100n * asked };
      expect(decide(facts({ notices: notices(more), notificationsAreProof: true })).outcome).toMatchObject(
        told,
      );
      const answer = { ...confirmed, amountMinor: 100n * asked };
      expect(decide(facts({ notices: notices(more), answer })).outcome).toMatchObject(told);
    });
  });

  it('waits for an operator where the rail says so', () => {
    const decision = decide(
      facts({ notices: notices(less), answer: confirmed, whenAmountDiffers: 'open_case' }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['amount_differs']);
  });

  it('told after the booking is a case, and the booking stands', () => {
    const decision = decide(
      facts({ state: 'succeeded', confirmedMinor: asked, receipt: 'R1', notices: notices(less) }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['amount_differs']);
  });

  it('of nothing is a case, since nothing cannot be booked', () => {
    const decision = decide(facts({ notices: notices({ ...paid, amountMinor: 0n }), answer: confirmed }));
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['amount_differs']);
  });

  it('in another currency is never booked', () => {
    const decision = decide(facts({ notices: notices({ ...paid, currency: 'UGX' }), answer: confirmed }));
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['currency_differs']);
  });
});
