/** Unauthenticated callers of one kind delay neither those of another kind nor merchants with keys. */
import { randomBytes } from 'node:crypto';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { inTransaction } from '../../../src/store/transaction';
import { accepted, callbackBody, notify, push } from '../../support/rails/stk/payments';
import { call } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

describe('beside anonymous orders that all hang in the database', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let release: () => void;
  let orders: Promise<unknown>;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
  });
  afterAll(() => stack.stop());

  const order = () =>
    call(stack, undefined, 'POST', '/api/v2/initiate.php', {
      merchant_id: merchant.merchantId,
      order_id: randomBytes(6).toString('hex'),
      amount: '10.00',
      currency: 'KES',
      description: 'flood',
      phone_number: '254700000000',
      email_address: 'nobody@example.com',
      first_name: 'No',
      last_name: 'Body',
    });
  /** Each of them uses the same rate limit row. */
  const waiting = async () => {
    const [rows] = (await stack.db.raw(
      "SELECT 1 FROM information_schema.processlist WHERE info LIKE '%UPDATE rate_limit_buckets%' AND id <> CONNECTION_ID()",
    )) as [unknown[]];
    return rows.length;
  };

  beforeEach(async () => {
    expect((await order()).status).toBe(200);
    const released = new Promise<void>((resolve) => (release = resolve));
    await new Promise<void>((locked, failed) => {
      inTransaction(stack.db, async (trx) => {
        await trx('rate_limit_buckets')
          .where({ bucket: `named:${merchant.merchantId}` })
          .forUpdate();
        locked();
        await released;
      }).catch(failed);
    });
    orders = Promise.all(Array.from({ length: 30 }, order));
    await waitFor(async () => (await waiting()) >= 2 || undefined, {
      what: 'orders that wait for each other',
      timeoutMs: 20_000,
    });
  });
  afterEach(async () => {
    release();
    await orders;
  });

  it('a call with keys is accepted, a wrong key is rejected, and a new provider address is answered', async () => {
    const payment = await accepted(stack, merchant, { phone_number: '254760000600' });
    const wrong = { ...merchant, apiSecret: 'sk_test_wrong' };
    expect((await push(stack, wrong)).status).toBe(401);
    expect(await notify(stack, payment, callbackBody(payment))).toMatchObject({ status: 200 });
  });
});
