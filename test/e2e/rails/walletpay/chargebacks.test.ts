/** Reversals by the provider, disputes, and disputes that the seller wins. */
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { malipo } from '../../../faults/support/malipo';
import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened, creditsOf, openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { eventTaken, get, paidOrder, stored, walletOf } from '../../../support/rails/walletpay/payments';

const hour = 3_600_000;

describe('a paid order', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
  });
  afterAll(async () => {
    await expectClean({ ...stack, simulatorUrl: stack.simulatorUrl });
    await stack.stop();
  });

  const heldOf = async (id: string) =>
    stack.db('holds').where({ payment_id: id }).first('state', 'amount', 'wanted');
  const shown = async (id: string) => {
    const { body } = await get(stack, merchant, 'order_status', { payment_id: id });
    return body.data ?? {};
  };
  const statusesOf = async (id: string) => (await webhooksOf(stack.db, id)).map(({ status }) => status);

  it('that is reversed, although it reads as paid for another hour, opens a case and is checked again', async () => {
    const order = await paidOrder(stack, merchant, provider);
    await provider.notify(`captures/${order.captureId}`, { action: 'reverse', shown_after_ms: hour });
    expect(await caseOpened(stack.db, order.id)).toEqual(['reversal_reported']);
    expect(await heldOf(order.id)).toEqual({ state: 'open', amount: '2500', wanted: '2500' });
    expect(await walletOf(stack, merchant)).toBe(0n);
    expect(await shown(order.id)).toMatchObject({
      status: 'Completed',
      held_amount: 25,
      held_currency: 'USD',
    });
    await atRest(stack.db, order.id);
    const { next_check_at: planned } = await stored(stack, order.id, { state: 'succeeded' });
    expect((planned?.getTime() ?? Infinity) - Date.now()).toBeLessThan(hour);
    await provider.advance(hour);
    // As if the hour had passed here, too.
    await stack.db('payments').where({ payment_id: order.id }).update({ next_check_at: new Date() });
    await stored(stack, order.id, { state: 'reversed' });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([2_500n, -2_500n]);
    expect(await openCasesOf(stack.db, order.id)).toEqual(['reversed']);
    expect(await heldOf(order.id)).toMatchObject({ state: 'released', wanted: '0' });
    expect(await walletOf(stack, merchant)).toBe(0n);
    expect(await shown(order.id)).not.toHaveProperty('held_amount');
    expect(await statusesOf(order.id)).toEqual(['Completed', 'Refunded']);
  });

  it('that is disputed opens a case with the dispute; lost, it is debited', async () => {
    const order = await paidOrder(stack, merchant, provider);
    await provider.notify(`disputes/${order.captureId}`, { action: 'open' });
    expect(await caseOpened(stack.db, order.id)).toEqual(['disputed']);
    await stored(stack, order.id, { state: 'succeeded' });
    const text = JSON.stringify(await malipo(stack, 'payment', 'show', order.id));
    expect(text).toMatch(/PP-D-\w+ WAITING_FOR_SELLER_RESPONSE MERCHANDISE\w+ 25\.00 USD/);
    expect(text).toContain('reserved in the wallet: 25.00 USD');
    expect(JSON.stringify(await malipo(stack, 'case', 'list'))).toContain(
      'reserved in the wallet: 25.00 USD',
    );
    expect(await walletOf(stack, merchant)).toBe(0n);
    expect(await shown(order.id)).toMatchObject({
      held_amount: 25,
      dispute_status: 'WAITING_FOR_SELLER_RESPONSE',
    });
    await provider.notify(`disputes/${order.captureId}`, { action: 'lose' });
    // Two events report it, in any order: the order's status depends on the one that is read first.
    await stored(stack, order.id, { returned_minor: '2500' });
    await waitFor(async () => (await openCasesOf(stack.db, order.id)).includes('reversed') || undefined, {
      what: 'the case of what was taken back',
      timeoutMs: 40_000,
    });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([2_500n, -2_500n]);
    const { details } = await stored(stack, order.id, {});
    expect(details).toMatchObject({ dispute_status: 'RESOLVED', dispute_outcome: 'RESOLVED_BUYER_FAVOUR' });
  });

  it('that is reversed gets its money back when the seller wins the dispute, once', async () => {
    const order = await paidOrder(stack, merchant, provider);
    await provider.notify(`disputes/${order.captureId}`, { action: 'open' });
    await provider.notify(`captures/${order.captureId}`, { action: 'reverse' });
    await stored(stack, order.id, { returned_minor: '2500' });
    await eventTaken(provider, order.captureId, 'PAYMENT.CAPTURE.REVERSED');
    await atRest(stack.db, order.id);
    await provider.notify(`disputes/${order.captureId}`, { action: 'win' });
    await stored(stack, order.id, { state: 'succeeded', returned_minor: '0' });
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([2_500n, -2_500n, 2_500n]);
    await waitFor(async () => ((await statusesOf(order.id)).length === 3 ? true : undefined), {
      what: 'the third webhook',
      timeoutMs: 20_000,
    });
    expect(await statusesOf(order.id)).toEqual(['Completed', 'Refunded', 'Completed']);
    const corrections = (await webhooksOf(stack.db, order.id)).map(({ correction }) => correction);
    expect(corrections).toEqual([false, false, true]);
    // The dispute was won: its case is closed, and nothing is reserved any more.
    await waitFor(async () => ((await heldOf(order.id))?.state === 'released' ? true : undefined), {
      what: 'the hold to be released',
      timeoutMs: 40_000,
    });
    expect(await openCasesOf(stack.db, order.id)).not.toContain('disputed');
    expect(await walletOf(stack, merchant)).toBe(2_500n);
  });

  it('that is partly reversed by an unknown amount is reserved completely until its order shows it', async () => {
    const order = await paidOrder(stack, merchant, provider);
    const before = await walletOf(stack, merchant);
    const part = { action: 'reverse', amount: '10.00', amount_untold: true, shown_after_ms: hour };
    await provider.notify(`captures/${order.captureId}`, part);
    expect(await caseOpened(stack.db, order.id)).toEqual(['reversal_reported']);
    expect(await heldOf(order.id)).toEqual({ state: 'open', amount: '2500', wanted: '2500' });
    expect(await walletOf(stack, merchant)).toBe(before - 2_500n);
    await atRest(stack.db, order.id);
    expect(await creditsOf(stack.db, order.id)).toEqual([2_500n]);
    await provider.advance(hour);
    await stack.db('payments').where({ payment_id: order.id }).update({ next_check_at: new Date() });
    await stored(stack, order.id, { state: 'reversed', returned_minor: '1000' });
    expect(await heldOf(order.id)).toEqual({ state: 'open', amount: '1500', wanted: '1500' });
    expect(await openCasesOf(stack.db, order.id)).toEqual(['reversal_reported', 'reversed']);
  });
});
