import { randomUUID } from 'node:crypto';
import { startCardprocBench, type CardprocBench } from '../../support/simulator/cardproc-bench';

const INVALID = 0;
const COMPLETED = 1;

let bench: CardprocBench;
beforeEach(async () => {
  bench = await startCardprocBench();
});
afterEach(() => bench.stop());

const statusOf = async (trackingId: string) => (await bench.client.status(trackingId)).body;

describe('amounts whose decimals choose a scenario', () => {
  it('row 6, x.05: the browser returns, and no notification is sent', async () => {
    const trackingId = await bench.client.order({ amount: 20.05 });
    await bench.client.decide(trackingId, 'pay_card', true);
    await bench.client.advance(120_000);
    expect(await bench.client.stateOf(trackingId)).toBe(COMPLETED);
    expect(bench.reported()).toEqual([]);
    expect(await bench.client.visited()).toHaveLength(1);
  });

  it('row 7, x.06: no notification and no return', async () => {
    const trackingId = await bench.client.order({ amount: 20.06 });
    expect((await bench.client.decide(trackingId, 'pay_card', true)).body['return_url']).toBeNull();
    await bench.client.advance(120_000);
    expect(await bench.client.stateOf(trackingId)).toBe(COMPLETED);
    expect(bench.reported()).toEqual([]);
    expect(await bench.client.visited()).toEqual([]);
  });

  it('row 8, x.07: the notification arrives ten seconds before the status call shows the payment', async () => {
    const { client, reported } = bench;
    const trackingId = await client.order({ amount: 20.07 });
    await client.decide(trackingId, 'pay_card');
    await client.advance(9_000);
    expect(reported()).toEqual([trackingId]);
    expect(await statusOf(trackingId)).toMatchObject({
      status_code: INVALID,
      error: { code: 'payment_details_not_found' },
    });
    expect((await client.decide(trackingId, 'pay_card')).status).toBe(409);
    await client.advance(1_500);
    expect(await client.stateOf(trackingId)).toBe(COMPLETED);
    await client.advance(60_000);
    expect(reported()).toEqual([trackingId]);
    expect(await client.books()).toEqual({ KES: { successes: 1, amount: '20.07' } });
  });

  it('row 9, x.08: three identical notifications', async () => {
    const trackingId = await bench.client.order({ amount: 20.08 });
    await bench.client.decide(trackingId, 'pay_card');
    await bench.client.advance(60_000);
    expect(bench.reported()).toEqual([trackingId, trackingId, trackingId]);
    expect(new Set(bench.ipn.received.map(({ text }) => text)).size).toBe(1);
  });

  it('row 9, x.09: the notification arrives after a minute', async () => {
    const trackingId = await bench.client.order({ amount: 20.09 });
    await bench.client.decide(trackingId, 'pay_card');
    await bench.client.advance(59_000);
    expect(await bench.client.stateOf(trackingId)).toBe(COMPLETED);
    expect(bench.reported()).toEqual([]);
    await bench.client.advance(1_500);
    expect(bench.reported()).toEqual([trackingId]);
  });

  it.each([
    [20.1, 19.1],
    [1.1, 2.1],
  ])('row 14, %d: %d is paid', async (asked, paid) => {
    const trackingId = await bench.client.order({ amount: asked });
    expect((await statusOf(trackingId))['amount']).toBe(asked);
    await bench.client.decide(trackingId, 'pay_card');
    expect(await statusOf(trackingId)).toMatchObject({
      status_code: COMPLETED,
      amount: paid,
      currency: 'KES',
    });
    expect(await bench.client.books()).toEqual({ KES: { successes: 1, amount: paid.toFixed(2) } });
  });

  it('row 15, x.11: the answer to the first attempt is lost though the order was created; the second is answered', async () => {
    const { client } = bench;
    const id = `cp-${randomUUID().slice(0, 8)}a`;
    await expect(client.submit({ id, amount: 20.11 })).rejects.toThrow('fetch failed');
    expect((await client.submit({ id, amount: 20.11 })).body).toMatchObject({
      error: { code: 'duplicate_order_id' },
    });
    const trackingId = await client.order({ id: `${id}-2`, amount: 20.11 });
    await client.decide(trackingId, 'pay_card');
    expect(await client.books()).toEqual({ KES: { successes: 1, amount: '20.11' } });
    await expect(client.submit({ amount: 20.11 })).rejects.toThrow('fetch failed');
  });

  it('row 15, x.12: a 500, and nothing was created', async () => {
    const id = `cp-${randomUUID()}`;
    expect((await bench.client.submit({ id, amount: 20.12 })).status).toBe(500);
    expect((await bench.client.submit({ id })).body['error']).toBeNull();
  });

  it('row 15, x.13: an error inside a 200, without a tracking id', async () => {
    const { status, body } = await bench.client.submit({ amount: 20.13 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      order_tracking_id: null,
      redirect_url: null,
      error: { error_type: 'api_error', code: 'processing_error' },
      status: '500',
    });
  });

  it('row 17, x.14: mixed case, nulls, and the status as a number', async () => {
    const trackingId = await bench.client.order({ amount: 20.14 });
    const nulls = { message: null, payment_account: null, payment_status_code: null };
    expect(await statusOf(trackingId)).toMatchObject({
      ...nulls,
      payment_status_description: 'Invalid',
      error: { code: 'payment_details_not_found' },
      status: 500,
    });
    await bench.client.decide(trackingId, 'pay_card');
    expect(await statusOf(trackingId)).toMatchObject({
      ...nulls,
      payment_status_description: 'Completed',
      status_code: COMPLETED,
      error: { code: null },
      status: 200,
    });
  });
});
