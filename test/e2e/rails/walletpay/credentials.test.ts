import { expectClean } from '../../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import {
  callerOf,
  inBody,
  itKnowsItsCallers,
  told,
  withKeysInQuery,
  wrong,
  type Place,
} from '../credentials';
import { orderRequest, payoutRequest } from '../../../support/rails/walletpay/payment-story';

const everyEndpoint: Place[] = [
  { method: 'POST', path: '/api/v1/walletpay/create_order', body: orderRequest() },
  { method: 'GET', path: '/api/v1/walletpay/capture?token=T&order_id=O' },
  { method: 'GET', path: '/api/v1/walletpay/order_status?order_id=O' },
  { method: 'POST', path: '/api/v1/walletpay/refund', body: { transaction_id: 'T' } },
  { method: 'GET', path: '/api/v1/walletpay/refund_status?transaction_id=T' },
  { method: 'POST', path: '/api/v1/walletpay/create_payout', body: payoutRequest() },
  { method: 'GET', path: '/api/v1/walletpay/payout_status?order_id=O' },
];

/** Who calls: as on the other rails, save that missing credentials are a fault of the request here. */
describe.each(everyEndpoint)('$method $path', (place) => {
  let stack: Stack;
  let merchant: TestMerchant;
  let other: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack();
    [merchant, other] = await Promise.all([stack.createMerchant(), stack.createMerchant()]);
  });

  const stage = () => ({ stack, merchant, other });
  const send = callerOf(place, stage);
  const missing = [400, 'API credentials required', 'CREDENTIALS_MISSING'];
  itKnowsItsCallers(place, stage);

  it('400: without credentials, or with one of the two', async () => {
    expect(told(await send(undefined))).toEqual(missing);
    expect(told(await send(undefined, {}, { 'X-Api-Key': merchant.apiKey }))).toEqual(missing);
    expect(told(await send(undefined, {}, { 'X-Api-Secret': merchant.apiSecret }))).toEqual(missing);
  });

  it('400: with the credentials in the query, or with a merchant_id', async () => {
    expect(told(await send(undefined, { merchant_id: merchant.merchantId }))).toEqual(missing);
    expect(told(await withKeysInQuery(place, stage()))).toEqual(missing);
  });

  it('401: with credentials that are no texts, or that differ between headers and body', async () => {
    expect(told(await send({ apiKey: 'x', apiSecret: 'y' }))).toEqual(wrong);
    if (place.method === 'GET') return;
    expect(told(await send(undefined, { api_key: 0, api_secret: true }))).toEqual(wrong);
    expect(told(await send(merchant, inBody(other)))).toEqual(wrong);
  });
});

let running: Promise<Stack> | undefined;
function sharedStack(): Promise<Stack> {
  return (running ??= startStack({ timeScale: 20 }));
}
afterAll(async () => {
  const stack = await sharedStack();
  await expectClean({ db: stack.db, env: stack.env });
  await stack.stop();
});
