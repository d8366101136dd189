import { expectClean } from '../../../support/expect-clean';
import { ended } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { accepted, cardAccepted, customer, post, statusPath } from '../../../support/rails/cardproc/payments';

const dayMs = 86_400_000;

describe('POST /api/cardproc/transaction_status.php', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'cardproc');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean(stack);
    await stack.stop();
  });

  const paymentRow = ({ payment_id }: PaymentRow) => getPaymentOrThrow(stack.db, payment_id);
  const ask = (order_tracking_id: unknown) => post(stack, statusPath, { order_tracking_id });
  const statusOf = async ({ provider_reference }: PaymentRow) => {
    const { body } = await ask(provider_reference);
    return [body.status, body.status_code];
  };

  describe('200', () => {
    it('shows an unpaid order as INVALID, since it has no status of its own', async () => {
      const order = await cardAccepted(stack, merchant, { merchant_ref: 'INV-1' });
      const answer = await ask(order.provider_reference);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          success: true,
          order_tracking_id: order.provider_reference,
          merchant_reference: 'INV-1',
          status: 'INVALID',
          status_code: 0,
          is_final: false,
          message: 'No payment is booked yet; query the status again later',
          next_step: expect.objectContaining({ code: 'open_page' }),
          sequence: expect.any(Number),
          amount: 1500,
          currency: 'KES',
          payment_method: '',
          confirmation_code: '',
        },
      ]);
    });

    it('shows the amount, the method and the confirmation code, and nothing about the customer', async () => {
      const order = await cardAccepted(stack, merchant, {
        amount: '99.90',
        billing_address: {
          phone_number: '254700000001',
          email_address: 'ana@example.org',
          first_name: 'Ana',
        },
      });
      await customer(provider, order, 'pay_mobile');
      await ended(stack.db, order.payment_id);
      const { body } = await ask(order.provider_reference);
      expect(body).toEqual({
        success: true,
        order_tracking_id: order.provider_reference,
        merchant_reference: order.order_id,
        status: 'COMPLETED',
        status_code: 1,
        is_final: true,
        message: 'The payment is completed',
        next_step: expect.objectContaining({ code: 'paid' }),
        sequence: expect.any(Number),
        amount: 99.9,
        currency: 'KES',
        payment_method: 'MpesaKE',
        confirmation_code: expect.stringMatching(/^[A-Z0-9]{10}$/),
      });
    });

    it('shows a failure, then the later payment, then its reversal', async () => {
      const order = await cardAccepted(stack, merchant);
      await customer(provider, order, 'fail');
      await ended(stack.db, order.payment_id, ['failed']);
      expect(await statusOf(order)).toEqual(['FAILED', 2]);
      await customer(provider, order, 'pay_card');
      await ended(stack.db, order.payment_id, ['succeeded']);
      expect(await statusOf(order)).toEqual(['COMPLETED', 1]);
      await customer(provider, order, 'reverse');
      await ended(stack.db, order.payment_id, ['reversed']);
      expect(await statusOf(order)).toEqual(['REVERSED', 3]);
    });

    it('shows an order that was not paid within 24 hours as INVALID', async () => {
      const order = await cardAccepted(stack, merchant);
      await engine.advance(order, dayMs);
      await ended(stack.db, order.payment_id, ['timed_out']);
      expect(await statusOf(order)).toEqual(['INVALID', 0]);
      const { body } = await ask(order.provider_reference);
      expect([body['is_final'], body.message]).toEqual([
        false,
        'No payment is known after a day; a payment that still arrives is reported as COMPLETED',
      ]);
      // Three days after the order, polling has ended.
      await stack
        .db('payments')
        .where({ payment_id: order.payment_id })
        .update({ clock_ahead_ms: String(3 * dayMs + 1_000) });
      const over = await ask(order.provider_reference);
      expect(over.body).toMatchObject({
        status: 'INVALID',
        status_code: 0,
        is_final: true,
        message: 'No payment is known; the order is closed',
      });
    });

    it('queries the processor while the order is open, so that one poll after the payment shows it', async () => {
      const order = await cardAccepted(stack, merchant, { amount: 100.06 });
      await customer(provider, order, 'pay_card');
      expect(await statusOf(order)).toEqual(['COMPLETED', 1]);
    });

    it('queries once in ten seconds, whichever process is polled, however often', async () => {
      const { DATABASE_URL: url = '', MALIPO_SECRET_KEYS = '', MALIPO_TASK_QUEUE = '' } = stack.env;
      const second = await startStack({
        without: ['worker', 'simulator'],
        timeScale: 1,
        database: { url, db: stack.db, drop: () => Promise.resolve() },
        env: { MALIPO_SECRET_KEYS, MALIPO_TASK_QUEUE },
      });
      const order = await cardAccepted(stack, merchant, { amount: 100.06 });
      const checkedAt = async () => (await paymentRow(order)).asked_at;
      const body = { order_tracking_id: order.provider_reference };
      await Promise.all(
        Array.from({ length: 12 }, (_, n) => post(n % 2 === 0 ? stack : second, statusPath, body)),
      );
      const first = await checkedAt();
      expect(first).not.toBeNull();
      // A poll within ten seconds gets the stored status; the next one afterwards triggers a query.
      const ago = (ms: number) =>
        stack.db.raw<Date>('UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND', [ms * 1_000]);
      const set = (ms: number) =>
        stack
          .db('payments')
          .where({ payment_id: order.payment_id })
          .update({ asked_at: ago(ms) });
      await set(1_000);
      const recent = await checkedAt();
      await post(second, statusPath, body);
      expect(await checkedAt()).toEqual(recent);
      await set(10_001);
      const old = await checkedAt();
      await post(second, statusPath, body);
      expect(await checkedAt()).not.toEqual(old);
      await second.stop();
    });

    it('shows orders of the wrapper as well', async () => {
      const order = await accepted(stack, merchant, { order_id: 'W-1' });
      expect((await ask(order.provider_reference)).body).toMatchObject({ merchant_reference: 'W-1' });
    });
  });

  it.each([undefined, '', 7, null, 'x'.repeat(121)])('400: the order_tracking_id %j', async (id) => {
    const answer = await ask(id);
    expect([answer.status, answer.body.success, answer.body.code]).toEqual([400, false, 'VALIDATION_FAILED']);
  });

  it('404: an unknown order has the same answer in any format', async () => {
    const order = await cardAccepted(stack, merchant);
    const ids = [
      '00000000-0000-4000-8000-000000000000',
      order.payment_id,
      order.order_id,
      order.callback_token,
      order.provider_reference?.toUpperCase(),
      '%',
      'ñ',
    ];
    for (const id of ids) {
      const answer = await ask(id);
      expect([id, answer.status, answer.body.success, answer.body.code]).toEqual([
        id,
        404,
        false,
        'PAYMENT_NOT_FOUND',
      ]);
    }
  });

  it('405: GET, so that no tracking id gets into a log', async () => {
    expect((await fetch(`${stack.apiUrl}${statusPath}`)).status).toBe(405);
  });
});
