import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { PaymentRow } from '../../../../src/store/tables';
import { malipo } from '../../../faults/support/malipo';
import { expectClean } from '../../../support/expect-clean';
import { atRest, caseOpened, creditsOf, openCasesOf, webhooksOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  capture,
  decide,
  eventTaken,
  floatOf,
  canPayOut,
  newOrder,
  newPayout,
  paidOrder,
  shownAs,
  stored,
  notifiedOf,
  type Order,
} from '../../../support/rails/walletpay/payments';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** The real durations of the product, moved forward as `malipo sandbox advance` does, without waiting. */
describe('the timers of wallet checkout', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 1 });
    merchant = await stack.createMerchant('Duka la Mama');
    provider = simulatorControl(stack.simulatorUrl, 'walletpay');
    engine = await connectEngine(stack);
    await canPayOut(stack, merchant, 10_000_000n);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const until = (what: string, probe: () => Promise<boolean>) => waitFor(probe, { what, timeoutMs: 40_000 });
  const rowOf = (id: string) => getPaymentOrThrow(stack.db, id);
  const statusesOf = async (id: string) =>
    (await webhooksOf(stack.db, id)).map(({ status, correction }) => [status, correction]);
  const questionsAbout = async ({ provider_reference: reference }: PaymentRow, call: string) =>
    (await provider.exchanges(call)).filter(({ url }) => url.includes(reference ?? 'none')).length;

  /** Moves the payment's clock, and waits for this total number of provider queries. */
  async function advance(id: string, ms: number, questions?: number, call = 'query'): Promise<void> {
    const payment = await rowOf(id);
    await engine.advance(payment, ms);
    if (questions === undefined) return;
    await until(
      `${String(questions)} questions about ${id}`,
      async () => (await questionsAbout(payment, call)) === questions,
    );
  }

  describe('an order', () => {
    it('is polled after 2, 5, 10, 20 and 40 minutes, 1, 2 and 3 hours, and expires after 6', async () => {
      const order = await newOrder(stack, merchant);
      const schedule = [...[2, 5, 10, 20, 40].map((m) => m * minute), ...[1, 2, 3].map((h) => h * hour)];
      let moved = 0;
      for (const [index, at] of schedule.entries()) {
        await advance(order.id, at - moved, index + 1);
        moved = at;
        expect(await rowOf(order.id)).toMatchObject({ state: 'pending' });
      }
      await advance(order.id, 6 * hour - moved, 9);
      const reported = await notifiedOf(merchant, order.id, 'Failed');
      expect(reported.body).toMatchObject({ failure_code: 'ORDER_EXPIRED', correction: false });
      expect(await capture(stack, merchant, order)).toMatchObject({
        status: 409,
        body: { code: 'ORDER_EXPIRED' },
      });
      await shownAs(
        stack,
        merchant,
        'order_status',
        { order_id: order.orderId },
        { status: 'Failed', failure_code: 'ORDER_EXPIRED' },
      );
    });

    it('that expired is not captured any more, even if its buyer approves it now', async () => {
      const order = await expired();
      await decide(provider, order, 'approve_and_close');
      await provider.advance(3 * second);
      await eventTaken(provider, order.token, 'CHECKOUT.ORDER.APPROVED');
      await until(
        'the question that the event causes',
        async () => (await questionsAbout(await rowOf(order.id), 'query')) > 1,
      );
      expect(await questionsAbout(await rowOf(order.id), 'capture')).toBe(0);
      expect(await rowOf(order.id)).toMatchObject({ state: 'timed_out' });
      expect(await creditsOf(stack.db, order.id)).toEqual([]);
    });

    it('that was paid after we reported it as expired is credited once, as a correction', async () => {
      const order = await expired();
      await decide(provider, order, 'approve_and_close');
      await captureByHand(order);
      await provider.advance(6 * second);
      await notifiedOf(merchant, order.id, 'Completed');
      await atRest(stack.db, order.id);
      expect(await statusesOf(order.id)).toEqual([
        ['Failed', false],
        ['Completed', true],
      ]);
      expect(await creditsOf(stack.db, order.id)).toEqual([2_500n]);
    });

    it('that is captured and pending outlives the six hours; after eleven days a case opens', async () => {
      const order = await newOrder(stack, merchant, { amount: '6.03' });
      await decide(provider, order, 'approve');
      expect((await capture(stack, merchant, order)).body.data).toMatchObject({ status: 'Pending' });
      await advance(order.id, 6 * hour + second);
      await advance(order.id, hour);
      await stored(stack, order.id, { state: 'pending' });
      expect(await openCasesOf(stack.db, order.id)).toEqual([]);
      await advance(order.id, 12 * day);
      expect(await caseOpened(stack.db, order.id)).toEqual(['no_outcome']);
      expect(await statusesOf(order.id)).toEqual([]);
      await stack
        .db('cases')
        .where({ payment_id: order.id })
        .update({ closed_at: new Date(), open_key: null });
      await provider.advance(61 * second);
      await notifiedOf(merchant, order.id, 'Completed');
      expect(await creditsOf(stack.db, order.id)).toEqual([603n]);
    });

    it('that was refunded without a notification is found a day later', async () => {
      const order = await paidOrder(stack, merchant, provider, { amount: '7.07' });
      await provider.notify(`captures/${order.captureId}`, { action: 'refund', amount: '2.00' });
      await provider.advance(3 * second);
      await stored(stack, order.id, { state: 'succeeded' });
      await advance(order.id, day);
      await notifiedOf(merchant, order.id, 'Refunded');
      expect(await creditsOf(stack.db, order.id)).toEqual([707n, -200n]);
    });

    /** As an operator could in the provider's own console. */
    async function captureByHand({ token }: Order): Promise<void> {
      const { WALLETPAY_CLIENT_ID: id = '', WALLETPAY_CLIENT_SECRET: secret = '' } = stack.env;
      const base = stack.env['WALLETPAY_BASE_URL'] ?? '';
      const granted = await fetch(`${base}/v1/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      const { access_token: accessToken } = (await granted.json()) as { access_token: string };
      const captured = await fetch(`${base}/v2/checkout/orders/${token}/capture`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: '{}',
      });
      expect(captured.status).toBe(201);
    }

    async function expired(): Promise<Order> {
      const order = await newOrder(stack, merchant);
      await advance(order.id, 6 * hour);
      await stored(stack, order.id, { state: 'timed_out' });
      return order;
    }
  });

  describe('an unclaimed payout', () => {
    const mailsTo = async (address: string): Promise<Mail[]> => {
      const response = await fetch(`${stack.simulatorUrl}/control/mail`);
      const { mails } = (await response.json()) as { mails: Mail[] };
      return mails.filter(({ to }) => to === address);
    };
    const mailed = (address: string, n: number) =>
      waitFor(async () => ((await mailsTo(address)).length === n ? mailsTo(address) : undefined), {
        what: `${String(n)} mails to ${address}`,
        timeoutMs: 20_000,
      });

    async function unclaimed(address: string): Promise<string> {
      const id = await newPayout(stack, merchant, { recipient_email: address, note: 'CLICK evil.example' });
      await provider.advance(6 * second);
      await stored(stack, id, { state: 'queued' });
      return id;
    }

    it('mails its recipient at once and on days 3, 14 and 27; on day 30 the money is returned', async () => {
      const address = 'unclaimed@example.org';
      const before = await floatOf(stack, merchant);
      const id = await unclaimed(address);
      const [first] = await mailed(address, 1);
      expect(first?.subject).toBe('Duka la Mama has sent you 40.00 USD');
      expect(first?.text).toContain('40.00 USD');
      expect(first?.text).toMatch(/before \d{1,2} \w+ \d{4}/);
      expect(first?.text).not.toContain('evil');
      expect(first?.text).not.toContain(merchant.apiSecret);

      await advance(id, 3 * day);
      const [, second_] = await mailed(address, 2);
      expect(second_?.subject).toBe('Reminder: claim 40.00 USD from Duka la Mama');
      await advance(id, 11 * day);
      await mailed(address, 3);
      await advance(id, 13 * day);
      await mailed(address, 4);
      expect(await statusesOf(id)).toEqual([['Pending', false]]);
      expect(await floatOf(stack, merchant)).toEqual({
        free: before.free - 4_000n,
        reserved: before.reserved + 4_000n,
      });

      await advance(id, 3 * day);
      const reported = await notifiedOf(merchant, id, 'Failed');
      expect(reported.body).toMatchObject({ failure_code: 'UNCLAIMED_RETURNED' });
      await atRest(stack.db, id);
      expect(await floatOf(stack, merchant)).toEqual(before);
      expect(await questionsAboutItem('cancel', id)).toBe(1);
      expect(await mailsTo(address)).toHaveLength(4);
    });

    it('is paid when it is claimed on day 20, and no further mail is sent', async () => {
      const address = 'unclaimed-return@example.org';
      const before = await floatOf(stack, merchant);
      const id = await unclaimed(address);
      await advance(id, 14 * day);
      await mailed(address, 3);
      await advance(id, 6 * day);
      await provider.notify(`items/${id}`, { action: 'claim' });
      await provider.advance(6 * second);
      await notifiedOf(merchant, id, 'Success');
      await atRest(stack.db, id);
      expect((await floatOf(stack, merchant)).free).toBe(before.free - 4_000n);
      // It is checked for another half year, in case its recipient returns it.
      await advance(id, 180 * day);
      await until('the last look', async () => (await rowOf(id)).next_check_at === null);
      const { workflow_id: workflowId } = await rowOf(id);
      expect(await engine.client.workflow.getHandle(workflowId).result()).toMatchObject({
        status: 'succeeded',
      });
      expect(await mailsTo(address)).toHaveLength(3);
    });

    it('is back in the float if the clock passes the thirty days and the end of status checks at once', async () => {
      const before = await floatOf(stack, merchant);
      const address = 'unclaimed@example.org';
      const mails = (await mailsTo(address)).length;
      const id = await unclaimed(address);
      await mailed(address, mails + 1);
      await malipo(stack, 'sandbox', 'advance', '33d');
      await notifiedOf(merchant, id, 'Failed');
      await atRest(stack.db, id);
      expect(await floatOf(stack, merchant)).toEqual(before);
      expect(await openCasesOf(stack.db, id)).toEqual([]);
      // No recipient is asked to claim a cancelled payout.
      expect(await mailsTo(address)).toHaveLength(mails + 1);
    });

    async function questionsAboutItem(call: string, id: string): Promise<number> {
      const itemId = (await rowOf(id)).details['payout_item_id'] ?? 'none';
      return (await provider.exchanges(call)).filter(({ url }) => url.includes(itemId)).length;
    }
  });

  it('a payout is polled after 10 and 30 s, 1, 2, 5 and 15 minutes, 1 and 6 hours, then daily', async () => {
    // An event would trigger another query.
    const where = { receiver: 'held@example.org' };
    await provider.next({ call: 'callback', behave: 'drop', where, times: 10 });
    const id = await newPayout(stack, merchant, { recipient_email: where.receiver });
    await provider.advance(6 * second);
    const schedule = [
      ...[10, 30].map((s) => s * second),
      ...[1, 2, 5, 15].map((m) => m * minute),
      ...[1, 6].map((h) => h * hour),
      day,
      2 * day,
    ];
    let moved = 0;
    for (const [index, at] of schedule.entries()) {
      await advance(id, at - moved, index + 1, 'payout_query');
      moved = at;
    }
    await shownAs(stack, merchant, 'payout_status', { payout_id: id }, { item_status: 'ONHOLD' });
    await provider.notify(`items/${id}`, { action: 'return' });
    await advance(id, day);
    await notifiedOf(merchant, id, 'Failed');
  });
});
