/** `malipo sandbox advance` lets time pass: at the providers, in the workflows, and for what is stored with each payment. */
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { malipo } from '../../faults/support/malipo';
import * as momo from '../../support/rails/momo/payments';
import { simulatorControl } from '../../support/rails/simulator-control';
import * as stk from '../../support/rails/stk/payments';
import * as walletpay from '../../support/rails/walletpay/payments';
import { expectClean } from '../../support/expect-clean';
import { atRest, ended } from '../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

describe('malipo sandbox advance', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const advance = (...args: string[]) => malipo(stack, 'sandbox', 'advance', ...args);
  const rowOf = (id: string) => getPaymentOrThrow(stack.db, id);

  it('lets a payment that its provider never received be old enough to fail', async () => {
    const provider = simulatorControl(stack.simulatorUrl, 'momo');
    const lost = { phone_number: '+260763777001' };
    await provider.next({
      call: 'initiate',
      behave: '503',
      times: 2,
      where: { phone_number: '260763777001' },
    });
    await provider.next({
      call: 'initiate',
      behave: 'drop',
      times: 2,
      where: { phone_number: '260763777001' },
    });
    const answer = await momo.post(stack, merchant, 'deposit', momo.transferBody(lost));
    const id = momo.idOf(answer);
    expect(await rowOf(id)).toMatchObject({ state: 'pending', clock_ahead_ms: '0' });
    await advance('20m');
    expect(await ended(stack.db, id, ['failed'])).toMatchObject({
      result_code: 'NOT_RECEIVED',
      clock_ahead_ms: String(20 * 60_000),
    });
    await atRest(stack.db, id);
  });

  it('lets an order expire for whoever captures it', async () => {
    const provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    const order = await walletpay.newOrder(stack, merchant);
    await walletpay.decide(provider, order, 'approve');
    await advance('6h1m');
    expect(await walletpay.capture(stack, merchant, order)).toMatchObject({
      status: 409,
      body: { code: 'ORDER_EXPIRED' },
    });
    await atRest(stack.db, order.id);
  });

  it('lets the same push be made again', async () => {
    const { payment_id: first } = await stk.accepted(stack, merchant, { phone_number: '254708374149' });
    await ended(stack.db, first, ['succeeded']);
    await atRest(stack.db, first);
    await advance('2m');
    const { payment_id: id } = await stk.accepted(stack, merchant, { phone_number: '254708374149' });
    await ended(stack.db, id, ['succeeded']);
    await atRest(stack.db, id);
    expect(await rowOf(id)).toMatchObject({ clock_ahead_ms: '0' });
  });

  it('lets time pass for one payment alone, here and at its provider', async () => {
    const aheadMs = async () => (await stack.db('sandbox_clock').first())?.ahead_ms;
    const providersAheadMs = async () =>
      ((await (await fetch(`${stack.simulatorUrl}/control/clock`)).json()) as { ahead_ms: number }).ahead_ms;
    const other = await stk.accepted(stack, merchant, { phone_number: '254700000600' });
    await walletpay.canPayOut(stack, merchant);
    const payout = await walletpay.newPayout(stack, merchant, {
      recipient_email: 'unclaimed-return@example.org',
    });
    await walletpay.stored(stack, payout, { state: 'queued' });
    const before = [await aheadMs(), await providersAheadMs()];
    await advance('30d', '--payment', payout);
    expect(await ended(stack.db, payout, ['failed'])).toMatchObject({
      result_code: 'UNCLAIMED_RETURNED',
      clock_ahead_ms: String(30 * 86_400_000),
    });
    await atRest(stack.db, payout);
    expect(await aheadMs()).toBe(before[0]);
    expect(Math.abs((await providersAheadMs()) - Number(before[1]))).toBeLessThan(1_000);
    expect(await rowOf(other.payment_id)).toMatchObject({ state: 'pending', clock_ahead_ms: '0' });
  });
});
