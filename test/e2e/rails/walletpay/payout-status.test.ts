import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import {
  get,
  canPayOut,
  newOrder,
  payoutRequest,
  post,
  ratesStored,
  shownAs,
} from '../../../support/rails/walletpay/payments';

const path = '/api/v1/walletpay/payout_status';
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe(`GET ${path}`, () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    await canPayOut(stack, merchant, 1_000_000n);
    await canPayOut(stack, merchant, 1_000_000n, 'KES');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const ask = (query: Record<string, string>) => get(stack, merchant, 'payout_status', query);
  async function paidOut(changes: Record<string, unknown>) {
    const request = payoutRequest(changes);
    const { body } = await post(stack, merchant, 'create_payout', request);
    return { id: String(body.data?.payout_id), orderId: String(request['order_id']), data: body.data };
  }

  describe('200', () => {
    it('shows a payout that succeeded, with the sent amount and its rate', async () => {
      const { id, orderId, data } = await paidOut({ amount: 1295, currency: 'KES' });
      const shown = await shownAs(stack, merchant, 'payout_status', { payout_id: id }, { status: 'Success' });
      expect(shown).toEqual({
        payout_id: id,
        walletpay_batch_id: data?.walletpay_batch_id,
        order_id: orderId,
        status: 'Success',
        is_final: true,
        next_step: expect.objectContaining({ code: 'money_sent' }),
        amount: 1295,
        currency: 'KES',
        sent_amount: 10,
        sent_currency: 'USD',
        rate: expect.stringMatching(/^0\.0077220077/),
        recipient_email: 'ok@example.org',
        item_status: 'SUCCESS',
        failure_code: null,
        failure_message: null,
        correction: false,
        created_at: expect.stringMatching(isoUtc),
        updated_at: expect.stringMatching(isoUtc),
        sequence: expect.any(Number) as number,
      });
      expect((await ask({ order_id: orderId })).body.data).toEqual(shown);
    });

    it.each([
      ['failed', 'FAILED', 'RECEIVER_ACCOUNT_LOCKED'],
      ['blocked', 'BLOCKED', 'REGULATORY_BLOCKED'],
      ['denied', 'DENIED', 'RISK_DECLINE'],
    ])('shows why a payout failed that was %s', async (name, itemStatus, reason) => {
      const { id } = await paidOut({ recipient_email: `${name}@example.org` });
      const shown = await shownAs(stack, merchant, 'payout_status', { payout_id: id }, { status: 'Failed' });
      expect(shown).toMatchObject({ is_final: true, item_status: itemStatus, failure_code: reason });
      expect(shown['failure_message']).toEqual(expect.any(String));
    });

    it.each([
      ['unclaimed', 'UNCLAIMED', 'RECEIVER_UNREGISTERED'],
      ['held', 'ONHOLD', null],
    ])("shows Pending for one that is %s, with the provider's status", async (name, itemStatus, code) => {
      const { id } = await paidOut({ recipient_email: `${name}@example.org` });
      const query = { payout_id: id };
      const shown = await shownAs(stack, merchant, 'payout_status', query, { item_status: itemStatus });
      expect(shown).toMatchObject({ status: 'Pending', is_final: false, failure_code: code });
    });
  });

  describe('404', () => {
    it('answers the same for unknown ids, another merchant’s, and an order’s', async () => {
      const other = await stack.createMerchant();
      await canPayOut(stack, other);
      const theirs = await post(stack, other, 'create_payout', payoutRequest());
      const order = await newOrder(stack, merchant);
      for (const query of [
        { payout_id: String(theirs.body.data?.payout_id) },
        { payout_id: order.id },
        { order_id: order.orderId },
        { payout_id: '5b1c9d0e-3f5a-4c41-9a57-2d1f0a6f7e11' },
        { payout_id: 'é' },
        { order_id: 'unknown' },
      ]) {
        expect(reported(await ask(query))).toEqual([404, 'PAYMENT_NOT_FOUND']);
      }
    });
  });

  describe('400', () => {
    it.each([{}, { payout_id: '' }, { transaction_id: 'x' }, { payout_id: 'p'.repeat(37) }])(
      'rejects the query %#',
      async (query) => {
        expect(reported(await ask(query as Record<string, string>))).toEqual([400, 'VALIDATION_FAILED']);
      },
    );

    it('names the parameters of which one is required', async () => {
      expect((await ask({})).body.message).toBe('payout_id or order_id is required');
    });
  });
});
