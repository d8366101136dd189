import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { payoutFields, type WireError } from '../../support/simulator/walletpay-client';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const reported = () => bench.receiver.received.map(({ body }) => body['event_type']);
const lastResource = () => bench.receiver.received.at(-1)?.body['resource'];
const statuses = async ({ batchId, itemId }: { batchId: string; itemId: string }) => [
  (await bench.walletpay.batch(batchId)).batch_header.batch_status,
  (await bench.walletpay.item(itemId)).transaction_status,
];

describe('scenario 11', () => {
  it('ok@: PENDING, PROCESSING, then SUCCESS, each reported', async () => {
    const { walletpay } = bench;
    const payout = await walletpay.payout('ok@example.org');
    expect(await statuses(payout)).toEqual(['PENDING', 'PENDING']);
    await walletpay.advance(3_000);
    expect(await statuses(payout)).toEqual(['PROCESSING', 'PENDING']);
    await walletpay.advance(MINUTE);
    expect(await statuses(payout)).toEqual(['SUCCESS', 'SUCCESS']);
    expect(reported()).toEqual([
      'PAYMENT.PAYOUTSBATCH.PROCESSING',
      'PAYMENT.PAYOUTS-ITEM.SUCCEEDED',
      'PAYMENT.PAYOUTSBATCH.SUCCESS',
    ]);
    expect(await walletpay.books()).toEqual({
      USD: { successes: 0, amount: '0.00', payouts: { successes: 1, amount: '40.00' } },
    });
  });

  it('failed@: the item FAILED with RECEIVER_ACCOUNT_LOCKED in a batch that is SUCCESS', async () => {
    const { walletpay } = bench;
    const payout = await walletpay.payout('failed@example.org');
    await walletpay.advance(MINUTE);
    expect(await statuses(payout)).toEqual(['SUCCESS', 'FAILED']);
    expect((await walletpay.item(payout.itemId)).errors).toMatchObject({ name: 'RECEIVER_ACCOUNT_LOCKED' });
    const event = bench.receiver.received[1]?.body;
    expect(event?.['event_type']).toBe('PAYMENT.PAYOUTS-ITEM.FAILED');
    expect(event?.['resource']).not.toHaveProperty('errors');
    expect(await walletpay.books()).toEqual({});
  });

  it.each([
    ['ERRPYO001', 403, 'SENDER_RESTRICTED'],
    ['ERRPYO002', 403, 'SENDER_EMAIL_UNCONFIRMED'],
    ['ERRPYO003', 403, 'AUTHORIZATION_ERROR'],
    ['ERRPYO005', 422, 'INSUFFICIENT_FUNDS'],
    ['ERRPYO006', 500, 'INTERNAL_SERVER_ERROR'],
    ['ERRPYO010', 400, 'VALIDATION_ERROR'],
  ])('note %s: refused with %i %s, and nothing happens', async (note, status, name) => {
    const { walletpay } = bench;
    const fields = payoutFields('ok@example.org', { note });
    const refused = await walletpay.sendPayout(fields);
    expect([refused.status, refused.body['name']]).toEqual([status, name]);
    await walletpay.advance(MINUTE);
    expect(reported()).toEqual([]);
  });

  it('note POSPYO001: accepted', async () => {
    const { status } = await bench.walletpay.sendPayout(payoutFields('a@example.org', { note: 'POSPYO001' }));
    expect(status).toBe(201);
  });
});

