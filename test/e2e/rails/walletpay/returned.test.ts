/**
 * A payout that was paid and reported as paid is returned: its float gets it back once, whoever reports it and how
 * often.
 */
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { malipo } from '../../../faults/support/malipo';
import { expectClean } from '../../../support/expect-clean';
import { atRest, openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type OwnStack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { eventNamed, inboxOf, sendEvent } from '../../../support/rails/walletpay/events';
import {
  floatOf,
  canPayOut,
  newPayout,
  ratesStored,
  shownAs,
  stored,
  notifiedOf,
  webhooksTo,
} from '../../../support/rails/walletpay/payments';

const timeScale = 20;
/** In milliseconds of the sandbox. */
const days = (n: number) => (n * 86_400_000) / timeScale;

describe('a payout that is returned after it was paid', () => {
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    engine = await connectEngine(stack);
    await canPayOut(stack, merchant, 100_000_000n);
    await canPayOut(stack, merchant, 100_000_000n, 'KES');
    await ratesStored(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean({ ...stack, simulatorUrl: stack.simulatorUrl });
    await stack.stop();
  });

  const rowOf = (id: string) => getPaymentOrThrow(stack.db, id);
  const comesBack = (id: string, action: 'return' | 'refund' | 'reverse') =>
    provider.notify(`items/${id}`, { action });

  async function paidPayout(changes: Record<string, unknown> = {}): Promise<string> {
    const id = await newPayout(stack, merchant, changes);
    await notifiedOf(merchant, id, 'Success');
    await atRest(stack.db, id);
    return id;
  }

  /** Booked once and reported once, as a correction of the success. */
  async function expectBack(id: string, before: bigint, currency: 'USD' | 'KES' = 'USD'): Promise<void> {
    await notifiedOf(merchant, id, 'Failed');
    await atRest(stack.db, id);
    expect((await floatOf(stack, merchant, currency)).free).toBe(before);
    expect((await webhooksOf(stack.db, id)).map(({ status, correction }) => [status, correction])).toEqual([
      ['Success', false],
      ['Failed', true],
    ]);
    expect(await openCasesOf(stack.db, id)).toEqual([]);
    expect(await rowOf(id)).toMatchObject({ state: 'returned', next_check_at: null });
  }

  const freeNow = async (currency: 'USD' | 'KES' = 'USD') => (await floatOf(stack, merchant, currency)).free;

  it.each(['return', 'refund'] as const)('by %s, with an event', async (action) => {
    const before = await freeNow();
    const id = await paidPayout();
    expect(await freeNow()).toBe(before - 4_000n);
    await comesBack(id, action);
    await expectBack(id, before);
    const reported = webhooksTo(merchant, id).at(-1);
    expect(reported?.body).toMatchObject({
      type: 'payout',
      status: 'Failed',
      amount: 40,
      currency: 'USD',
      credited_amount: null,
      returned_amount: 40,
      returned_currency: 'USD',
      failure_code: 'PAYOUT_RETURNED',
      failure_message: expect.any(String),
      correction: true,
    });
    const item_status = { return: 'RETURNED', refund: 'REFUNDED' }[action];
    const asShown = {
      is_final: true,
      failure_code: 'PAYOUT_RETURNED',
      returned_amount: 40,
      correction: true,
    };
    const query = { payout_id: id };
    await shownAs(stack, merchant, 'payout_status', query, { status: 'Failed', item_status, ...asShown });
  });

  it('by a reversal, for which the provider sends no event: our own check finds it', async () => {
    const before = await freeNow();
    const id = await paidPayout();
    await comesBack(id, 'reverse');
    await engine.advance(await rowOf(id), days(1));
    await expectBack(id, before);
  });

  it('half a year later, with its event lost', async () => {
    const before = await freeNow();
    const where = { receiver: 'silent@example.org' };
    const id = await paidPayout({ recipient_email: where.receiver });
    const payment = await rowOf(id);
    for (const day of [1, 6, 23, 30, 30, 30]) await engine.advance(payment, days(day));
    await provider.next({ call: 'callback', behave: 'drop', where, times: 10 });
    await comesBack(id, 'refund');
    await engine.advance(payment, days(60));
    await expectBack(id, before);
    expect(await engine.client.workflow.getHandle(payment.workflow_id).result()).toMatchObject({
      status: 'returned',
    });
  });

  it('in the currency of the float, with the debited amount', async () => {
    const before = await freeNow('KES');
    const id = await paidPayout({ amount: 1_295.55, currency: 'KES' });
    expect(await freeNow('KES')).toBe(before - 129_555n);
    await comesBack(id, 'return');
    await expectBack(id, before, 'KES');
    expect(webhooksTo(merchant, id).at(-1)?.body).toMatchObject({
      returned_amount: 1_295.55,
      returned_currency: 'KES',
    });
  });

  const returnedEvent = (id: string, eventId?: string) =>
    eventNamed('PAYMENT.PAYOUTS-ITEM.RETURNED', { payout_item: { sender_item_id: `po-${id}` } }, eventId);

  it('with ten reports, and ten concurrent events, during a query', async () => {
    const before = await freeNow();
    const where = { receiver: 'often@example.org' };
    const id = await paidPayout({ recipient_email: where.receiver });
    const payment = await rowOf(id);
    await provider.next({ call: 'callback', behave: 'duplicate', where, times: 1 });
    await comesBack(id, 'return');
    const events = Array.from({ length: 10 }, () => returnedEvent(id));
    await Promise.all([
      ...events.map((event) => sendEvent(stack, event)),
      // A check that comes just when the workflow ends is rejected, and changes nothing.
      ...[1, 2, 3].map(() => engine.checkNow(payment).catch(() => undefined)),
    ]);
    await expectBack(id, before);
    // A later report triggers a query, and changes nothing.
    await sendEvent(stack, returnedEvent(id));
    await atRest(stack.db, id);
    await expectBack(id, before);
  });

  it('reported by another caller: the provider is queried, and it stays paid', async () => {
    const id = await paidPayout();
    const after = await freeNow();
    const forged = returnedEvent(id);
    await sendEvent(stack, forged);
    await atRest(stack.db, id);
    expect(await inboxOf(stack, forged)).toMatchObject({ state: 'ignored' });
    expect(await freeNow()).toBe(after);
    expect(await rowOf(id)).toMatchObject({ state: 'succeeded' });
    expect(webhooksTo(merchant, id).map(({ body }) => body['status'])).toEqual(['Success']);
  });

  it('reported before the provider’s own answer shows it: the query is repeated', async () => {
    const before = await freeNow();
    const id = await paidPayout();
    const { provider_reference: batchId } = await rowOf(id);
    const questions = async () =>
      (await provider.exchanges('payout_query')).filter(({ url }) => url.includes(batchId ?? '')).length;
    const asked = await questions();
    await sendEvent(stack, returnedEvent(id));
    await waitFor(async () => (await questions()) > asked || undefined, {
      what: 'our question',
      timeoutMs: 20_000,
    });
    await comesBack(id, 'reverse');
    await expectBack(id, before);
  });

  it('while the worker is dead', async () => {
    const before = await freeNow();
    const id = await paidPayout();
    await stack.kill('worker');
    await comesBack(id, 'return');
    await provider.advance(10_000);
    await stack.start('worker');
    await expectBack(id, before);
  });

  it('and the worker dies during the query', async () => {
    const before = await freeNow();
    const id = await paidPayout();
    await provider.next({ call: 'payout_query', behave: 'delay', ms: 3_000 * timeScale });
    await comesBack(id, 'return');
    await stored(stack, id, { state: 'succeeded' });
    await stack.kill('worker');
    await stack.start('worker');
    await expectBack(id, before);
  });

  it('without an open workflow: its row triggers the check', async () => {
    const before = await freeNow();
    const id = await paidPayout();
    const { workflow_id: workflowId } = await rowOf(id);
    expect(await engine.client.workflow.getHandle(workflowId).result()).toMatchObject({
      status: 'succeeded',
    });
    await comesBack(id, 'reverse');
    await malipo(stack, 'sandbox', 'advance', '2h');
    await expectBack(id, before);
  });

  it('even if the worker is killed during a check: it is due again', async () => {
    const before = await freeNow();
    const id = await paidPayout();
    await engine.client.workflow.getHandle((await rowOf(id)).workflow_id).result();
    await comesBack(id, 'reverse');
    await provider.next({ call: 'payout_query', behave: 'hang' });
    await engine.advance(await rowOf(id), days(1));
    await waitFor(async () => (await rowOf(id)).signals === 1, {
      what: 'the look to be claimed',
      timeoutMs: 20_000,
    });
    await stack.kill('worker');
    await stack.start('worker');
    const { state, next_check_at: again } = await rowOf(id);
    expect([state, (again?.getTime() ?? 0) > Date.now()]).toEqual(['succeeded', true]);
    // As if the two minutes of its claim had passed.
    await stack.db('payments').where({ payment_id: id }).update({ next_check_at: new Date() });
    await expectBack(id, before);
  });
});
