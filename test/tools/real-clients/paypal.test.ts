/** PayPal's own clients with the simulator's address. */
import checkout from '@paypal/checkout-server-sdk';
import payoutsSdk from '@paypal/payouts-sdk';
import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { credentials } from '../../support/simulator/credentials';
import { orderFields, payoutFields } from '../../support/simulator/walletpay-client';

let bench: TestBench;
beforeAll(async () => {
  bench = await startTestBench();
});
afterAll(() => bench.stop());

const { WALLETPAY_CLIENT_ID: id, WALLETPAY_CLIENT_SECRET: secret } = credentials;
const clientOf = (core: PayPalCore, clientId = id) => {
  const { origin } = bench.walletpay;
  return new core.PayPalHttpClient(new core.PayPalEnvironment(clientId, secret, origin, origin));
};

it('@paypal/checkout-server-sdk: an order is created, approved, captured and refunded', async () => {
  const { orders, payments } = checkout;
  const client = clientOf(checkout.core);
  const create = new orders.OrdersCreateRequest().prefer('return=representation').requestBody(orderFields());
  const made = await client.execute(create);
  const orderId = String(made.result['id']);
  expect(made.result).toMatchObject({ status: 'PAYER_ACTION_REQUIRED', intent: 'CAPTURE' });

  await bench.walletpay.decide(orderId, 'approve');
  expect((await client.execute(new orders.OrdersGetRequest(orderId))).result).toMatchObject({
    id: orderId,
    status: 'APPROVED',
  });
  const captured = await client.execute(new orders.OrdersCaptureRequest(orderId).requestBody({}));
  expect(captured.result).toMatchObject({ id: orderId, status: 'COMPLETED' });
  const [unit] = captured.result['purchase_units'] as { payments: { captures: { id: string }[] } }[];
  const captureId = unit?.payments.captures[0]?.id ?? '';
  expect((await client.execute(new payments.CapturesGetRequest(captureId))).result).toMatchObject({
    id: captureId,
    amount: { currency_code: 'USD', value: '12.50' },
  });

  const refund = new payments.CapturesRefundRequest(captureId).requestBody({
    amount: { currency_code: 'USD', value: '2.50' },
  });
  const refundId = String((await client.execute(refund)).result['id']);
  expect((await client.execute(new payments.RefundsGetRequest(refundId))).result).toMatchObject({
    id: refundId,
    status: 'COMPLETED',
  });
});

it('@paypal/payouts-sdk: a payout is sent, and found by its batch and by its item', async () => {
  const { payouts } = payoutsSdk;
  const client = clientOf(payoutsSdk.core);
  const sent = await client.execute(new payouts.PayoutsPostRequest().requestBody(payoutFields()));
  const { payout_batch_id: batchId } = sent.result['batch_header'] as { payout_batch_id: string };
  expect(sent).toMatchObject({ statusCode: 201, result: { batch_header: { batch_status: 'PENDING' } } });

  await bench.walletpay.advance(60_000);
  const batch = await clientOf(payoutsSdk.core).execute(new payouts.PayoutsGetRequest(batchId));
  expect(batch.result).toMatchObject({ batch_header: { batch_status: 'SUCCESS' } });
  const [item] = batch.result['items'] as { payout_item_id: string }[];
  const found = await client.execute(new payouts.PayoutsItemGetRequest(item?.payout_item_id));
  expect(found.result).toMatchObject({ payout_batch_id: batchId, transaction_status: 'SUCCESS' });
});

it("PayPal's errors become exceptions of the client: an unapproved order, and wrong credentials", async () => {
  const { orders } = checkout;
  const client = clientOf(checkout.core);
  const made = await client.execute(new orders.OrdersCreateRequest().requestBody(orderFields()));
  const capture = new orders.OrdersCaptureRequest(String(made.result['id'])).requestBody({});
  await expect(client.execute(capture)).rejects.toMatchObject({
    statusCode: 422,
    message: expect.stringContaining('ORDER_NOT_APPROVED') as unknown,
  });
  const wrongClient = clientOf(checkout.core, 'somebody-else');
  await expect(wrongClient.execute(new orders.OrdersGetRequest('1'))).rejects.toMatchObject({
    statusCode: 401,
  });
});
