import { v7 as uuidV7 } from 'uuid';
import { inTransaction } from '../../../src/store/transaction';
import { resendWebhook } from '../../../src/webhooks/merchant-webhooks';
import {
  countNotSentAgain,
  enqueueWebhook,
  listDeliveries,
  listWebhooks,
  replayWebhooks,
  supersede,
} from '../../../src/webhooks/outbox';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { enqueue, newMerchant, paymentId } from '../../support/webhooks/webhook-support';

let test: TestDatabase;
let merchantId: string;
beforeAll(async () => {
  test = await createTestDatabase();
});
beforeEach(async () => {
  ({ merchant_id: merchantId } = await newMerchant(test.db));
});
afterAll(() => test.drop());

async function settle(webhookId: string, state: 'delivered' | 'dead' | 'unaddressed'): Promise<void> {
  const settled = { state, tries: 14, settled_at: test.db.raw('UTC_TIMESTAMP(3)') };
  await test.db('outbox').where({ webhook_id: webhookId }).update(settled);
}

async function webhook(webhookId: string) {
  const [row] = await listWebhooks(test.db, { webhookId });
  return row;
}

describe('a new webhook', () => {
  it('is due at once and keeps its exact text', async () => {
    const body = { name: 'Wanjikũ 🥭', amount: 10.5, text: 'a"b\\c\u0000\r\n' };
    const webhookId = await enqueue(test.db, merchantId, { body });
    expect(await webhook(webhookId)).toMatchObject({
      payment_id: paymentId,
      merchant_id: merchantId,
      to_state: 'succeeded',
      callback_type: 'STK-Push',
      endpoint: 'webhook_url',
      body: JSON.stringify(body),
      request_id: 'req-1',
      state: 'pending',
      tries: 0,
      settled_at: null,
    });
    const [due] = await test
      .db('outbox')
      .whereRaw('next_at <= UTC_TIMESTAMP(3)')
      .where({ webhook_id: webhookId });
    expect(due).toBeDefined();
  });

  it('exists only together with its change', async () => {
    const failing = inTransaction(test.db, async (trx) => {
      await enqueueWebhook(trx, {
        paymentId,
        merchantId,
        toState: 'failed',
        callbackType: 'STK-Push',
        endpoint: 'webhook_url',
        body: {},
        requestId: null,
      });
      throw new Error('the posting failed');
    });
    await expect(failing).rejects.toThrow('the posting failed');
    expect(await listWebhooks(test.db, { merchantId })).toEqual([]);
  });
});

describe('listing', () => {
  it('finds by payment, merchant and state, newest first', async () => {
    const first = await enqueue(test.db, merchantId);
    const second = await enqueue(test.db, merchantId);
    await settle(second, 'dead');
    const ids = async (filter: Parameters<typeof listWebhooks>[1]) =>
      (await listWebhooks(test.db, filter)).map((row) => row.webhook_id);
    expect(await ids({ merchantId })).toEqual([second, first]);
    expect(await ids({ merchantId, state: 'dead' })).toEqual([second]);
    expect(await ids({ merchantId, limit: 1 })).toEqual([second]);
    expect(await ids({ webhookId: first, paymentId })).toEqual([first]);
    expect(await ids({ webhookId: 'ключ' })).toEqual([]);
    expect(await listDeliveries(test.db, [first])).toEqual([]);
  });
});