describe('scenario 12: unclaimed', () => {
  const unclaimed = async (receiver: string, changes = {}) => {
    const payout = await bench.walletpay.payout(receiver, changes);
    await bench.walletpay.advance(MINUTE);
    expect(await statuses(payout)).toEqual(['SUCCESS', 'UNCLAIMED']);
    expect((await bench.walletpay.item(payout.itemId)).errors).toMatchObject({
      name: 'RECEIVER_UNREGISTERED',
    });
    expect(reported()).toContain('PAYMENT.PAYOUTS-ITEM.UNCLAIMED');
    expect(await bench.walletpay.books()).toEqual({});
    return payout;
  };

  it.each(['po-3f5a91', '3f5a91'])('is claimed, by the name %s', async (name) => {
    const { walletpay } = bench;
    const payout = await unclaimed('unclaimed@example.org', { sender_item_id: 'po-3f5a91' });
    expect((await walletpay.decideItem(name, 'claim')).body).toEqual({
      success: true,
      payout_item_id: payout.itemId,
      action: 'claim',
      transaction_status: 'SUCCESS',
    });
    expect(await walletpay.item(payout.itemId)).not.toHaveProperty('errors');
    await walletpay.advance(31 * DAY);
    expect(reported().filter((type) => type === 'PAYMENT.PAYOUTS-ITEM.SUCCEEDED')).toHaveLength(1);
    expect(reported()).not.toContain('PAYMENT.PAYOUTS-ITEM.RETURNED');
    expect(await statuses(payout)).toEqual(['SUCCESS', 'SUCCESS']);
    expect(await walletpay.books()).toMatchObject({ USD: { payouts: { successes: 1 } } });
  });

  it.each(['unclaimed@example.org', 'unclaimed-return@example.org'])(
    '%s is returned after thirty days',
    async (receiver) => {
      const { walletpay } = bench;
      const payout = await unclaimed(receiver);
      await walletpay.advance(29 * DAY);
      expect(await statuses(payout)).toEqual(['SUCCESS', 'UNCLAIMED']);
      await walletpay.advance(DAY);
      expect(await statuses(payout)).toEqual(['SUCCESS', 'RETURNED']);
      expect(reported().at(-1)).toBe('PAYMENT.PAYOUTS-ITEM.RETURNED');
      expect((await walletpay.decideItem(payout.itemId, 'claim')).status).toBe(409);
    },
  );

  it('is returned on request', async () => {
    const { walletpay } = bench;
    const payout = await unclaimed('unclaimed@example.org');
    await walletpay.decideItem(payout.itemId, 'return');
    await walletpay.advance(MINUTE);
    expect(lastResource()).toMatchObject({ transaction_status: 'RETURNED' });
    expect(reported().at(-1)).toBe('PAYMENT.PAYOUTS-ITEM.RETURNED');
  });

  it('is cancelled once by the sender, and not again', async () => {
    const { walletpay } = bench;
    const payout = await unclaimed('unclaimed@example.org');
    const first = await walletpay.cancelItem(payout.itemId);
    expect([first.status, first.body.transaction_status]).toEqual([200, 'RETURNED']);
    const again = await walletpay.cancelItem(payout.itemId);
    expect([again.status, again.body['name']]).toEqual([400, 'ITEM_ALREADY_CANCELLED']);
    await walletpay.advance(31 * DAY);
    expect(reported().at(-1)).toBe('PAYMENT.PAYOUTS-ITEM.CANCELED');
    expect(await walletpay.books()).toEqual({});
  });

  it('only an unclaimed payout can be cancelled', async () => {
    const { walletpay } = bench;
    const { itemId } = await walletpay.payout();
    expect((await walletpay.cancelItem(itemId)).body['name']).toBe('ITEM_INCORRECT_STATUS');
    await walletpay.advance(MINUTE);
    expect((await walletpay.cancelItem(itemId)).body['name']).toBe('ITEM_INCORRECT_STATUS');
    expect((await walletpay.cancelItem('NOSUCHITEM')).status).toBe(404);
  });
});

describe('a paid payout', () => {
  it.each([
    ['return', 'RETURNED', ['PAYMENT.PAYOUTS-ITEM.RETURNED']],
    ['refund', 'REFUNDED', ['PAYMENT.PAYOUTS-ITEM.REFUNDED']],
    ['reverse', 'REVERSED', []],
  ] as const)('is returned in full by %s, once, and is reported', async (action, status, events) => {
    const { walletpay } = bench;
    const payout = await walletpay.payout();
    await walletpay.advance(MINUTE);
    const before = reported().length;
    expect((await walletpay.decideItem(payout.itemId, action)).body).toMatchObject({
      transaction_status: status,
    });
    expect((await walletpay.decideItem(payout.itemId, action)).status).toBe(409);
    await walletpay.advance(MINUTE);
    expect(await statuses(payout)).toEqual(['SUCCESS', status]);
    expect(reported().slice(before)).toEqual(events);
    const one = { successes: 1, amount: '40.00' };
    expect(await walletpay.books()).toMatchObject({ USD: { payouts: one, returns: one } });
  });

  it('is not claimed, and a pending one is neither refunded nor reversed', async () => {
    const { walletpay } = bench;
    const paid = await walletpay.payout();
    const waits = await walletpay.payout('unclaimed@example.org');
    await walletpay.advance(MINUTE);
    expect((await walletpay.decideItem(paid.itemId, 'claim')).status).toBe(409);
    for (const action of ['refund', 'reverse'] as const) {
      expect((await walletpay.decideItem(waits.itemId, action)).status).toBe(409);
    }
  });
});

