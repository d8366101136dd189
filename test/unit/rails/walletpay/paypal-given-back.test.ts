/** What the provider’s answer about a refunded order means. */
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

describe('what went back', () => {
  const refund = (id: string, value: string, changes: Record<string, unknown> = {}) => ({
    id,
    status: 'COMPLETED',
    amount: usd(value),
    create_time: `2026-01-05T09:00:0${id.at(-1) ?? '0'}Z`,
    links: [{ rel: 'up', href: `https://api.example.org/v2/payments/captures/${captureId}` }],
    ...changes,
  });
  const told = (status: string, refunds?: unknown, row = payment()) => {
    paypal.answers(query, {
      status: 200,
      json: order('COMPLETED', { captures: [capture({ status })], refunds }),
    });
    return provider(paypal.url).order.retrieveStatus(row, call);
  };

  it('is the sum of the refunds that are done, with the latest of them', async () => {
    const refunds = [refund('R2', '2.25'), refund('R1', '1.00'), refund('R3', '5.00', { status: 'PENDING' })];
    expect(await told('PARTIALLY_REFUNDED', refunds)).toEqual({
      kind: 'refunded',
      code: 'PARTIALLY_REFUNDED',
      text: 'PARTIALLY_REFUNDED',
      paidMinor: 1_250n,
      givenBackMinor: 325n,
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

  it('is all of it when the capture is REFUNDED, whether or not the refunds are listed', async () => {
    const whole = { kind: 'refunded', paidMinor: 1_250n, givenBackMinor: 1_250n };
    expect(await told('REFUNDED')).toMatchObject({ ...whole, details: { refund_amount: '12.50' } });
    expect(await told('REFUNDED', [refund('R1', '12.50')])).toMatchObject(whole);
  });

  it.each(['PENDING', 'FAILED', 'CANCELLED'])('is only what is done where a refund is %s', async (waits) => {
    const whole = refund('R2', '12.50', { status: waits });
    expect(await told('REFUNDED', [whole])).toMatchObject({ kind: 'succeeded', amountMinor: 1_250n });
    const part = refund('R1', '2.00');
    expect(await told('REFUNDED', [part, { ...whole, amount: usd('10.50') }])).toMatchObject({
      kind: 'refunded',
      givenBackMinor: 200n,
    });
  });

  it('is the total that the latest refund names, when it knows of more than is listed', async () => {
    const refunds = [
      refund('R2', '2.00', { seller_payable_breakdown: { total_refunded_amount: usd('6.00') } }),
    ];
    expect(await told('PARTIALLY_REFUNDED', refunds)).toMatchObject({ givenBackMinor: 600n });
  });

  it('is asked of the refund that was told by event, when the order lists none', async () => {
    const total = { seller_payable_breakdown: { total_refunded_amount: usd('4.00') } };
    paypal.answers('GET /v2/payments/refunds/R7', { status: 200, json: refund('R7', '1.50', total) });
    const row = payment({ details: { refund_id: 'R7' } });
    expect(await told('PARTIALLY_REFUNDED', undefined, row)).toMatchObject({
      kind: 'refunded',
      givenBackMinor: 400n,
      details: { refund_id: 'R7', refund_amount: '4.00' },
    });
  });

  it('counts the refund that was told by event beside those that the order lists', async () => {
    paypal.answers('GET /v2/payments/refunds/R7', { status: 200, json: refund('R7', '1.50') });
    const row = payment({ details: { refund_id: 'R7' } });
    expect(await told('PARTIALLY_REFUNDED', [refund('R1', '2.00')], row)).toMatchObject({
      givenBackMinor: 350n,
      details: { refund_id: 'R7' },
    });
    expect(await told('PARTIALLY_REFUNDED', [refund('R7', '1.50')], row)).toMatchObject({
      givenBackMinor: 150n,
    });
  });

  it('is unknown when nobody tells how much', async () => {
    expect(await told('PARTIALLY_REFUNDED')).toMatchObject({ kind: 'unknown' });
    paypal.answers('GET /v2/payments/refunds/R7', html(500));
    const row = payment({ details: { refund_id: 'R7' } });
    expect(await told('PARTIALLY_REFUNDED', undefined, row)).toMatchObject({ kind: 'unknown' });
  });

  it('is nothing yet while no refund is done', async () => {
    const pending = [refund('R1', '1.00', { status: 'PENDING' })];
    expect(await told('PARTIALLY_REFUNDED', pending)).toMatchObject({
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
    expect(await told('PARTIALLY_REFUNDED', [refund('R1', '1.00', changes)])).toMatchObject({
      kind: 'unknown',
    });
  });

  describe('may be told by an event before the order shows it', () => {
    const toldByEvent = (refund_id: string) =>
      payment({ details: { refund_id, capture_event: 'PAYMENT.CAPTURE.REFUNDED' } });

    it('of a capture that still reads COMPLETED, or of another refund than it lists', async () => {
      expect(await told('COMPLETED', undefined, toldByEvent('R1'))).toMatchObject({
        kind: 'succeeded',
        behind: true,
      });
      expect(await told('PARTIALLY_REFUNDED', [refund('R1', '1.00')], toldByEvent('R2'))).toMatchObject({
        kind: 'refunded',
        givenBackMinor: 100n,
        behind: true,
      });
    });

    it('and is behind no longer once that refund is listed, and done', async () => {
      const pending = [refund('R1', '1.00'), refund('R2', '2.00', { status: 'PENDING' })];
      expect(await told('PARTIALLY_REFUNDED', pending, toldByEvent('R2'))).toHaveProperty('behind');
      const done = [refund('R1', '1.00'), refund('R2', '2.00')];
      const finding = await told('PARTIALLY_REFUNDED', done, toldByEvent('R2'));
      expect(finding).toMatchObject({ kind: 'refunded', givenBackMinor: 300n });
      expect(finding).not.toHaveProperty('behind');
    });
  });

  it('was taken back by the provider when its event said so', async () => {
    const row = payment({ details: { capture_event: 'PAYMENT.CAPTURE.REVERSED' } });
    expect(await told('REFUNDED', undefined, row)).toMatchObject({
      kind: 'reversed',
      code: 'REVERSED',
      givenBackMinor: 1_250n,
    });
  });
});
