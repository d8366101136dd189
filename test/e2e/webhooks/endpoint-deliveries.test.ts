/** Deliveries, resends and test webhooks of an additional endpoint, with workers that die meanwhile. */
import { v7 as uuid } from 'uuid';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { jobsOf, prune } from '../../../src/worker/prune/prune';
import { call, paymentIdOf, stkPush } from '../../support/merchant-client';
import { ended } from '../../support/payments/timeline';
import { startStack, type OwnStack, type TestMerchant } from '../../support/stack';
import { startReceiver, verifySignature, type WebhookReceiver } from '../../support/webhook-receiver';

let stack: OwnStack;
const receivers: WebhookReceiver[] = [];
beforeAll(async () => {
  stack = await startStack({ timeScale: 20 });
});
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await stack.stop();
});

interface Added {
  merchant: TestMerchant;
  path: string;
  secret: string;
  receiver: WebhookReceiver;
}

async function add(merchant: TestMerchant, types = 'deposit.succeeded'): Promise<Added> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const { body } = await call(stack, merchant, 'POST', '/api/v1/webhook_endpoints', {
    url: receiver.url,
    types,
  });
  const { endpoint_id: id } = body['endpoint'] as { endpoint_id: string };
  const path = `/api/v1/webhook_endpoints/${id}`;
  return { merchant, path, secret: String(body['webhook_secret']), receiver };
}

async function pay(merchant: TestMerchant): Promise<string> {
  const id = paymentIdOf(await call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush()));
  await ended(stack.db, id);
  return id;
}

interface Delivery {
  event_id: string;
  payment_id: string;
  n: number;
  delivered: boolean;
  http_status: number | null;
}

async function deliveriesOf({ merchant, path }: Added, query: Record<string, string> = {}) {
  const search = new URLSearchParams(query).toString();
  const { status, body } = await call(stack, merchant, 'GET', `${path}/deliveries?${search}`);
  expect(status).toBe(200);
  return {
    deliveries: body['deliveries'] as Delivery[],
    cursor: body['next_cursor'] as string | null,
  };
}

const idsAt = ({ receiver }: Added) => receiver.received.map(({ headers }) => headers['webhook-id'] ?? '');
const received = (added: Added, count: number) =>
  waitFor(() => Promise.resolve(idsAt(added).length >= count), {
    what: `${String(count)} webhooks`,
    timeoutMs: 120_000,
  });
const written = (added: Added, count: number) =>
  waitFor(async () => (await deliveriesOf(added)).deliveries.length >= count, {
    what: `${String(count)} deliveries`,
    timeoutMs: 60_000,
  });
const resend = ({ merchant, path }: Added, eventId: unknown) =>
  call(stack, merchant, 'POST', `${path}/resend`, { event_id: eventId });

/** It rejects this many, then accepts all. */
function refuse({ receiver }: Added, times: number): void {
  let left = times;
  receiver.answerWith((_request, response) => {
    left -= 1;
    response.writeHead(left >= 0 ? 500 : 200).end(left >= 0 ? 'out of order' : 'thanks');
  });
}

describe('GET /api/v1/webhook_endpoints/{endpoint_id}/deliveries', () => {
  it('200 lists each attempt, newest first, page by page, and those of one event', async () => {
    const merchant = await stack.createMerchant();
    const added = await add(merchant);
    refuse(added, 1);
    const payments = [await pay(merchant), await pay(merchant)];
    await received(added, 3);
    await written(added, 3);
    const { deliveries, cursor } = await deliveriesOf(added);
    expect(cursor).toBeNull();
    expect(deliveries).toMatchObject([
      { payment_id: payments[1], n: 1, delivered: true, http_status: 200, response_excerpt: 'thanks' },
      { payment_id: payments[0], n: 2, delivered: true, http_status: 200 },
      { payment_id: payments[0], n: 1, delivered: false, http_status: 500, error: 'HTTP 500' },
    ]);
    const first = await deliveriesOf(added, { limit: '2' });
    const second = await deliveriesOf(added, { limit: '2', cursor: first.cursor ?? '' });
    expect([...first.deliveries, ...second.deliveries]).toEqual(deliveries);
    const eventId = deliveries[1]?.event_id ?? '';
    const ofOne = await deliveriesOf(added, { event_id: eventId });
    expect(ofOne.deliveries).toEqual(deliveries.slice(1));
    for (const none of [uuid(), 'nonsense', '🥭'])
      expect((await deliveriesOf(added, { event_id: none })).deliveries).toEqual([]);
  });

  it('404 for the endpoint of another merchant', async () => {
    const added = await add(await stack.createMerchant());
    const other = await stack.createMerchant();
    for (const [method, what] of [
      ['GET', 'deliveries'],
      ['POST', 'test'],
      ['POST', 'resend'],
    ] as const) {
      const input = method === 'GET' ? undefined : { event_id: uuid() };
      const { status, body } = await call(stack, other, method, `${added.path}/${what}`, input);
      expect([status, body.code]).toEqual([404, 'WEBHOOK_ENDPOINT_NOT_FOUND']);
    }
  });

  it('lists none older than the events', async () => {
    const merchant = await stack.createMerchant();
    const added = await add(merchant);
    await pay(merchant);
    await written(added, 1);
    await stack
      .db('endpoint_tries')
      .where({ endpoint_id: added.path.split('/').at(-1) ?? '' })
      .update({ created_at: stack.db.raw<Date>('UTC_TIMESTAMP(3) - INTERVAL 91 DAY') });
    await prune(
      stack.db,
      jobsOf({ bodiesKeptDays: 90 }).filter(({ what }) => what === 'delivery attempts to endpoints'),
    );
    expect((await deliveriesOf(added)).deliveries).toEqual([]);
  });
});

