import { decide } from '../../../../src/payments/resolve/decide';
import { asked, confirmed, facts, providerEvents, paid } from '../../../support/payments/evidence';

const reasons = ({ cases }: ReturnType<typeof decide>) => cases.map(({ reason }) => reason);

describe('money that is not booked', () => {
  const answer = { ...paid, amountMinor: asked - 100n };
  const kept = (amount: bigint, currency = 'KES') => ({
    ...{ kind: 'open', details: { paid_otherwise: `${String(amount)} ${currency}` } },
  });

  it('with another amount is stored with the payment, so that the customer is not asked to pay again', () => {
    const decision = decide(facts({ answer, whenAmountDiffers: 'open_case' }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['amount_differs']]);
    expect(decision.enrichment).toMatchObject(kept(asked - 100n));
  });

  it('with another currency, too', () => {
    const decision = decide(facts({ answer: { ...paid, currency: 'USD' } }));
    expect([decision.outcome, reasons(decision)]).toEqual([undefined, ['currency_differs']]);
    expect(decision.enrichment).toMatchObject(kept(asked, 'USD'));
  });

  it('with an unreadable amount is not', () => {
    expect(decide(facts({ answer: { ...paid, amountMinor: 0n } })).enrichment).toBeUndefined();
  });
});

describe('a different amount', () => {
  const less = { ...paid, amountMinor: asked - 100n };

  it('is booked as paid, with a case, if the money has arrived', () => {
    const decision = decide(facts({ providerEvents: providerEvents(less), answer: confirmed }));
    expect(decision.outcome).toMatchObject({ to: 'succeeded', amountMinor: asked - 100n });
    expect(reasons(decision)).toEqual(['amount_differs']);
  });

  it("that differs between the report and the provider's answer is the provider's", () => {
    const answer = { ...confirmed, amountMinor: asked, receipt: 'R2' };
    const decision = decide(
      facts({ providerEvents: providerEvents({ ...paid, amountMinor: 100n * asked }), answer }),
    );
    expect(decision.outcome).toMatchObject({ amountMinor: asked, providerResult: { receipt: 'R2' } });
    expect(reasons(decision)).toEqual([]);
  });

  describe('above the requested amount, in an unverified report,', () => {
    const more = { ...paid, amountMinor: 100n * asked, receipt: 'FORGED' };

    it("is not booked: the requested amount is, with the provider's text, and a case is opened", () => {
      const decision = decide(facts({ providerEvents: providerEvents(more), answer: confirmed }));
      expect(decision.outcome).toEqual({
        to: 'succeeded',
        amountMinor: asked,
        providerResult: confirmed,
        by: 'query',
      });
      expect(reasons(decision)).toEqual(['amount_differs']);
      expect(decision.read).toMatchObject([{ inboxId: '1', state: 'ignored' }]);
    });

    it('does not hide the authentic one', () => {
      const decision = decide(facts({ providerEvents: providerEvents(more, paid), answer: confirmed }));
      expect(decision.outcome).toMatchObject({ amountMinor: asked, providerResult: { receipt: 'R1' } });
      expect(reasons(decision)).toEqual(['amount_differs']);
      expect(decision.read).toMatchObject([{ state: 'ignored' }, { state: 'applied' }]);
    });

    it('adds nothing to the booked amount', () => {
      const decision = decide(
        facts({ state: 'succeeded', confirmedMinor: asked, providerEvents: providerEvents(more) }),
      );
      expect(decision).toMatchObject({ read: [{ state: 'ignored' }] });
      expect([decision.outcome, decision.enrichment]).toEqual([undefined, undefined]);
      expect(reasons(decision)).toEqual(['amount_differs']);
    });

    it("is booked if the report is verified, or the provider's answer agrees", () => {
      const reported = { to: 'succeeded', amountMinor: 100n * asked };
      expect(
        decide(facts({ providerEvents: providerEvents(more), notificationsAreTrusted: true })).outcome,
      ).toMatchObject(reported);
      const answer = { ...confirmed, amountMinor: 100n * asked };
      expect(decide(facts({ providerEvents: providerEvents(more), answer })).outcome).toMatchObject(reported);
    });
  });

  it('waits for an operator if the rail says so', () => {
    const decision = decide(
      facts({ providerEvents: providerEvents(less), answer: confirmed, whenAmountDiffers: 'open_case' }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['amount_differs']);
  });

  it('reported after the booking opens a case, and the booking stays', () => {
    const decision = decide(
      facts({
        state: 'succeeded',
        confirmedMinor: asked,
        receipt: 'R1',
        providerEvents: providerEvents(less),
      }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['amount_differs']);
  });

  it('of zero opens a case, since zero cannot be booked', () => {
    const decision = decide(
      facts({ providerEvents: providerEvents({ ...paid, amountMinor: 0n }), answer: confirmed }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['amount_differs']);
  });

  it('in another currency is never booked', () => {
    const decision = decide(
      facts({ providerEvents: providerEvents({ ...paid, currency: 'UGX' }), answer: confirmed }),
    );
    expect(decision.outcome).toBeUndefined();
    expect(reasons(decision)).toEqual(['currency_differs']);
  });
});
