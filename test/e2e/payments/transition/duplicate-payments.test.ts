/** A customer who pays twice, over the real rails: the merchant's webhooks, and the outcome. */
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import {
  accepted as wrapperAccepted,
  cardAccepted,
  customer,
  post as postOrder,
  statusPath,
} from '../../../support/rails/cardproc/payments';
import {
  accepted as momoAccepted,
  places,
  post,
  notifiedOf,
  transferBody,
} from '../../../support/rails/momo/payments';
import { simulatorControl } from '../../../support/rails/simulator-control';
import { accepted as pushAccepted } from '../../../support/rails/stk/payments';
import { expectClean } from '../../../support/expect-clean';
import { call } from '../../../support/merchant-client';
import { atRest, ended, openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';

const patienceMs = 90_000;
/** The customer does not answer, so the prompt ends; then the payment arrives after all. */
const late = '254700009600';
const pays = '254708374149';

describe('a customer who pays twice', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    merchant = await stack.createMerchant('Corner Shop', { duplicateAlert: 'on' });
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const settled = async (id: string) => {
    await ended(stack.db, id, ['succeeded'], patienceMs);
    await atRest(stack.db, id, patienceMs);
  };
  const pushed = async (reference: string, phone_number = pays) =>
    (await pushAccepted(stack, merchant, { account_reference: reference, phone_number })).payment_id;
  const reported = async (id: string) => (await webhooksOf(stack.db, id)).at(-1);

  it('with a second prompt after a timeout is reported with the late success, also in its status', async () => {
    const slow = await pushed('ORDER-1', late);
    const { provider_reference: prompt } = await ended(stack.db, slow, ['timed_out'], patienceMs);
    await atRest(stack.db, slow, patienceMs);
    const second = await pushed('ORDER-1');
    await settled(second);
    expect(await reported(second)).not.toHaveProperty('possible_duplicate_of');

    await simulatorControl(stack.simulatorUrl, 'stk').decide(prompt ?? '', 'pay_late');
    await settled(slow);
    expect(await reported(slow)).toMatchObject({
      ...{ payment_id: slow, status: 'Success', correction: true },
      possible_duplicate_of: second,
    });
    const { body } = await call(stack, merchant, 'GET', `/api/v1/stk_push/status?payment_id=${slow}`);
    expect(body.data).toMatchObject({ possible_duplicate_of: second });
    expect(await openCasesOf(stack.db, slow)).toEqual(['duplicate_payment']);
  });

  it('over another rail gets one of both refunded, which closes the case', async () => {
    const first = await pushed('ORDER-2');
    await settled(first);
    const { kenya } = places;
    const body = transferBody({ ...kenya, account_reference: 'order-2' });
    const second = await momoAccepted(stack, merchant, 'deposit', body);
    const { body: callback } = await notifiedOf(merchant, second, 'Success');
    expect(callback).toMatchObject({ possible_duplicate_of: first });
    const status = await call(stack, merchant, 'GET', `/api/v1/momo/status?transaction_id=${second}`);
    expect(status.body).toMatchObject({ possible_duplicate_of: first });
    expect(await openCasesOf(stack.db, second)).toEqual(['duplicate_payment']);

    const refund = await post(stack, merchant, 'refund', { transaction_id: second });
    expect(refund.status).toBe(200);
    await settled(String(refund.body['transaction_id']));
    await waitFor(async () => ((await openCasesOf(stack.db, second)).length === 0 ? true : undefined), {
      what: 'the case to close itself',
      timeoutMs: patienceMs,
    });
  });

  it('at a hosted checkout is reported to the merchant, and not to a caller who knows one order', async () => {
    const processor = simulatorControl(stack.simulatorUrl, 'cardproc');
    const first = await cardAccepted(stack, merchant, { merchant_ref: 'ORDER-3', amount: 1250 });
    await customer(processor, first, 'pay_card');
    await settled(first.payment_id);
    const second = await wrapperAccepted(stack, merchant, { order_id: 'order-3', amount: 1250 });
    await customer(processor, second, 'pay_card');
    await settled(second.payment_id);
    expect(await reported(second.payment_id)).toMatchObject({
      status: 'COMPLETED',
      possible_duplicate_of: first.provider_reference,
    });
    // With the first order's id, an attacker could read what its customer has paid, and how.
    const { body } = await postOrder(stack, statusPath, { order_tracking_id: second.provider_reference });
    expect(body).toMatchObject({ status: 'COMPLETED' });
    const theirs = [first.provider_reference, first.payment_id, 'possible_duplicate_of'];
    for (const word of theirs) expect(JSON.stringify(body)).not.toContain(word);
  });

  it('does not include a repeated request with its key', async () => {
    const body = transferBody({ ...places.kenya, account_reference: 'ORDER-4' });
    const headers = { 'Idempotency-Key': 'order-4' };
    const [one, again] = [
      await post(stack, merchant, 'deposit', body, headers),
      await post(stack, merchant, 'deposit', body, headers),
    ];
    expect(again.body).toEqual(one.body);
    const id = String(one.body['transaction_id']);
    expect((await notifiedOf(merchant, id, 'Success')).body).not.toHaveProperty('possible_duplicate_of');
  });
});
