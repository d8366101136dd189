import { v7 as uuid } from 'uuid';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { call, type ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { accepted, atRest, ended, webhooksOf } from '../../../support/rails/stk/payments';

describe('GET /api/v1/stk_push/status', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let other: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    [merchant, other] = await Promise.all([stack.createMerchant(), stack.createMerchant()]);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const path = '/api/v1/stk_push/status';
  const ask = (paymentId: string, as: TestMerchant | undefined = merchant): Promise<ApiAnswer> =>
    call(stack, as, 'GET', `${path}?payment_id=${encodeURIComponent(paymentId)}`);
  async function pay(phone_number: string, changes: Record<string, unknown> = {}): Promise<PaymentRow> {
    const { payment_id: paymentId } = await accepted(stack, merchant, { phone_number, ...changes });
    const payment = await ended(stack.db, paymentId);
    await atRest(stack.db, paymentId);
    return payment;
  }

  describe('200', () => {
    it('shows an open payment: nothing is decided and nothing is paid', async () => {
      const payment = await accepted(stack, merchant, {
        phone_number: '254700000703',
        amount: '99.50',
        account_reference: 'OPEN-1',
        order_id: 'ORDER-1',
        metadata: { cart: 7 },
      });
      const answer = await ask(payment.payment_id);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: true,
        data: {
          payment_id: payment.payment_id,
          merchant_request_id: payment.details.merchant_request_id,
          checkout_request_id: payment.provider_reference,
          status: 'Pending',
          result_code: '',
          result_description: '',
          initial_amount: 99.5,
          asked_amount: 99,
          actual_amount: 0,
          mm_receipt_number: '',
          transaction_date: '',
          phone_number: '254700000703',
          payer_phone: '',
          payer_name: '',
          account_reference: 'OPEN-1',
          order_id: 'ORDER-1',
          is_final: false,
          next_step: expect.objectContaining({ code: 'enter_pin' }),
          sequence: expect.any(Number),
          correction: false,
          metadata: { cart: 7 },
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          updated_at: expect.stringMatching(/Z$/),
        },
      });
    });

    it.each([
      ['Success', '254708374149', '0', 1250],
      ['Failed', '254711223344', '1', 0],
      ['Cancelled', '254722334455', '1032', 0],
      ['Timeout', '254733445566', '1037', 0],
    ])('shows a payment that ended as %s', async (status, phone, result_code, actual_amount) => {
      const payment = await pay(phone);
      const { body } = await ask(payment.payment_id);
      expect(body.data).toMatchObject({
        status,
        result_code,
        initial_amount: 1250,
        actual_amount,
        is_final: true,
      });
    });

    it('has the same content as the webhook', async () => {
      const payment = await pay('254708374149', { amount: '10.50', order_id: 'ORDER-2' });
      const { body } = await ask(payment.payment_id);
      const [webhook] = await webhooksOf(stack.db, payment.payment_id);
      // A status has neither a sending time nor a kind of webhook.
      const isOfWebhook = /^(?:timestamp|timestamp_utc|event_type|callback_type)$/;
      const reported = Object.fromEntries(
        Object.entries(webhook ?? {}).filter(([name]) => !isOfWebhook.test(name)),
      );
      expect(body.data).toMatchObject(reported);
      expect(reported).toMatchObject({
        initial_amount: 10.5,
        asked_amount: 10,
        actual_amount: 10,
        order_id: 'ORDER-2',
      });
    });

    it('changes nothing, however often it is called', async () => {
      const payment = await pay('254708374149');
      const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => ask(payment.payment_id)));
      for (const answer of others) expect(answer.body).toEqual(first?.body);
    });
  });

  describe('400', () => {
    it.each([
      ['without payment_id', path],
      ['with an empty one', `${path}?payment_id=`],
      ['with one that is too long', `${path}?payment_id=${'a'.repeat(37)}`],
    ])('%s', async (_what, url) => {
      const answer = await call(stack, merchant, 'GET', url);
      expect([answer.status, answer.body.details?.[0]?.field]).toEqual([400, 'payment_id']);
    });

    it('with a repeated payment_id, even the same', async () => {
      const id = uuid();
      const answer = await call(stack, merchant, 'GET', `${path}?payment_id=${id}&payment_id=${id}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_QUERY']);
    });
  });

  describe('401', () => {
    it('without credentials, or with them in the query', async () => {
      const { apiKey, apiSecret } = merchant;
      const inQuery = `${path}?payment_id=${uuid()}&api_key=${apiKey}&api_secret=${apiSecret}`;
      for (const url of [`${path}?payment_id=${uuid()}`, inQuery]) {
        expect((await call(stack, undefined, 'GET', url)).body.error).toBe('API credentials required');
      }
    });
  });

  describe('404', () => {
    const withoutIds = ({ body }: ApiAnswer) => ({
      ...body,
      request_id: '',
      timestamp: '',
      timestamp_utc: '',
    });

    it("answers exactly the same for another merchant's payment as for an unknown one", async () => {
      const { payment_id: paymentId } = await accepted(stack, merchant);
      const [theirs, none] = [await ask(paymentId, other), await ask(uuid(), other)];
      expect([theirs.status, none.status]).toEqual([404, 404]);
      expect(withoutIds(theirs)).toEqual(withoutIds(none));
      expect(theirs.body).toMatchObject({
        success: false,
        error: 'Payment not found',
        code: 'PAYMENT_NOT_FOUND',
      });
      expect([...theirs.headers.keys()]).toEqual([...none.headers.keys()]);
    });

    it.each([
      '1',
      'null',
      'ñandú',
      '支払い',
      '💸',
      "' OR '1'='1",
      '../../etc/passwd',
      '%',
      ' ',
      '0'.repeat(36),
    ])('answers the same to %j, which is not an id', async (id) => {
      const answer = await ask(id);
      if (id.trim() === '') expect(answer.status).toBe(400);
      else expect(withoutIds(answer)).toEqual(withoutIds(await ask(uuid())));
    });

    it('does not find a payment by another of its ids', async () => {
      const payment = await accepted(stack, merchant);
      for (const id of [payment.provider_reference, payment.callback_token, payment.account_reference]) {
        expect((await ask(id ?? '')).status).toBe(404);
      }
    });
  });

  it('405: rejects POST, which other endpoints of the specification use', async () => {
    const answer = await call(stack, merchant, 'POST', path, {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });
});
