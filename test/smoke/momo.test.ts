import { transfer } from '../../src/ledger/transfers';
import { call } from '../support/merchant-client';
import { expectClean } from '../support/expect-clean';
import { startStack, type Stack, type TestMerchant } from '../support/stack';

describe('mobile money from request to callback', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const transferBody = (changes: Record<string, unknown> = {}) => ({
    amount: '25.50',
    currency: 'ZMW',
    phone_number: '+260763000789',
    country: 'ZMB',
    account_reference: 'INV-1',
    customer_message: 'Invoice 1',
    ...changes,
  });

  it('collects a deposit, refunds a part of it, and pays out of a float', async () => {
    const deposit = await call(stack, merchant, 'POST', '/api/v1/momo/deposit', transferBody());
    expect(deposit.body).toMatchObject({
      success: true,
      status: 'ACCEPTED',
      provider: 'MTN_MOMO_ZMB',
      amount: '25.50',
    });
    const depositId = String(deposit.body['transaction_id']);
    const told = await merchant.receiver.next(({ body }) => body['transaction_id'] === depositId);
    expect(told.body).toMatchObject({ type: 'deposit', status: 'Success', amount: '25.50' });

    const refund = await call(stack, merchant, 'POST', '/api/v1/momo/refund', {
      transaction_id: depositId,
      amount: '5.00',
    });
    expect(refund.body).toMatchObject({
      success: true,
      status: 'ACCEPTED',
      deposit_transaction_id: depositId,
    });
    const refunded = await merchant.receiver.next(
      ({ body }) => body['transaction_id'] === refund.body['transaction_id'],
    );
    expect(refunded.body).toMatchObject({ type: 'refund', status: 'Success', amount: '5.00' });

    const short = await call(stack, merchant, 'POST', '/api/v1/momo/payout', transferBody());
    expect(short.body).toMatchObject({ success: false, code: 'FLOAT_INSUFFICIENT' });
    await transfer(stack.db, {
      from: { class: 'bank', currency: 'ZMW' },
      to: { class: 'float', merchantId: merchant.merchantId, rail: 'momo', country: 'ZMB', currency: 'ZMW' },
      amountMinor: 100_000n,
      reason: 'test',
      whenShort: 'FLOAT_INSUFFICIENT',
    });
    const payout = await call(stack, merchant, 'POST', '/api/v1/momo/payout', transferBody());
    expect(payout.body).toMatchObject({ success: true, status: 'ACCEPTED', cancellable: false });
    const paid = await merchant.receiver.next(
      ({ body }) => body['transaction_id'] === payout.body['transaction_id'],
    );
    expect(paid.body).toMatchObject({ type: 'payout', status: 'Success', amount: '25.50' });
  });
});
