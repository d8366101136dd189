/**
 * One request on each rail, with valid and invalid keys, through a whole deployment. test/unit/api/credentials.test.ts
 * tests each endpoint, and test/integration/merchants/authenticate.test.ts the check of a key.
 */
import { setMerchant } from '../../../src/merchants/merchants';
import { rotateKey } from '../../../src/merchants/own-keys';
import { acceptances, outfit, type CreationRequest } from '../../support/creation-requests';
import { expectClean } from '../../support/expect-clean';
import { call } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

const environment = 'sandbox';
const [listed, notListed] = ['203.0.113.7', '203.0.113.8'];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ timeScale: 20, env: { MALIPO_TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(async () => {
  await expectClean(stack);
  await stack.stop();
});

const oneOfEachRail = [
  'an STK push',
  'a cross-border push',
  'a momo deposit',
  'a wallet order',
  'a hosted order',
];

describe.each(oneOfEachRail)('%s', (what) => {
  const submissionResult = acceptances[what] as CreationRequest;
  let merchant: TestMerchant;
  let other: TestMerchant;
  beforeAll(async () => {
    [merchant, other] = await Promise.all([stack.createMerchant(), stack.createMerchant()]);
    await outfit(stack, merchant);
  });

  let asked = 0;
  const send = async (keys: Pick<TestMerchant, 'apiKey' | 'apiSecret'>, address = listed) => {
    asked += 1;
    const name = `K-${String(process.pid)}-${what.replaceAll(' ', '')}-${String(asked)}`;
    const body = await submissionResult.request(stack, merchant, name);
    const answer = await call(stack, keys, 'POST', submissionResult.path, body, {
      'X-Forwarded-For': address,
    });
    return {
      answer: [answer.status, answer.body.code],
      living: await submissionResult.living(stack.db, body),
    };
  };
  const nothing = { living: [] };

  it("is accepted with the merchant's keys from an allowed address, and from no other", async () => {
    await setMerchant(stack.db, merchant.merchantId, { ipAllow: [listed] }, { environment });
    expect(await send(merchant)).toEqual({ answer: [200, undefined], living: [expect.any(String)] });
    expect(await send(merchant, notListed)).toEqual({ answer: [403, 'IP_NOT_ALLOWED'], ...nothing });
  });

  it('is rejected with another secret, a key of the other environment, or a rotated one', async () => {
    const wrong = { answer: [401, 'INVALID_CREDENTIALS'], ...nothing };
    expect(await send({ ...merchant, apiSecret: other.apiSecret })).toEqual(wrong);
    const live = { ...merchant, apiKey: merchant.apiKey.replace('pk_test_', 'pk_live_') };
    expect(await send(live)).toEqual({ answer: [401, 'KEY_OF_OTHER_ENVIRONMENT'], ...nothing });
    for (let n = 0; n < 2; n += 1) await rotateKey(stack.db, other.merchantId, { environment });
    expect(await send(other)).toEqual(wrong);
  });

  it('is rejected for a suspended merchant', async () => {
    await setMerchant(stack.db, merchant.merchantId, { status: 'suspended' }, { environment });
    expect(await send(merchant)).toEqual({ answer: [403, 'ACCOUNT_SUSPENDED'], ...nothing });
  });
});
