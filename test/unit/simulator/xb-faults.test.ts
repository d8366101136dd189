import { startTestBench, type TestBench } from '../../support/simulator/bench';

const SUCCESS = '256700000789';

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const states = () => bench.receiver.received.map(({ body }) => body['state']);

it('a submission that is processed and whose connection is then dropped is paid all the same', async () => {
  const { xb } = bench;
  await xb.next({ call: 'initiate', behave: 'act_then_drop' });
  await expect(xb.initiate(SUCCESS)).rejects.toThrow('fetch failed');
  await xb.advance(10_000);
  expect(await xb.successes()).toHaveLength(1);
});

it.each(['drop', '500', 'html'])('with the fault %s the collection is not created', async (behave) => {
  const { xb } = bench;
  await xb.next({ call: 'initiate', behave, where: { phone_number: SUCCESS } });
  await xb.initiate(SUCCESS).catch(() => undefined);
  await xb.advance(10_000);
  expect(await xb.books()).toEqual({});
  expect((await xb.requests())[0]).toMatchObject({ call: 'initiate', fault: behave });
});

it('a fault can apply to the status calls about one payer', async () => {
  const { xb } = bench;
  const [spoilt, other] = [await xb.collect(SUCCESS), await xb.collect('256700000129')];
  await xb.next({ call: 'status', behave: '503', where: { phone_number: SUCCESS } });
  expect((await xb.status(other)).status).toBe(200);
  expect((await xb.status(spoilt)).status).toBe(503);
  expect((await xb.status(spoilt)).status).toBe(200);
});

it('the final result can arrive before the answer to the submission', async () => {
  const { xb } = bench;
  await xb.next({ call: 'callback', behave: 'reorder' });
  await xb.collect(SUCCESS);
  expect(states()).toEqual(['PENDING', 'PROCESSING', 'COMPLETE']);
  await xb.advance(10_000);
  expect(states()).toHaveLength(3);
});

it('one webhook can be dropped, delayed or sent ten times', async () => {
  const { xb } = bench;
  await xb.next({ call: 'callback', behave: 'drop' });
  await xb.next({ call: 'callback', behave: 'delay', ms: 60_000 });
  await xb.next({ call: 'callback', behave: 'duplicate' });
  await xb.collect(SUCCESS);
  await xb.advance(10_000);
  expect(states()).toEqual(Array<string>(10).fill('COMPLETE'));
  await xb.advance(60_000);
  expect(states().at(-1)).toBe('PROCESSING');
});

it('a webhook that reports a failure can arrive before the one that reports the payment', async () => {
  const { xb } = bench;
  await xb.next({ call: 'callback', behave: 'contradict' });
  await xb.collect(SUCCESS);
  await xb.advance(10_000);
  expect(states()).toEqual(['PENDING', 'PROCESSING', 'FAILED', 'COMPLETE']);
});

it('forged webhooks can arrive first, one of them with the right challenge', async () => {
  const { xb, receiver } = bench;
  const invoiceId = await xb.collect('256700000049');
  await xb.advance(2_000);
  await xb.next({ call: 'callback', behave: 'forge' });
  await xb.advance(2_000);
  const bodies = receiver.received.map(({ body }) => body).slice(-3);
  expect(bodies).toMatchObject([
    { invoice_id: invoiceId, state: 'COMPLETE', challenge: 'not-the-agreed-challenge' },
    { invoice_id: invoiceId, state: 'COMPLETE', challenge: 'test-challenge' },
    { invoice_id: invoiceId, state: 'FAILED', challenge: 'test-challenge' },
  ]);
  expect(await xb.books()).toEqual({});
});

it('a restart with the same state keeps invoices and scheduled jobs', async () => {
  const invoiceId = await bench.xb.collect('256700000702');
  await bench.xb.advance(10_000);
  await bench.restart();
  const { xb } = bench;
  expect(await xb.stateOf(invoiceId)).toBe('COMPLETE');
  expect(await xb.books()).toEqual({ UGX: { successes: 1, amount: '20000.00' } });
  await xb.advance(60_000);
  expect(states()).toEqual(['PENDING', 'PROCESSING', 'COMPLETE']);
});