describe('scenario 13', () => {
  it('denied@: the whole batch', async () => {
    const payout = await bench.walletpay.payout('denied@example.org');
    await bench.walletpay.advance(MINUTE);
    expect(await statuses(payout)).toEqual(['DENIED', 'DENIED']);
    expect(reported()).toEqual(['PAYMENT.PAYOUTS-ITEM.DENIED', 'PAYMENT.PAYOUTSBATCH.DENIED']);
  });

  it.each([
    ['held@example.org', 'ONHOLD', 'HELD', 'REGULATORY_PENDING'],
    ['blocked@example.org', 'BLOCKED', 'BLOCKED', 'REGULATORY_BLOCKED'],
  ])('%s: %s', async (receiver, status, event, error) => {
    const payout = await bench.walletpay.payout(receiver);
    await bench.walletpay.advance(MINUTE);
    expect(await statuses(payout)).toEqual(['SUCCESS', status]);
    expect(reported()).toContain(`PAYMENT.PAYOUTS-ITEM.${event}`);
    expect((await bench.walletpay.item(payout.itemId)).errors).toMatchObject({ name: error });
  });

  it('a payout on hold can be released', async () => {
    const payout = await bench.walletpay.payout('held@example.org');
    await bench.walletpay.advance(MINUTE);
    await bench.walletpay.decideItem(payout.itemId, 'claim');
    expect(await statuses(payout)).toEqual(['SUCCESS', 'SUCCESS']);
  });
});

describe('scenario 14: the answer is lost', () => {
  const twinOf = (body: unknown) => (body as WireError).details[0]?.link?.[0]?.href ?? '';

  it('lost@: accepted, and a repeated request names the batch', async () => {
    const { walletpay } = bench;
    const fields = payoutFields('lost@example.org');
    await expect(walletpay.sendPayout(fields)).rejects.toThrow('fetch failed');
    const again = await walletpay.sendPayout(fields);
    expect(again.status).toBe(400);
    expect(again.body).toMatchObject({
      name: 'USER_BUSINESS_ERROR',
      details: [
        {
          field: 'SENDER_BATCH_ID',
          issue: 'Batch with given sender_batch_id already exists',
          link: [{ rel: 'self', method: 'GET' }],
        },
      ],
    });
    await walletpay.advance(MINUTE);
    const path = twinOf(again.body).replace(walletpay.origin, '');
    expect((await walletpay.get(path)).body).toMatchObject({ items: [{ transaction_status: 'SUCCESS' }] });
    expect(await walletpay.successes()).toHaveLength(1);
  });

  it('the sender’s id is kept for thirty days', async () => {
    const { walletpay } = bench;
    const fields = payoutFields();
    await walletpay.sendPayout(fields);
    await walletpay.advance(30 * DAY - MINUTE);
    expect((await walletpay.sendPayout(fields)).status).toBe(400);
    await walletpay.advance(2 * MINUTE);
    expect((await walletpay.sendPayout(fields)).status).toBe(201);
  });

  it('PayPal-Request-Id prevents nothing here, and without the sender’s id the payout is paid twice', async () => {
    const { walletpay } = bench;
    const fields = { ...payoutFields(), sender_batch_header: {} };
    const key = { 'paypal-request-id': 'payout-1' };
    for (const _ of [1, 2])
      expect((await walletpay.send('/v1/payments/payouts', fields, key)).status).toBe(201);
    await walletpay.advance(MINUTE);
    expect(await walletpay.successes()).toHaveLength(2);
  });
});

it.each([
  ['ERRPYO022', 'SUCCESS', 'UNCLAIMED', 'RECEIVER_UNREGISTERED'],
  ['ERRPYO015', 'SUCCESS', 'FAILED', 'CLOSED_MARKET'],
  ['ERRPYOB001', 'SUCCESS', 'SUCCESS', undefined],
  ['ERRPYOB002', 'PENDING', 'PENDING', undefined],
  ['ERRPYOB003', 'PROCESSING', 'PENDING', undefined],
  ['ERRPYOB004', 'DENIED', 'DENIED', 'RISK_DECLINE'],
])('the batch %s of the provider’s sandbox is %s with an item %s', async (id, status, itemStatus, error) => {
  const { batch_header: header, items } = await bench.walletpay.batch(id);
  expect([header.batch_status, items[0]?.transaction_status]).toEqual([status, itemStatus]);
  expect(items[0]?.errors?.['name']).toBe(error);
});
