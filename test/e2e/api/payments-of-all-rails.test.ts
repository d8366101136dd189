/** A merchant's view of real payments of each rail: in its list, one by one, and at a webhook endpoint. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { customer } from '../../support/rails/cardproc/payments';
import { simulatorControl } from '../../support/rails/simulator-control';
import { acceptances, outfit, answeredIdOf } from '../../support/creation-requests';
import { call } from '../../support/merchant-client';
import { ended } from '../../support/payments/timeline';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';
import { startReceiver, verifySignature, type WebhookReceiver } from '../../support/webhook-receiver';

const railNames = ['stk', 'momo', 'xb', 'walletpay', 'cardproc'];

let stack: Stack;
let merchant: TestMerchant;
let receiver: WebhookReceiver;
let secret: string;
/** By the requested amount. */
const payments = new Map<string, string>();
beforeAll(async () => {
  stack = await sharedStack({ timeScale: 20 });
  merchant = await outfit(stack, await stack.createMerchant());
  receiver = await startReceiver();
  const added = await call(stack, merchant, 'POST', '/api/v1/webhook_endpoints', { url: receiver.url });
  secret = String(added.body['webhook_secret']);
  for (const [name, { path, request }] of Object.entries(acceptances)) {
    const body = await request(stack, merchant, `ALL-${String(payments.size)}`);
    const answer = await call(stack, merchant, 'POST', path, body);
    expect([name, answer.status]).toEqual([name, 200]);
    payments.set(name, (await answeredIdOf(stack.db, answer)) ?? '');
  }
});
afterAll(async () => {
  await receiver.close();
  await stack.stop();
});

const idOf = (name: string) => payments.get(name) ?? '';

interface Shown {
  payment_id: string;
  rail: string;
  type: string;
  state: string;
}

async function listed(query: Record<string, string> = {}): Promise<Shown[]> {
  const all: Shown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const search = new URLSearchParams({ ...query, limit: '3', cursor }).toString();
    const { status, body } = await call(stack, merchant, 'GET', `/api/v1/payments?${search}`);
    expect(status).toBe(200);
    all.push(...(body['payments'] as Shown[]));
    cursor = body['next_cursor'] as string | null;
  }
  return all;
}

describe('payments of all rails', () => {
  it('GET /api/v1/payments lists each of them, newest first, and those of one rail', async () => {
    const all = await listed();
    const ids = all.map(({ payment_id: id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...payments.values()]));
    const rows = await stack
      .db('payments')
      .where({ merchant_id: merchant.merchantId })
      .orderBy('created_at', 'desc');
    expect(new Set(ids)).toEqual(new Set(rows.map(({ payment_id: id }) => id)));
    expect([...new Set(all.map(({ rail }) => rail))].sort()).toEqual([...railNames].sort());
    for (const rail of railNames) {
      const own = await listed({ rail });
      expect(own.map(({ payment_id: id }) => id)).toEqual(
        all.filter((one) => one.rail === rail).map(({ payment_id: id }) => id),
      );
    }
    const refunds = await listed({ type: 'refund' });
    expect(refunds.map(({ payment_id: id }) => id).sort()).toEqual(
      [idOf('a momo refund'), idOf('a wallet refund')].sort(),
    );
  });

  it.each(Object.keys(acceptances))('GET /api/v1/payments/{payment_id} returns %s', async (name) => {
    const id = idOf(name);
    const { status, body } = await call(stack, merchant, 'GET', `/api/v1/payments/${id}`);
    expect(status).toBe(200);
    const payment = body['payment'] as Shown & { timeline: { state: string }[] };
    const row = await stack.db('payments').where({ payment_id: id }).first();
    expect(payment).toMatchObject({ payment_id: id, rail: row?.rail, type: row?.kind });
    expect(payment.timeline.length).toBeGreaterThan(0);
    expect(payment.timeline.at(-1)?.state).toBe(payment.state);
  });

  it("the merchant's endpoint gets each of them, and an order of the card API, which has no webhook, to its end", async () => {
    const card = await stack
      .db('payments')
      .where({ payment_id: idOf('a card order') })
      .first();
    if (!card) throw new Error('there is no card order');
    await customer(simulatorControl(stack.simulatorUrl, 'cardproc'), card, 'pay_card', true);
    await ended(stack.db, card.payment_id, ['succeeded'], 60_000);
    const reportedOf = (id: string) =>
      receiver.received
        .filter(({ body }) => Object.values(body).includes(id))
        .map(({ headers }) => headers['x-event-type']);
    await waitFor(() => Promise.resolve(reportedOf(card.payment_id).includes('deposit.succeeded')), {
      what: 'the end of the card order',
      timeoutMs: 60_000,
    });
    expect(reportedOf(card.payment_id)).toEqual(['deposit.created', 'deposit.pending', 'deposit.succeeded']);
    await waitFor(() => Promise.resolve([...payments.values()].every((id) => reportedOf(id).length > 0)), {
      what: 'each payment to be told of',
      timeoutMs: 60_000,
    });
    for (const webhook of receiver.received) verifySignature(webhook, secret);
    expect(
      merchant.receiver.received.filter(({ body }) => Object.values(body).includes(card.payment_id)),
    ).toEqual([]);
  });
});
