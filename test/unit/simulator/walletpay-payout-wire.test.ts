import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { payoutFields, type WireError } from '../../support/simulator/walletpay-client';

const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const longId: unknown = expect.stringMatching(/^[A-Z0-9]{17}$/);
const shortId: unknown = expect.stringMatching(/^[A-Z0-9]{13}$/);

let bench: TestBench;
let base: string;
beforeAll(async () => {
  bench = await startTestBench();
  base = bench.walletpay.origin;
});
afterAll(() => bench.stop());

describe('POST /v1/payments/payouts', () => {
  it('answers with the batch, and sends its details later', async () => {
    const { walletpay } = bench;
    const fields = payoutFields('ok@example.org', { sender_item_id: 'po-3f5a91' });
    const { status, body } = await walletpay.sendPayout(fields);
    expect(status).toBe(201);
    const batchId = body.batch_header.payout_batch_id;
    const self = {
      href: `${base}/v1/payments/payouts/${batchId}`,
      rel: 'self',
      method: 'GET',
      encType: 'application/json',
    };
    expect(body).toEqual({
      batch_header: {
        payout_batch_id: shortId,
        batch_status: 'PENDING',
        sender_batch_header: fields['sender_batch_header'],
      },
      links: [self],
    });
    const { sender_batch_id: senderBatchId } = fields['sender_batch_header'] as Record<string, string>;
    await walletpay.advance(60_000);
    const batch = await walletpay.batch(batchId);
    const itemId = batch.items[0]?.payout_item_id ?? '';
    expect(batch).toEqual({
      batch_header: {
        payout_batch_id: batchId,
        batch_status: 'SUCCESS',
        time_created: time,
        time_completed: time,
        sender_batch_header: fields['sender_batch_header'],
        funding_source: 'BALANCE',
        amount: { currency: 'USD', value: '40.00' },
        fees: { currency: 'USD', value: '0.25' },
        payments: 1,
      },
      items: [
        {
          payout_item_id: shortId,
          transaction_id: longId,
          activity_id: longId,
          transaction_status: 'SUCCESS',
          payout_item_fee: { currency: 'USD', value: '0.25' },
          payout_batch_id: batchId,
          sender_batch_id: senderBatchId,
          payout_item: {
            recipient_type: 'EMAIL',
            amount: { currency: 'USD', value: '40.00' },
            note: 'Order 77',
            receiver: 'ok@example.org',
            sender_item_id: 'po-3f5a91',
            recipient_wallet: 'PAYPAL',
          },
          time_processed: time,
          links: [
            {
              href: `${base}/v1/payments/payouts-item/${itemId}`,
              rel: 'item',
              method: 'GET',
              encType: 'application/json',
            },
            { ...self, rel: 'batch' },
          ],
        },
      ],
      links: [self],
    });
    expect(await walletpay.item(itemId)).toEqual(batch.items[0]);
  });

  it.each([
    ['receiver', { receiver: 'not an e-mail' }, 'items[0].receiver'],
    ['currency', { amount: { currency: 'KES', value: '1.00' } }, 'items[0].amount.currency'],
    ['amount', { amount: { currency: 'USD', value: '0.00' } }, 'items[0].amount.value'],
    ['recipient type', { recipient_type: 'PHONE' }, 'items[0].recipient_type'],
    ['sender_item_id', { sender_item_id: 'x'.repeat(64) }, 'items[0].sender_item_id'],
    ['note', { note: 'x'.repeat(4_001) }, 'items[0].note'],
  ])('refuses a wrong %s', async (_what, changes, field) => {
    const { status, body } = await bench.walletpay.sendPayout(payoutFields('ok@example.org', changes));
    expect([status, body['name']]).toEqual([400, 'VALIDATION_ERROR']);
    expect((body as unknown as WireError).details).toMatchObject([{ field, location: 'body' }]);
  });

  it('refuses two currencies in one batch', async () => {
    const [dollars, euros] = [
      payoutFields(),
      payoutFields('b@example.org', { amount: { currency: 'EUR', value: '1.00' } }),
    ];
    const items = [...(dollars['items'] as object[]), ...(euros['items'] as object[])];
    expect((await bench.walletpay.sendPayout({ ...dollars, items })).status).toBe(400);
  });
});