describe('replaying', () => {
  it.each(['delivered', 'dead', 'unaddressed'] as const)(
    'makes a %s webhook pending again',
    async (state) => {
      const webhookId = await enqueue(test.db, merchantId);
      await settle(webhookId, state);
      expect(await replayWebhooks(test.db, { webhookId })).toEqual([webhookId]);
      expect(await webhook(webhookId)).toMatchObject({ state: 'pending', tries: 0, settled_at: null });
    },
  );

  it('does not change a webhook that is still being tried', async () => {
    const webhookId = await enqueue(test.db, merchantId);
    await test.db('outbox').where({ webhook_id: webhookId }).update({ tries: 3 });
    expect(await replayWebhooks(test.db, { webhookId })).toEqual([]);
    expect(await webhook(webhookId)).toMatchObject({ tries: 3 });
  });

  it('replays all webhooks of a payment', async () => {
    const payment = '01890000-0000-7000-8000-0000000000aa';
    const first = await enqueue(test.db, merchantId, { paymentId: payment });
    const second = await enqueue(test.db, merchantId, { paymentId: payment });
    await settle(first, 'delivered');
    await settle(second, 'dead');
    expect(await replayWebhooks(test.db, { paymentId: payment })).toEqual([first, second]);
  });

  it('replays for a merchant only undelivered ones', async () => {
    const [delivered, dead, unaddressed] = [
      await enqueue(test.db, merchantId),
      await enqueue(test.db, merchantId),
      await enqueue(test.db, merchantId),
    ];
    await settle(delivered, 'delivered');
    await settle(dead, 'dead');
    await settle(unaddressed, 'unaddressed');
    expect(await replayWebhooks(test.db, { merchantId })).toEqual([dead, unaddressed]);
  });

  it('replays all that were dropped since a time', async () => {
    await test.db('outbox').where({ state: 'dead' }).update({ state: 'delivered' });
    const long = await enqueue(test.db, merchantId);
    const lately = await enqueue(test.db, merchantId);
    await settle(long, 'dead');
    await settle(lately, 'dead');
    await test
      .db('outbox')
      .where({ webhook_id: long })
      .update({ settled_at: new Date(Date.now() - 3 * 86_400_000) });
    expect(await replayWebhooks(test.db, { deadSince: new Date(Date.now() - 86_400_000) })).toEqual([lately]);
  });

  it('finds nothing for an invalid id', async () => {
    expect(await replayWebhooks(test.db, { webhookId: 'ключ' })).toEqual([]);
  });

  it('gives each webhook to one of two operators', async () => {
    const webhookId = await enqueue(test.db, merchantId);
    await settle(webhookId, 'dead');
    const replay = () => replayWebhooks(test.db, { webhookId });
    expect((await Promise.all([replay(), replay()])).flat()).toEqual([webhookId]);
  });
});

describe('a later status of the same payment', () => {
  const replacing = (id: string, by: string, replaces = 2) =>
    inTransaction(test.db, (trx) => supersede(trx, { paymentId: id, by, replaces }));

  it.each(['pending', 'dead', 'unaddressed', 'delivered'] as const)(
    'ends a webhook that is %s: it is not sent again, even on request',
    async (state) => {
      const of = uuidV7();
      const webhookId = await enqueue(test.db, merchantId, { paymentId: of, sequence: 3, replaceable: 1 });
      if (state !== 'pending') await settle(webhookId, state);
      const later = await enqueue(test.db, merchantId, { paymentId: of, sequence: 4, replaces: 2 });
      await replacing(of, later);
      expect(await webhook(webhookId)).toMatchObject({
        state: state === 'delivered' ? 'delivered' : 'superseded',
        superseded_by: later,
        settled_at: expect.any(Date),
      });
      expect(await replayWebhooks(test.db, { webhookId })).toEqual([]);
      expect(await replayWebhooks(test.db, { paymentId: of })).toEqual([]);
      expect(await replayWebhooks(test.db, { merchantId })).toEqual([]);
      expect(await replayWebhooks(test.db, { deadSince: new Date(0) })).not.toContain(webhookId);
      expect(await countNotSentAgain(test.db, { webhookId })).toEqual({ superseded: 1, pruned: 0 });
      await expect(resendWebhook(test.db, merchantId, webhookId)).rejects.toMatchObject({
        code: 'WEBHOOK_SUPERSEDED',
      });
      expect(await webhook(later)).toMatchObject({ state: 'pending', superseded_by: null });
    },
  );

  it('does not end one with an amount of its own, or a success of which a part remains', async () => {
    const of = uuidV7();
    const [success, refund] = [
      await enqueue(test.db, merchantId, { paymentId: of, sequence: 3, replaceable: 2 }),
      await enqueue(test.db, merchantId, { paymentId: of, sequence: 4, replaceable: 0 }),
    ];
    await replacing(of, refund, 1);
    expect(await webhook(success)).toMatchObject({ state: 'pending' });
    const whole = await enqueue(test.db, merchantId, { paymentId: of, sequence: 5, replaceable: 0 });
    await replacing(of, whole, 2);
    expect(await webhook(success)).toMatchObject({ state: 'superseded', superseded_by: whole });
    expect(await webhook(refund)).toMatchObject({ state: 'pending', superseded_by: null });
  });
});