describe('POST /api/v1/webhook_endpoints/{endpoint_id}/resend', () => {
  it('200 sends an event again, with the same id and up to 14 attempts; two requests are one resend', async () => {
    const merchant = await stack.createMerchant();
    const added = await add(merchant);
    await pay(merchant);
    await received(added, 1);
    await written(added, 1);
    const [eventId] = idsAt(added);
    refuse(added, 1);
    for (let n = 0; n < 2; n += 1) {
      const { status, body } = await resend(added, eventId);
      expect([status, body]).toMatchObject([200, { event_id: eventId, type: 'deposit.succeeded' }]);
    }
    await written(added, 3);
    await waitFor(async () => (await stack.db('endpoint_resends')).length === 0, {
      what: 'nothing to be left',
      timeoutMs: 60_000,
    });
    const { deliveries } = await deliveriesOf(added);
    expect(new Set(idsAt(added))).toEqual(new Set([eventId]));
    expect(deliveries[0]).toMatchObject({ event_id: eventId, delivered: true });
    expect(deliveries.at(-2)).toMatchObject({ n: 1, delivered: false });
    // The next event is delivered in order, as usual.
    await pay(merchant);
    await waitFor(() => Promise.resolve(new Set(idsAt(added)).size === 2), {
      what: 'the next event',
      timeoutMs: 60_000,
    });
  });

  it('survives a worker that is killed, more than once', async () => {
    const merchant = await stack.createMerchant();
    const added = await add(merchant);
    await pay(merchant);
    await written(added, 1);
    const [eventId] = idsAt(added);
    // No attempt gets an answer: the worker dies while it waits.
    const heldSince = idsAt(added).length;
    let isHeld = true;
    added.receiver.answerWith((_request, response) => {
      if (!isHeld) response.writeHead(200).end();
    });
    await resend(added, eventId);
    for (let kills = 1; kills <= 2; kills += 1) {
      await received(added, heldSince + kills);
      await stack.kill('worker');
      if (kills === 2) isHeld = false;
      await stack.start('worker');
    }
    await waitFor(async () => (await stack.db('endpoint_resends')).length === 0, {
      what: 'it to arrive',
      timeoutMs: 120_000,
    });
    const [last] = (await deliveriesOf(added)).deliveries;
    expect(last).toMatchObject({ event_id: eventId, delivered: true });
  });

  it('404 for an event that was never sent there, and 409 once its event is deleted', async () => {
    const merchant = await stack.createMerchant();
    const added = await add(merchant);
    await pay(merchant);
    await written(added, 1);
    for (const id of [uuid(), 'nonsense', '%F0%9F%A5%AD']) {
      const { status, body } = await resend(added, id);
      expect([status, body.code]).toEqual([404, 'WEBHOOK_NOT_FOUND']);
    }
    expect((await resend(added, undefined)).status).toBe(400);
    const [eventId] = idsAt(added);
    await stack
      .db('events')
      .where({ event_id: eventId ?? '' })
      .delete();
    const { status, body } = await resend(added, eventId);
    expect([status, body.code]).toEqual([409, 'WEBHOOK_NOT_KEPT']);
  });
});

describe('POST /api/v1/webhook_endpoints/{endpoint_id}/test', () => {
  it("200 sends one that is signed with the endpoint's secret, and is in no list", async () => {
    const added = await add(await stack.createMerchant());
    const { status, body } = await call(stack, added.merchant, 'POST', `${added.path}/test`, {});
    expect([status, body]).toMatchObject([
      200,
      { delivered: true, http_status: 200, response_excerpt: 'ok' },
    ]);
    const [webhook, ...more] = added.receiver.received;
    if (!webhook) throw new Error('nothing was received');
    verifySignature(webhook, added.secret);
    expect(webhook.headers).toMatchObject({ 'x-callback-type': 'Test', 'webhook-id': body['webhook_id'] });
    expect(more).toEqual([]);
    expect((await deliveriesOf(added)).deliveries).toEqual([]);
  });
});
