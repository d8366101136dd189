import { randomUUID } from 'node:crypto';
import { startCardprocBench, type CardprocBench } from '../../support/simulator/cardproc-bench';

const COMPLETED = 1;
const REVERSED = 3;

let bench: CardprocBench;
beforeEach(async () => {
  bench = await startCardprocBench();
});
afterEach(() => bench.stop());

/** Long enough for jobs that are due at once, too short for repetitions and late jobs. */
const settle = () => bench.client.advance(100);
const statusOf = async (trackingId: string) => (await bench.client.status(trackingId)).body;

describe('row 11: a reversal', () => {
  it('follows a completed payment: status 3, a notification, and the money returned in the books', async () => {
    const { client, reported } = bench;
    const trackingId = await client.order();
    await client.decide(trackingId, 'pay_card');
    await client.advance(30_000);
    expect((await client.decide(trackingId, 'reverse', true)).body).toMatchObject({ success: true });
    await settle();
    expect(await statusOf(trackingId)).toMatchObject({
      status_code: REVERSED,
      payment_status_description: 'REVERSED',
      amount: 1500,
      error: { code: null },
    });
    expect(reported()).toEqual([trackingId, trackingId]);
    expect(await client.books()).toEqual({
      KES: { successes: 1, amount: '1500.00', reversals: { successes: 1, amount: '1500.00' } },
    });
  });

  it('is refused for anything else', async () => {
    const { client } = bench;
    const trackingId = await client.order();
    expect((await client.decide(trackingId, 'reverse')).status).toBe(409);
    await client.decide(trackingId, 'fail');
    expect((await client.decide(trackingId, 'reverse')).status).toBe(409);
    await client.decide(trackingId, 'pay_card');
    await client.decide(trackingId, 'reverse');
    expect((await client.decide(trackingId, 'reverse')).status).toBe(409);
    expect((await client.decide(randomUUID(), 'reverse')).status).toBe(404);
  });
});

describe('row 12: a refund', () => {
  const paid = async (action = 'pay_card') => {
    const trackingId = await bench.client.order();
    await bench.client.decide(trackingId, action);
    const code = (await statusOf(trackingId))['confirmation_code'];
    return { trackingId, refund: { confirmation_code: code, amount: 1500 } };
  };
  const rejected = { status: 200, body: { status: 500, message: expect.stringContaining('rejected') } };

  it('is received, shown after five seconds, and paid only once', async () => {
    const { client, reported } = bench;
    const { trackingId, refund } = await paid();
    await settle();
    expect(await client.refund(refund)).toMatchObject({
      status: 200,
      body: { status: 200, message: expect.any(String) },
    });
    expect(await client.refund(refund)).toMatchObject(rejected);
    await client.advance(4_000);
    expect(await client.stateOf(trackingId)).toBe(COMPLETED);
    await client.advance(1_500);
    expect(await client.stateOf(trackingId)).toBe(REVERSED);
    expect(reported()).toEqual([trackingId, trackingId]);
    expect(await client.refund(refund)).toMatchObject(rejected);
    expect(await client.books()).toEqual({
      KES: { successes: 1, amount: '1500.00', refunds: { successes: 1, amount: '1500.00' } },
    });
  });

  it('can be a part of a card payment, which then does not show it', async () => {
    const { client, reported } = bench;
    const { trackingId, refund } = await paid();
    await settle();
    expect((await client.refund({ ...refund, amount: '500.00' })).body['status']).toBe(200);
    await client.advance(6_000);
    expect(await statusOf(trackingId)).toMatchObject({ status_code: COMPLETED, amount: 1500 });
    expect(await client.books()).toMatchObject({
      KES: { successes: 1, refunds: { successes: 1, amount: '500.00' } },
    });
    expect(reported()).toEqual([trackingId]);
    expect(await client.refund({ ...refund, amount: '500.00' })).toMatchObject(rejected);
  });

  it.each([
    ['remainder', COMPLETED, 1000],
    ['part', REVERSED, 500],
  ])('of a part can be shown as its %s', async (form, status_code, amount) => {
    const { client, reported } = bench;
    const path = '/control/cardproc/refunds';
    expect((await client.post(path, { parts_are_shown_as: 'nothing' })).status).toBe(400);
    expect((await client.post(path, { parts_are_shown_as: form })).status).toBe(200);
    const { trackingId, refund } = await paid();
    await client.refund({ ...refund, amount: '500.00' });
    await client.advance(6_000);
    expect(await statusOf(trackingId)).toMatchObject({ status_code, amount });
    expect(await client.books()).toMatchObject({
      KES: { successes: 1, amount: '1500.00', refunds: { successes: 1, amount: '500.00' } },
    });
    await settle();
    expect(reported()).toEqual([trackingId, trackingId]);
  });

  it('is rejected in part for mobile money, above what was paid, and for an unpaid order', async () => {
    const { client } = bench;
    const mobile = await paid('pay_mobile');
    expect(await client.refund({ ...mobile.refund, amount: 500 })).toMatchObject(rejected);
    expect(await client.refund({ ...mobile.refund, amount: 1500.01 })).toMatchObject(rejected);
    expect(await client.refund({ confirmation_code: 'NOTHING', amount: 1 })).toMatchObject(rejected);
    const failed = await paid('fail');
    expect(await client.refund(failed.refund)).toMatchObject(rejected);
    expect((await client.refund({ ...mobile.refund, username: '' })).body).toMatchObject({ status: 500 });
    await client.advance(6_000);
    expect(await client.stateOf(mobile.trackingId)).toBe(COMPLETED);
    expect((await client.refund(mobile.refund)).body['status']).toBe(200);
  });

  it('is not paid once the bank has returned the money', async () => {
    const { client } = bench;
    const { trackingId, refund } = await paid();
    await client.refund(refund);
    await client.decide(trackingId, 'reverse');
    await client.advance(10_000);
    expect(await client.books()).toEqual({
      KES: { successes: 1, amount: '1500.00', reversals: { successes: 1, amount: '1500.00' } },
    });
  });
});
