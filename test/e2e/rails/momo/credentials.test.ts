import { expectClean } from '../../../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { callerOf, inBody, itKnowsItsCallers, told, withKeysInQuery, type Place } from '../credentials';
import { transferBody } from '../../../support/rails/momo/payment-story';

const anId = '5b1c9d0e-3f5a-4c41-9a57-2d1f0a6f7e11';

const everyEndpoint: Place[] = [
  { method: 'POST', path: '/api/v1/momo/deposit', body: transferBody() },
  { method: 'POST', path: '/api/v1/momo/payout', body: transferBody() },
  { method: 'POST', path: '/api/v1/momo/cancel_payout', body: { transaction_id: anId } },
  { method: 'POST', path: '/api/v1/momo/refund', body: { transaction_id: anId } },
  { method: 'GET', path: `/api/v1/momo/status?transaction_id=${anId}` },
  { method: 'GET', path: '/api/v1/momo/providers' },
];

/** The headers and nothing else say who calls: there is no second way in on this rail. */
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
  const required = [401, 'API credentials required', 'CREDENTIALS_REQUIRED'];
  itKnowsItsCallers(place, stage);

  it('401: without credentials, or with one of the two', async () => {
    expect(told(await send(undefined))).toEqual(required);
    expect(told(await send(undefined, {}, { 'X-Api-Key': merchant.apiKey }))).toEqual(required);
    expect(told(await send(undefined, {}, { 'X-Api-Secret': merchant.apiSecret }))).toEqual(required);
  });

  it('401: with the credentials in the body or in the query, or with a merchant_id', async () => {
    expect(told(await send(undefined, inBody(merchant)))).toEqual(required);
    expect(told(await send(undefined, { merchant_id: merchant.merchantId }))).toEqual(required);
    const half = { 'X-Api-Key': merchant.apiKey };
    expect(told(await send(undefined, { api_secret: merchant.apiSecret }, half))).toEqual(required);
    expect(told(await withKeysInQuery(place, stage()))).toEqual(required);
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
