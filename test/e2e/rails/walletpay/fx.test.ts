import { setMerchant } from '../../../../src/merchants/merchants';
import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened, creditsOf, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  capture,
  decide,
  get,
  canPayOut,
  newOrder,
  orderRequest,
  paidOrder,
  payoutRequest,
  post,
  ratesStored,
  stored,
  notifiedOf,
  walletOf,
} from '../../../support/rails/walletpay/payments';

const hour = 3_600_000;

describe('wallet checkout in other currencies', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean({ ...stack, simulatorUrl: stack.simulatorUrl });
    await stack.stop();
  });

  /** The rates of the sandbox: 1 USD is 129.50 KES, 2650 TZS, 3700 UGX. */
  it.each([
    ['KES', 12.5, 161_875n, 1618.75],
    ['TZS', 12.5, 3_312_500n, 33_125],
    ['UGX', 12.5, 46_250n, 46_250],
  ] as const)(
    'credits a USD order to a wallet in %s, at a stored rate',
    async (currency, amount, minor, shown) => {
      const before = await walletOf(stack, merchant, currency);
      const metadata = { preferred_currency: currency };
      const order = await paidOrder(stack, merchant, provider, { amount, metadata });
      const reported = await notifiedOf(merchant, order.id, 'Completed');
      expect(reported.body).toMatchObject({
        amount,
        currency: 'USD',
        credited_amount: shown,
        credited_currency: currency,
      });
      expect(await creditsOf(stack.db, order.id)).toEqual([minor]);
      expect((await walletOf(stack, merchant, currency)) - before).toBe(minor);
      expect(await stack.db('fx_quotes').where({ payment_id: order.id })).toEqual([
        expect.objectContaining({ purpose: 'credit', base: 'USD', quote: currency, from_minor: '1250' }),
      ]);
    },
  );

  describe('a KES order to a KES wallet', () => {
    let shop: TestMerchant;
    beforeAll(async () => {
      shop = await stack.createMerchant();
      await setMerchant(stack.db, shop.merchantId, { walletCurrency: 'KES' }, { environment: 'sandbox' });
    });
    const fxOf = async (id: string) => {
      const rows = await stack
        .db('ledger_postings as l')
        .join('ledger_entries as e', 'e.entry_id', 'l.entry_id')
        .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
        .where({ 'e.payment_id': id, 'a.class': 'fx' })
        .orderBy('l.seq')
        .select<{ currency: string; amount: string }[]>('l.currency', 'l.amount');
      return rows.map(({ currency, amount }) => [currency, amount]);
    };

    it('credits the ordered amount: the buyer pays for all of it, and our fx account keeps the rest of a cent', async () => {
      const order = await paidOrder(stack, shop, provider, { amount: '1290.00', currency: 'KES' });
      const reported = await notifiedOf(shop, order.id, 'Completed');
      expect(reported.body).toMatchObject({
        amount: 1290,
        currency: 'KES',
        credited_amount: 1290,
        credited_currency: 'KES',
      });
      expect(await creditsOf(stack.db, order.id)).toEqual([129_000n]);
      // 1290 / 129.50 = 9.9614… USD, and 9.97 × 129.50 = 1291.115 KES.
      const quotes = await stack.db('fx_quotes').where({ payment_id: order.id }).orderBy('purpose');
      expect(
        quotes.map((quote) => [
          quote.purpose,
          quote.from_minor,
          quote.to_minor,
          quote.rounding_minor,
          quote.source,
        ]),
      ).toEqual([
        ['credit', '997', '129000', '-111', 'sandbox'],
        ['instruct', '129000', '997', '1', 'sandbox'],
      ]);
      expect(quotes[0]?.rate).toBe('129.5');
      expect(await fxOf(order.id)).toEqual([
        ['USD', '997'],
        ['KES', '-129000'],
      ]);
      const { body } = await get(stack, shop, 'order_status', { walletpay_order_id: order.token });
      expect(body.data).toMatchObject({
        captured_amount: 9.97,
        credited_amount: 1290,
        rate: '129.5',
        rounding_amount: -1.11,
      });
    });

    it('debits exactly the credited amount by refunds, in parts or at once', async () => {
      const order = await paidOrder(stack, shop, provider, { amount: '1290.00', currency: 'KES' });
      await provider.notify(`captures/${order.captureId}`, { action: 'refund', amount: '3.33' });
      const part = await notifiedOf(shop, order.id, 'Refunded');
      // 3.33 of 9.97 USD is 430.86 of 1290.00 KES, and the last refund includes the remaining fraction.
      expect(part.body).toMatchObject({
        refund_amount: 3.33,
        refunded_total: 3.33,
        refund_currency: 'USD',
        debited_amount: 430.86,
        debited_total: 430.86,
        credited_amount: 859.14,
        credited_currency: 'KES',
        partially_refunded: true,
      });
      await provider.notify(`captures/${order.captureId}`, { action: 'refund' });
      await stored(stack, order.id, { returned_minor: '997' });
      await atRest(stack.db, order.id);
      expect(await creditsOf(stack.db, order.id)).toEqual([129_000n, -43_086n, -85_914n]);
      expect((await webhooksOf(stack.db, order.id)).at(-1)).toMatchObject({
        refund_amount: 6.64,
        refunded_total: 9.97,
        debited_amount: 859.14,
        debited_total: 1290,
        credited_amount: 0,
        partially_refunded: false,
      });
    });
  });

  it('debits a refund in the credited currency, at the rate of that day', async () => {
    const metadata = { preferred_currency: 'KES' };
    const order = await paidOrder(stack, merchant, provider, { amount: '10.00', metadata });
    await provider.notify(`captures/${order.captureId}`, { action: 'refund', amount: '2.50' });
    await stored(stack, order.id, { returned_minor: '250' });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([129_500n, -32_375n]);
  });

  describe('without a current rate', () => {
    beforeAll(async () => {
      await stack.db('fx_rates').update({ observed_at: new Date(Date.now() - 7 * hour) });
    });
    const freshRate = async () => {
      await stack.db('fx_rates').insert({
        base: 'USD',
        quote: 'KES',
        rate: '130.25',
        source: 'test',
        observed_at: new Date(Date.now() - 1_000),
      });
    };

    it('503: starts neither a KES order nor a KES payout, and uses up no order_id', async () => {
      await canPayOut(stack, merchant, 10_000_000n, 'KES');
      const [order, payout] = [
        orderRequest({ currency: 'KES', amount: 1000 }),
        payoutRequest({ currency: 'KES', amount: 1000 }),
      ];
      for (const [path, body] of [
        ['create_order', order],
        ['create_payout', payout],
      ] as const) {
        const answer = await post(stack, merchant, path, body);
        expect([answer.status, answer.body.code]).toEqual([503, 'RATE_UNAVAILABLE']);
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await stack.db('payments').where({ order_id: String(body['order_id']) })).toEqual([]);
      }
    });

    it('credits a KES order to a KES wallet all the same: the order has its rate', async () => {
      await freshRate();
      const shop = await stack.createMerchant();
      await setMerchant(stack.db, shop.merchantId, { walletCurrency: 'KES' }, { environment: 'sandbox' });
      const order = await newOrder(stack, shop, { amount: '1290.00', currency: 'KES' });
      await stack.db('fx_rates').update({ observed_at: new Date(Date.now() - 7 * hour) });
      await decide(provider, order, 'approve');
      expect((await capture(stack, shop, order)).body.data).toMatchObject({ status: 'Completed' });
      expect(await creditsOf(stack.db, order.id)).toEqual([129_000n]);
    });

    it('accepts a USD order for a KES wallet, and credits the capture once there is a rate', async () => {
      const metadata = { preferred_currency: 'KES' };
      const order = await newOrder(stack, merchant, { amount: '10.00', metadata });
      await decide(provider, order, 'approve');
      const first = await capture(stack, merchant, order);
      expect([first.status, first.body.data]).toEqual([
        200,
        expect.objectContaining({ status: 'Pending', capture_id: expect.stringMatching(/^[A-Z0-9]{17}$/) }),
      ]);
      expect(first.body.message).toMatch(/^Pending: .* Credit your customer on Completed only/);
      expect(await caseOpened(stack.db, order.id)).toEqual(['rate_missing']);
      expect(await creditsOf(stack.db, order.id)).toEqual([]);
      expect(await webhooksOf(stack.db, order.id)).toEqual([]);

      await freshRate();
      const reported = await notifiedOf(merchant, order.id, 'Completed');
      expect(reported.body).toMatchObject({
        credited_amount: 1302.5,
        credited_currency: 'KES',
        correction: false,
      });
      expect(await creditsOf(stack.db, order.id)).toEqual([130_250n]);
      const again = await capture(stack, merchant, order);
      expect(again.body.data).toEqual({ ...first.body.data, status: 'Completed' });
      const start = await post(
        stack,
        merchant,
        'create_order',
        orderRequest({ currency: 'KES', amount: 1000 }),
      );
      expect(start.status).toBe(200);
    });
  });
});
