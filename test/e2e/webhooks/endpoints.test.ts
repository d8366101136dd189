/**
 * Additional endpoints of a merchant get the events of their types in order, each until it is delivered, even if
 * workers die.
 */
import { call, paymentIdOf, stkPush } from '../../support/merchant-client';
import { ended } from '../../support/payments/timeline';
import { startStack, type OwnStack, type TestMerchant } from '../../support/stack';
import {
  startReceiver,
  verifySignature,
  type ReceivedWebhook,
  type WebhookReceiver,
} from '../../support/webhook-receiver';
import { waitFor } from '../../../tools/sandbox/services/wait-for';

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
  id: string;
  secret: string;
  receiver: WebhookReceiver;
}

async function add(merchant: TestMerchant, types?: string): Promise<Added> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const { status, body } = await call(stack, merchant, 'POST', '/api/v1/webhook_endpoints', {
    url: receiver.url,
    ...(types !== undefined && { types }),
  });
  expect(status).toBe(200);
  return {
    id: (body['endpoint'] as { endpoint_id: string }).endpoint_id,
    secret: String(body['webhook_secret']),
    receiver,
  };
}

async function pay(merchant: TestMerchant, phone = '254708374149'): Promise<string> {
  const id = paymentIdOf(
    await call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush({ phone_number: phone })),
  );
  await ended(stack.db, id);
  return id;
}

function isSignedBy(webhook: ReceivedWebhook | undefined, secret: string): boolean {
  if (!webhook) throw new Error('nothing was received');
  try {
    verifySignature(webhook, secret);
    return true;
  } catch {
    return false;
  }
}

const idsAt = ({ receiver }: Added) => receiver.received.map(({ headers }) => headers['webhook-id']);
const feedOf = async ({ merchantId }: TestMerchant, types?: string[]) => {
  const rows = await stack
    .db('events')
    .where({ merchant_id: merchantId })
    // The last unread event.
    .orderByRaw('position IS NULL, position, event_seq');
  return rows.filter(({ type }) => types?.includes(type) ?? true).map(({ event_id: id }) => id);
};
const arrived = (added: Added, wanted: () => Promise<string[]>) =>
  waitFor(async () => idsAt(added).length >= (await wanted()).length, {
    what: 'all events',
    timeoutMs: 60_000,
  });
const shown = async (merchant: TestMerchant) =>
  (await call(stack, merchant, 'GET', '/api/v1/webhook_endpoints')).body['endpoints'] as Record<
    string,
    unknown
  >[];

