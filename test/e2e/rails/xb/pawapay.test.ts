import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { expectClean } from '../../../support/expect-clean';
import { call } from '../../../support/merchant-client';
import { atRest, creditsOf, ended, inboxOf, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { fund, transferBody } from '../../../support/rails/momo/payments';
import { accepted, paymentOf, push, notifiedOf, type WebhookBody } from '../../../support/rails/xb/payments';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a cross-border push through the mobile money account', () => {
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ env: { XB_PROVIDER_UGX: 'pawapay', XB_PROVIDER_TZS: 'pawapay' } });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'momo');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const begin = (phone_number: string, currency = 'UGX') =>
    accepted(stack, merchant, { phone_number, currency });
  async function settled({ payment_id: id }: PaymentRow): Promise<PaymentRow> {
    const payment = await ended(stack.db, id, undefined, 60_000);
    await atRest(stack.db, id, 60_000);
    return payment;
  }
  async function submissionsOf({ payment_id: id }: PaymentRow) {
    return (await provider.exchanges('initiate')).filter(({ body }) => body['depositId'] === id);
  }

  it.each([
    ['UGX', '256770000789', 'MTN_MOMO_UGA', 20_000n],
    ['UGX', '256700000789', 'AIRTEL_OAPI_UGA', 20_000n],
    ['TZS', '255744000789', 'VODACOM_TZA', 2_000_000n],
  ])('in %s, of %s, goes to %s', async (currency, phone_number, network, credited) => {
    const answer = await push(stack, merchant, { phone_number, currency });
    expect(answer).toMatchObject({ status: 200, body: { success: true, data: { state: 'PENDING' } } });
    const payment = await settled(await paymentOf(stack.db, answer));
    expect(payment).toMatchObject({ state: 'succeeded', provider: 'pawapay' });
    expect(payment.payment_id).toMatch(uuidV4);
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([credited]);
    expect((await submissionsOf(payment)).map(({ body }) => body)).toMatchObject([
      {
        currency,
        amount: '20000',
        payer: { accountDetails: { phoneNumber: phone_number, provider: network } },
      },
    ]);
    const networksId = payment.details['provider_transaction_id'] ?? '';
    const last = (await webhooksOf<WebhookBody>(stack.db, payment.payment_id)).at(-1);
    expect(last).toMatchObject({
      id: payment.payment_id,
      invoice: {
        ...{ state: 'COMPLETE', value: '20000', currency, mm_reference: networksId },
        ...{ invoice_id: answer.body.data?.invoice_id, api_ref: answer.body.data?.api_ref },
      },
    });
    // The networks' ids may be equal, so none is used as a receipt, which must be unique.
    expect([networksId === '', payment.provider_receipt]).toEqual([false, null]);
  });

  it("is notified at the account's one address for deposits, and proven by the signature", async () => {
    const payment = await settled(await begin('256770001789'));
    expect(await inboxOf(stack.db, payment.payment_id)).toMatchObject([{ rail: 'momo', follow_at: null }]);
  });

  it.each([
    ['256770000039', 'CANCELLED'],
    ['256770000029', 'FAILED_VALIDATE'],
    ['256770000049', 'FAILED'],
  ])('of %s is %s in the words of this rail', async (phone_number, state) => {
    const payment = await settled(await begin(phone_number));
    expect((await notifiedOf(stack.db, payment.payment_id)).at(-1)).toBe(state);
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);
  });

  it('is found by the invoice_id in its answer', async () => {
    const answer = await push(stack, merchant, { phone_number: '256770002789', api_ref: null });
    const invoice_id = String(answer.body.data?.invoice_id);
    const path = `/api/v1/xb/stk_push/status?invoice_id=${invoice_id}`;
    const found = await call(stack, merchant, 'GET', path);
    expect(found).toMatchObject({ status: 200, body: { data: { invoice: { invoice_id } } } });
    const other = await stack.createMerchant();
    expect((await call(stack, other, 'GET', path)).status).toBe(404);
  });

  it('with a number of no network is rejected for its number, and nothing is started', async () => {
    const answer = await push(stack, merchant, { phone_number: '256110000789' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_PHONE_NUMBER' } });
    expect(answer.body.details?.map(({ field }) => field)).toEqual(['phone_number']);
    expect(await stack.db('payments').where({ phone_number: '256110000789' })).toEqual([]);
  });

  it("is not ended by a notification in this provider's format with the other provider's secret", async () => {
    const payment = await begin('256770006129');
    await fund(stack, merchant, 10_000n);
    const payout = await call(stack, merchant, 'POST', '/api/v1/momo/payout', {
      ...transferBody({ phone_number: '+260763006129' }),
    });
    const payoutId = String(payout.body['transaction_id']);
    const words = (id: string, status: string) => ({
      ...{ depositId: id, payoutId: id, status, amount: '20000', currency: 'UGX' },
      failureReason: { failureCode: 'RECIPIENT_NOT_FOUND' },
    });
    const forged = [
      {
        api_ref: payment.callback_token,
        invoice_id: payment.payment_id,
        ...words(payment.payment_id, 'COMPLETED'),
      },
      { api_ref: 'none', invoice_id: 'NONE-1', ...words(payoutId, 'FAILED') },
      { api_ref: 'none', invoice_id: 'NONE-2', ...words(payment.payment_id, 'COMPLETED') },
    ];
    for (const body of forged) {
      const response = await fetch(`${stack.apiUrl}/in/xb`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ challenge: stack.env.XB_CHALLENGE, state: 'COMPLETE', ...body }),
      });
      expect(response.status).toBe(200);
    }
    const kept = () => stack.db('inbox').where({ rail: 'xb' });
    await waitFor(
      async () => ((await kept()).every(({ processed_at: at }) => at !== null) ? true : undefined),
      {
        what: 'the sweeper to have looked for whom they are about',
        timeoutMs: 30_000,
      },
    );
    expect(await kept()).toHaveLength(forged.length);
    expect(JSON.stringify(await kept())).not.toMatch(/depositId|payoutId/);
    expect((await kept()).map(({ payment_id: id }) => id)).toEqual(forged.map(() => null));
    for (const id of [payment.payment_id, payoutId]) {
      expect(await getPaymentOrThrow(stack.db, id)).toMatchObject({ is_final: 0, confirmed_minor: null });
    }
    expect(await creditsOf(stack.db, payment.payment_id)).toEqual([]);
  });

  it('keeps its provider after a change of the setting, and new ones use the other', async () => {
    const payment = await begin('256770005129');
    const questions = async () =>
      (await provider.exchanges('status')).filter(({ url }) => url.includes(payment.payment_id)).length;
    stack.env.XB_PROVIDER_UGX = 'intasend';
    for (const name of ['api', 'worker'] as const) {
      await stack.kill(name);
      await stack.start(name);
    }
    const before = await questions();
    await waitFor(async () => (await questions()) > before, {
      what: 'the provider that it began with to be asked',
      timeoutMs: 60_000,
    });
    const later = await settled(await begin('256770006789'));
    expect(later).toMatchObject({ state: 'succeeded', provider: 'intasend' });
  });
});
