/** The meaning of the provider’s answer about a refunded order. */
import {
  call,
  capture,
  captureId,
  html,
  order,
  orderId,
  payment,
  provider,
  startScriptedProvider,
  usd,
  type ScriptedProvider,
} from './paypal-support';

const query = `GET /v2/checkout/orders/${orderId}`;
let paypal: ScriptedProvider;

beforeAll(async () => {
  paypal = await startScriptedProvider();
});
beforeEach(() => paypal.reset());
afterAll(() => paypal.close());

describe('the refunded amount', () => {
  const refund = (id: string, value: string, changes: Record<string, unknown> = {}) => ({
    id,
    status: 'COMPLETED',
    amount: usd(value),
    create_time: `2026-01-05T09:00:0${id.at(-1) ?? '0'}Z`,
    links: [{ rel: 'up', href: `https://api.example.org/v2/payments/captures/${captureId}` }],
    ...changes,
  });
  const reported = (status: string, refunds?: unknown, row = payment()) => {
    paypal.answers(query, {
      status: 200,
      json: order('COMPLETED', { captures: [capture({ status })], refunds }),
    });
    return provider(paypal.url).order.retrieveStatus(row, call);
  };

  it('is the sum of the completed refunds, with the latest of them', async () => {
    const refunds = [refund('R2', '2.25'), refund('R1', '1.00'), refund('R3', '5.00', { status: 'PENDING' })];
    expect(await reported('PARTIALLY_REFUNDED', refunds)).toEqual({
      kind: 'refunded',
      code: 'PARTIALLY_REFUNDED',
      text: 'PARTIALLY_REFUNDED',
      paidMinor: 1_250n,
      returnedMinor: 325n,
      refunds: [
        { id: 'R1', amountMinor: 100n, names: [] },
        { id: 'R2', amountMinor: 225n, names: [] },
      ],
      currency: 'USD',
      receipt: captureId,
      providerReference: orderId,
      details: {
        capture_id: captureId,
        capture_status: 'PARTIALLY_REFUNDED',
        capture_reason: '',
        refund_id: 'R2',
        refund_amount: '3.25',
      },
    });
  });

  it('is everything when the capture is REFUNDED, whether or not the refunds are listed', async () => {
    const whole = { kind: 'refunded', paidMinor: 1_250n, returnedMinor: 1_250n };
    expect(await reported('REFUNDED')).toMatchObject({ ...whole, details: { refund_amount: '12.50' } });
    expect(await reported('REFUNDED', [refund('R1', '12.50')])).toMatchObject(whole);
  });

  it.each(['PENDING', 'FAILED', 'CANCELLED'])(
    'includes only completed refunds if one is %s',
    async (waits) => {
      const whole = refund('R2', '12.50', { status: waits });
      expect(await reported('REFUNDED', [whole])).toMatchObject({ kind: 'succeeded', amountMinor: 1_250n });
      const part = refund('R1', '2.00');
      expect(await reported('REFUNDED', [part, { ...whole, amount: usd('10.50') }])).toMatchObject({
        kind: 'refunded',
        returnedMinor: 200n,
      });
    },
  );

  it('is the total in the latest refund, when it is larger than the listed sum', async () => {
    const refunds = [
      refund('R2', '2.00', { seller_payable_breakdown: { total_refunded_amount: usd('6.00') } }),
    ];
    expect(await reported('PARTIALLY_REFUNDED', refunds)).toMatchObject({ returnedMinor: 600n });
  });

  it('is queried by the refund id of an event, when the order lists none', async () => {
    const total = { seller_payable_breakdown: { total_refunded_amount: usd('4.00') } };
    paypal.answers('GET /v2/payments/refunds/R7', { status: 200, json: refund('R7', '1.50', total) });
    const row = payment({ details: { refund_id: 'R7' } });
    expect(await reported('PARTIALLY_REFUNDED', undefined, row)).toMatchObject({
      kind: 'refunded',
      returnedMinor: 400n,
      details: { refund_id: 'R7', refund_amount: '4.00' },
    });
  });

  it('includes the refund of an event beside the listed ones', async () => {
    paypal.answers('GET /v2/payments/refunds/R7', { status: 200, json: refund('R7', '1.50') });
    const row = payment({ details: { refund_id: 'R7' } });
    expect(await reported('PARTIALLY_REFUNDED', [refund('R1', '2.00')], row)).toMatchObject({
      returnedMinor: 350n,
      details: { refund_id: 'R7' },
    });
    expect(await reported('PARTIALLY_REFUNDED', [refund('R7', '1.50')], row)).toMatchObject({
      returnedMinor: 150n,
    });
  });

  it('is unknown without an amount', async () => {
    expect(await reported('PARTIALLY_REFUNDED')).toMatchObject({ kind: 'unknown' });
    paypal.answers('GET /v2/payments/refunds/R7', html(500));
    const row = payment({ details: { refund_id: 'R7' } });
    expect(await reported('PARTIALLY_REFUNDED', undefined, row)).toMatchObject({ kind: 'unknown' });
  });

  it('is zero while no refund is completed', async () => {
    const pending = [refund('R1', '1.00', { status: 'PENDING' })];
    expect(await reported('PARTIALLY_REFUNDED', pending)).toMatchObject({
      kind: 'succeeded',
      amountMinor: 1_250n,
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['in another currency', { amount: { currency_code: 'EUR', value: '1.00' } }],
    [
      'of another capture',
      { links: [{ rel: 'up', href: 'https://api.example.org/v2/payments/captures/OTHER' }] },
    ],
    ['without an amount', { amount: undefined }],
  ])('is unknown with a refund %s', async (_what, changes) => {
    expect(await reported('PARTIALLY_REFUNDED', [refund('R1', '1.00', changes)])).toMatchObject({
      kind: 'unknown',
    });
  });

  describe('may be reported by an event before the order shows it', () => {
    const reportedByEvent = (refund_id: string) =>
      payment({ details: { refund_id, capture_event: 'PAYMENT.CAPTURE.REFUNDED' } });

    it('for a capture that still reads COMPLETED, or lists another refund', async () => {
      expect(await reported('COMPLETED', undefined, reportedByEvent('R1'))).toMatchObject({
        kind: 'succeeded',
        behind: true,
      });
      expect(
        await reported('PARTIALLY_REFUNDED', [refund('R1', '1.00')], reportedByEvent('R2')),
      ).toMatchObject({
        kind: 'refunded',
        returnedMinor: 100n,
        behind: true,
      });
    });

    it('and is current once that refund is listed and completed', async () => {
      const pending = [refund('R1', '1.00'), refund('R2', '2.00', { status: 'PENDING' })];
      expect(await reported('PARTIALLY_REFUNDED', pending, reportedByEvent('R2'))).toHaveProperty('behind');
      const done = [refund('R1', '1.00'), refund('R2', '2.00')];
      const providerResult = await reported('PARTIALLY_REFUNDED', done, reportedByEvent('R2'));
      expect(providerResult).toMatchObject({ kind: 'refunded', returnedMinor: 300n });
      expect(providerResult).not.toHaveProperty('behind');
    });
  });

  it('is a reversal by the provider after its event', async () => {
    const row = payment({ details: { capture_event: 'PAYMENT.CAPTURE.REVERSED' } });
    expect(await reported('REFUNDED', undefined, row)).toMatchObject({
      kind: 'reversed',
      code: 'REVERSED',
      returnedMinor: 1_250n,
    });
  });
});