describe('additional webhook endpoints', () => {
  it('get the events of their types from then on, in order, each signed with its own secret', async () => {
    const merchant = await stack.createMerchant();
    await pay(merchant);
    const before = (await feedOf(merchant)).length;
    const all = await add(merchant);
    const wanted = await add(merchant, 'deposit.succeeded,deposit.failed');
    for (const phone of ['254708374149', '254711223344', '254722334455']) await pay(merchant, phone);
    await arrived(all, async () => (await feedOf(merchant)).slice(before));
    expect(idsAt(all)).toEqual((await feedOf(merchant)).slice(before));
    const own = await feedOf(merchant, ['deposit.succeeded', 'deposit.failed']);
    await arrived(wanted, async () => own.slice(1));
    expect(idsAt(wanted)).toEqual(own.slice(1));
    for (const { receiver, secret } of [all, wanted])
      for (const webhook of receiver.received) expect(isSignedBy(webhook, secret)).toBe(true);
    const [first] = wanted.receiver.received;
    expect(isSignedBy(first, all.secret)).toBe(false);
    expect(first?.headers).toMatchObject({
      'x-callback-type': 'STK-Push',
      'x-event-type': 'deposit.succeeded',
    });
  });

  it('get an event again until it is accepted, and no later one before', async () => {
    const merchant = await stack.createMerchant();
    const added = await add(merchant, 'deposit.succeeded');
    const neighbour = await add(merchant, 'deposit.succeeded');
    let errors = 2;
    added.receiver.answerWith((_request, response) => {
      errors -= 1;
      response.writeHead(errors >= 0 ? 500 : 200).end();
    });
    await pay(merchant);
    await pay(merchant);
    const own = await feedOf(merchant, ['deposit.succeeded']);
    // The second pause is three seconds at this speed.
    await waitFor(async () => idsAt(added).length >= 4, { what: 'all of them', timeoutMs: 60_000 });
    expect(idsAt(added)).toEqual([own[0], own[0], ...own]);
    expect(idsAt(neighbour)).toEqual(own);
    const [one] = await shown(merchant);
    await waitFor(async () => (await shown(merchant))[0]?.['failed_tries'] === 0, {
      what: 'no failure',
      timeoutMs: 20_000,
    });
    expect(one).toMatchObject({ endpoint_id: added.id, skipped: 0 });
  });

  it('miss no event while workers are killed', async () => {
    const merchant = await stack.createMerchant();
    const added = await add(merchant);
    const pushes: Promise<string>[] = [];
    for (let kills = 0; kills < 3; kills += 1) {
      const seen = idsAt(added).length;
      pushes.push(...Array.from({ length: 4 }, () => pay(merchant)));
      await waitFor(async () => idsAt(added).length > seen, { what: 'an event', timeoutMs: 60_000 });
      await stack.kill('worker');
      await stack.start('worker');
    }
    await Promise.all(pushes);
    // The lease of the dead worker ends within half a minute.
    await waitFor(async () => new Set(idsAt(added)).size >= (await feedOf(merchant)).length, {
      what: 'all events',
      timeoutMs: 120_000,
    });
    expect([...new Set(idsAt(added))]).toEqual(await feedOf(merchant));
  });

  it('POST /api/v1/webhook_endpoints/{endpoint_id}/change_secret signs with both secrets; POST /api/v1/webhook_endpoints/{endpoint_id}/end ends it; neither works for other merchants', async () => {
    const [merchant, other] = [await stack.createMerchant(), await stack.createMerchant()];
    const added = await add(merchant);
    const path = `/api/v1/webhook_endpoints/${added.id}`;
    const theirs = await call(stack, other, 'POST', `${path}/end`, {});
    expect([theirs.status, theirs.body.code]).toEqual([404, 'WEBHOOK_ENDPOINT_NOT_FOUND']);
    const changed = await call(stack, merchant, 'POST', `${path}/change_secret`, {});
    await pay(merchant);
    await arrived(added, () => feedOf(merchant));
    for (const secret of [added.secret, String(changed.body['webhook_secret'])])
      expect(isSignedBy(added.receiver.received[0], secret)).toBe(true);
    expect((await call(stack, merchant, 'POST', `${path}/end`, {})).status).toBe(200);
    expect(await shown(merchant)).toEqual([]);
    const heard = idsAt(added).length;
    await pay(merchant);
    const witness = await add(merchant);
    await pay(merchant);
    await waitFor(async () => idsAt(witness).length > 0, {
      what: 'another endpoint to be told',
      timeoutMs: 60_000,
    });
    expect(idsAt(added)).toHaveLength(heard);
  });

  it('are rejected with a forbidden address, and when there are ten', async () => {
    const merchant = await stack.createMerchant();
    const path = '/api/v1/webhook_endpoints';
    for (const url of ['ftp://x.example.org', 'http://169.254.169.254/', 'nonsense']) {
      const { status, body } = await call(stack, merchant, 'POST', path, { url });
      expect([status, body.details?.[0]?.field]).toEqual([400, 'url']);
    }
    const types = await call(stack, merchant, 'POST', path, {
      url: 'https://x.example.org/',
      types: 'nothing.*',
    });
    expect([types.status, types.body.details?.[0]?.field]).toEqual([400, 'types']);
    for (let n = 0; n < 10; n += 1)
      await call(stack, merchant, 'POST', path, { url: 'https://x.example.org/' });
    const eleventh = await call(stack, merchant, 'POST', path, { url: 'https://x.example.org/' });
    expect([eleventh.status, (await shown(merchant)).length]).toEqual([400, 10]);
  });
});
