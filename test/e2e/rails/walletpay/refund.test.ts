import { randomUUID } from 'node:crypto';
import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened, creditsOf, openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import type { TestMerchant } from '../../../support/stack';
import {
  eventTaken,
  get,
  canPayOut,
  newOrder,
  newPayout,
  newRefund,
  paidOrder,
  stored,
  notifiedOf,
  walletPurse,
} from '../../../support/rails/walletpay/payments';
import { openRefundStage, reported, type RefundStage } from './refund-stage';

const day = 86_400_000;
const uuid: unknown = expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
const ids: unknown = expect.stringMatching(/^[A-Z\d]{17}$/);

describe('POST /api/v1/walletpay/refund', () => {
  let on: RefundStage;
  let merchant: TestMerchant;
  beforeAll(async () => {
    on = await openRefundStage();
    merchant = await on.stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean({ ...on.stack, simulatorUrl: on.stack.simulatorUrl });
    await on.stack.stop();
  });

  describe('200', () => {
    it('refunds all of it without an amount; the merchant gets a webhook for the refund and one for its order', async () => {
      const [own, order] = await on.seller();
      const answer = await on.refund({ transaction_id: order.id }, own);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        transaction_id: uuid,
        deposit_transaction_id: order.id,
        order_id: order.orderId,
        type: 'refund',
        status: 'ACCEPTED',
        amount: '25.00',
        currency: 'USD',
        debited_amount: '25.00',
        debited_currency: 'USD',
        message: 'Refund accepted. A webhook reports the outcome',
      });
      const id = String(answer.body['transaction_id']);
      const names = { order_id: order.orderId, refund_id: ids, debited_currency: 'USD' };
      expect((await notifiedOf(own, id, 'Success')).body).toMatchObject({
        type: 'refund',
        ...names,
        deposit_transaction_id: order.id,
        amount: 25,
        currency: 'USD',
        debited_amount: 25,
        credited_amount: null,
        failure_code: null,
      });
      expect((await notifiedOf(own, order.id, 'Refunded')).body).toMatchObject({
        type: 'deposit',
        refund_id: ids,
        refund_amount: 25,
        refunded_total: 25,
        debited_amount: 25,
        credited_amount: 0,
        partially_refunded: false,
        correction: false,
      });
      await eventTaken(on.provider, id, 'PAYMENT.CAPTURE.REFUNDED');
      for (const each of [id, order.id]) await atRest(on.stack.db, each);
      expect(await on.statusesOf(id)).toEqual(['Success']);
      expect(await on.statusesOf(order.id)).toEqual(['Completed', 'Refunded']);
      expect(await creditsOf(on.stack.db, order.id)).toEqual([2_500n]);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 0n, reserved: 0n });
      expect(await on.statusOf(own, id)).toMatchObject({
        ...names,
        status: 'Success',
        is_final: true,
        amount: 25,
      });
      expect((await on.sentFor(order)).map(({ headers }) => headers['paypal-request-id'])).toEqual([
        `wp-refund-${id}`,
      ]);
    });

    it('accepts parts one after the other, then the whole rest, and then no more', async () => {
      const [own, order] = await on.seller();
      const parts = [
        await newRefund(on.stack, own, order, '10.00'),
        await newRefund(on.stack, own, order, '5.5'),
        await newRefund(on.stack, own, order),
      ];
      expect(reported(await on.refund({ transaction_id: order.id }, own))).toEqual([
        400,
        'REFUND_EXCEEDS_REMAINDER',
      ]);
      for (const id of parts) await notifiedOf(own, id, 'Success');
      const sent = await on.sentFor(order);
      expect(sent.map(({ body }) => body['invoice_id'])).toEqual(parts);
      expect(sent.map(({ body }) => (body['amount'] as Record<string, unknown>)['value'])).toEqual([
        '10.00',
        '5.50',
        '9.50',
      ]);
      await atRest(on.stack.db, order.id);
      expect(
        (await webhooksOf(on.stack.db, order.id)).map((each) => [
          each['status'],
          each['refund_amount'],
          each['refunded_total'],
          each['partially_refunded'],
        ]),
      ).toEqual([
        ['Completed', undefined, undefined, undefined],
        ['Refunded', 10, 10, true],
        ['Refunded', 5.5, 15.5, true],
        ['Refunded', 9.5, 25, false],
      ]);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 0n, reserved: 0n });
    });

    it('debits a wallet in another currency by exactly the credit, in parts', async () => {
      const own = await on.stack.createMerchant('KES', { walletCurrency: 'KES' });
      const order = await paidOrder(on.stack, own, on.provider, { amount: '1290.00', currency: 'KES' });
      const first = await on.refund({ transaction_id: order.id, amount: '3.33' }, own);
      expect(first.body).toMatchObject({ amount: '3.33', currency: 'USD', debited_amount: '430.87' });
      const rest = await on.refund({ transaction_id: order.id }, own);
      expect(rest.body).toMatchObject({ amount: '6.64', debited_amount: '859.13', debited_currency: 'KES' });
      for (const { body } of [first, rest]) await notifiedOf(own, String(body['transaction_id']), 'Success');
      await stored(on.stack, order.id, { refunded_minor: '997', refund_debited_minor: '129000' });
      expect(await walletPurse(on.stack, own, 'KES')).toEqual({ free: 0n, reserved: 0n });
      await atRest(on.stack.db, order.id);
      expect((await webhooksOf(on.stack.db, order.id)).at(-1)).toMatchObject({
        refund_amount: 6.64,
        debited_amount: 859.13,
        debited_total: 1290,
        credited_amount: 0,
      });
    });

    it('is the same refund for a repeat with its key', async () => {
      const [own, order] = await on.seller();
      const key = { 'Idempotency-Key': randomUUID() };
      const id = await newRefund(on.stack, own, order, '1.00', key);
      expect(await newRefund(on.stack, own, order, '1.00', key)).toBe(id);
      await notifiedOf(own, id, 'Success');
      await stored(on.stack, order.id, { refunded_minor: '100' });
    });

    it('of a disputed order uses its reserve; if the provider rejects it, the money is reserved again', async () => {
      const [own, order] = await on.seller();
      await on.provider.notify(`disputes/${order.captureId}`, { action: 'open' });
      await caseOpened(on.stack.db, order.id);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 0n, reserved: 2_500n });
      const part = await on.refusedLater(own, order, '5.00');
      expect((await notifiedOf(own, part, 'Failed')).body).toMatchObject({
        failure_code: 'TRANSACTION_DISPUTED',
      });
      const held = () =>
        on.stack.db('holds').where({ payment_id: order.id }).first('state', 'amount', 'wanted');
      expect(await held()).toEqual({ state: 'open', amount: '2500', wanted: '2500' });
      expect(await walletPurse(on.stack, own)).toEqual({ free: 0n, reserved: 2_500n });
      await notifiedOf(own, await newRefund(on.stack, own, order), 'Success');
      expect(await walletPurse(on.stack, own)).toEqual({ free: 0n, reserved: 0n });
      expect(await held()).toMatchObject({ state: 'released', wanted: '0' });
      expect(await openCasesOf(on.stack.db, order.id)).toEqual(['disputed']);
      expect(await on.statusesOf(part)).toEqual(['Failed']);
    });
  });

  describe('400', () => {
    it('rejects an invalid amount', async () => {
      const order = await paidOrder(on.stack, merchant, on.provider);
      for (const amount of ['0', '0.00', '-1', '1.234', 'abc', '1e1'])
        expect(reported(await on.refund({ transaction_id: order.id, amount }, merchant))).toEqual([
          400,
          'INVALID_AMOUNT',
        ]);
    });

    it('rejects more than the rest, and reports the rest', async () => {
      const order = await paidOrder(on.stack, merchant, on.provider);
      const answer = await on.refund({ transaction_id: order.id, amount: '25.01' }, merchant);
      expect(reported(answer)).toEqual([400, 'REFUND_EXCEEDS_REMAINDER']);
      expect(answer.body['message']).toBe('The amount exceeds what is left to refund: 25.00 USD');
    });

    it('rejects more than the wallet balance', async () => {
      const [own, order] = await on.seller();
      await on.spend(own, 1_000n);
      expect(reported(await on.refund({ transaction_id: order.id }, own))).toEqual([
        400,
        'BALANCE_INSUFFICIENT',
      ]);
      expect(await walletPurse(on.stack, own)).toEqual({ free: 1_500n, reserved: 0n });
    });
  });

  describe('404', () => {
    it("answers the same for another merchant's order as for an unknown one, and finds no payout and no refund", async () => {
      const [own, order] = await on.seller();
      await canPayOut(on.stack, own);
      const payout = await newPayout(on.stack, own);
      const given = await newRefund(on.stack, own, order, '1.00');
      const all: [unknown, TestMerchant][] = [
        [order.id, merchant],
        [randomUUID(), own],
        ['ü', own],
        [payout, own],
        [given, own],
      ];
      for (const [transaction_id, as] of all)
        expect(reported(await on.refund({ transaction_id }, as))).toEqual([404, 'PAYMENT_NOT_FOUND']);
      await notifiedOf(own, given, 'Success');
    });
  });

  describe('409', () => {
    it('rejects an unpaid order', async () => {
      const order = await newOrder(on.stack, merchant);
      expect(reported(await on.refund({ transaction_id: order.id }, merchant))).toEqual([
        409,
        'DEPOSIT_NOT_COMPLETED',
      ]);
    });

    it('rejects one that the provider has reversed', async () => {
      const [own, order] = await on.seller();
      // A check for another reason would report it as refunded.
      await eventTaken(on.provider, order.token, 'CHECKOUT.ORDER.APPROVED');
      await eventTaken(on.provider, order.token, 'PAYMENT.CAPTURE.COMPLETED');
      await atRest(on.stack.db, order.id);
      await on.provider.notify(`captures/${order.captureId}`, { action: 'reverse', amount: '5.00' });
      await stored(on.stack, order.id, { state: 'reversed' });
      expect(reported(await on.refund({ transaction_id: order.id }, own))).toEqual([
        409,
        'DEPOSIT_NOT_COMPLETED',
      ]);
    });

    it("rejects one above the provider's age limit", async () => {
      const [own, order] = await on.seller();
      const then = new Date(Date.now() - (181 * day) / 60);
      await on.stack.db('payments').where({ payment_id: order.id }).update({ accepted_at: then });
      expect(reported(await on.refund({ transaction_id: order.id }, own))).toEqual([409, 'REFUND_TOO_LATE']);
    });

    it('recognises a double click', async () => {
      const own = await on.stack.createMerchant('Guarded', { duplicateWindow: 40 * 60 });
      const order = await paidOrder(on.stack, own, on.provider);
      const click = () => on.refund({ transaction_id: order.id, amount: '1.00' }, own);
      const both = await Promise.all([click(), click()]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(both.map(({ body }) => body.code).filter(Boolean)).toEqual(['DUPLICATE_PAYMENT']);
      const id = both.find(({ status }) => status === 200)?.body['transaction_id'];
      await notifiedOf(own, String(id), 'Success');
    });
  });

  describe('GET /api/v1/walletpay/refund_status', () => {
    it('200: shows a refund by its own transaction_id', async () => {
      const [own, order] = await on.seller();
      const id = await newRefund(on.stack, own, order, '1.00');
      await notifiedOf(own, id, 'Success');
      expect(await on.statusOf(own, id)).toEqual({
        transaction_id: id,
        deposit_transaction_id: order.id,
        order_id: order.orderId,
        refund_id: ids,
        status: 'Success',
        is_final: true,
        next_step: expect.objectContaining({ code: 'refund_done' }),
        sequence: expect.any(Number) as number,
        amount: 1,
        currency: 'USD',
        debited_amount: 1,
        debited_currency: 'USD',
        failure_code: null,
        failure_message: null,
        correction: false,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
      for (const [transaction_id, as] of [
        [id, merchant],
        [order.id, own],
        ['ü', own],
      ] as const) {
        const answer = await get(on.stack, as, 'refund_status', { transaction_id });
        expect(reported(answer)).toEqual([404, 'PAYMENT_NOT_FOUND']);
      }
      expect(reported(await get(on.stack, own, 'refund_status', {}))).toEqual([400, 'VALIDATION_FAILED']);
    });
  });
});
