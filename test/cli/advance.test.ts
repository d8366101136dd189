/** `malipo sandbox advance` moves every clock: the providers', the workflows', and what is stored with each payment. */
import { getPaymentOrThrow } from '../../src/payments/record/payments';
import { malipo } from '../faults/support/malipo';
import * as momo from '../rails/momo/payment-story';
import { simulatorControl } from '../rails/simulator-control';
import * as stk from '../rails/stk/payment-story';
import * as walletpay from '../rails/walletpay/payment-story';
import { expectClean } from '../support/expect-clean';
import { atRest, ended, webhooksOf } from '../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../support/stack';

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

  const advance = (duration: string) => malipo(stack, 'sandbox', 'advance', duration);
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

  it('lets the same push be made again, and all its times agree with the provider', async () => {
    const first = await stk.accepted(stack, merchant, { phone_number: '254708374149' });
    await ended(stack.db, first.payment_id, ['succeeded']);
    await advance('2m');
    const { payment_id: id } = await stk.accepted(stack, merchant, { phone_number: '254708374149' });
    await ended(stack.db, id, ['succeeded']);
    await atRest(stack.db, id);
    const [webhook] = await webhooksOf<{ timestamp: string; transaction_date: string }>(stack.db, id);
    const told = Date.parse((webhook?.timestamp ?? '').replace(' ', 'T'));
    const [, ...parts] = /^(....)(..)(..)(..)(..)(..)$/.exec(webhook?.transaction_date ?? '') ?? [];
    const [year, month, day, hour, minute, second] = parts;
    const paid = Date.parse(
      `${year ?? ''}-${month ?? ''}-${day ?? ''}T${hour ?? ''}:${minute ?? ''}:${second ?? ''}`,
    );
    expect(Math.abs(told - paid)).toBeLessThan(30_000);
    const payment = await rowOf(id);
    expect(Number(payment.clock_ahead_ms)).toBe(6 * 3_600_000 + 23 * 60_000);
    expect(payment.created_at.getTime() - Date.now()).toBeGreaterThan(6 * 3_600_000);
  });
});
