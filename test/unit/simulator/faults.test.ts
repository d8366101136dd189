import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { basic } from '../../support/simulator/daraja-client';
import { eventually } from './eventually';

const SUCCESS = '254708374149';

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const nothingHappened = async () => {
  await bench.daraja.advance(600_000);
  expect(bench.receiver.received).toEqual([]);
  expect(await bench.daraja.books()).toEqual({});
};
const paidOnce = async () => {
  await bench.daraja.advance(600_000);
  expect(await bench.daraja.successes()).toHaveLength(1);
};
const lastRequest = async () => (await bench.daraja.requests()).at(-1);

describe('a submission with the fault', () => {
  it('hang is not answered until the caller disconnects, and nothing happened', async () => {
    const { daraja } = bench;
    await daraja.next({ call: 'initiate', behave: 'hang' });
    const headers = { 'content-type': 'application/json', authorization: await daraja.bearer() };
    const caller = new AbortController();
    const answer = fetch(`${daraja.origin}/mpesa/stkpush/v1/processrequest`, {
      method: 'POST',
      headers,
      body: '{}',
      signal: caller.signal,
    });
    await eventually('the request arrives', async () =>
      (await lastRequest())?.['fault'] === 'hang' ? true : undefined,
    );
    expect(await lastRequest()).not.toHaveProperty('answer');
    caller.abort();
    await expect(answer).rejects.toThrow('aborted');
    await eventually('the end is noted', async () => (await lastRequest())?.['answer']);
    expect(await lastRequest()).toMatchObject({ answer: { ended: 'abandoned by the caller' } });
    await nothingHappened();
  });

  it('drop closes the connection, and nothing happened', async () => {
    await bench.daraja.next({ call: 'initiate', behave: 'drop' });
    await expect(bench.daraja.initiate(SUCCESS)).rejects.toThrow('fetch failed');
    await nothingHappened();
  });

  it.each([
    ['500', 500],
    ['html', 200],
  ])('%s answers %i with HTML, and nothing happened', async (behave, status) => {
    await bench.daraja.next({ call: 'initiate', behave });
    expect(await bench.daraja.initiate(SUCCESS)).toMatchObject({
      status,
      contentType: 'text/html; charset=utf-8',
    });
    await nothingHappened();
  });

  it('act_then_500 answers 500 with HTML, but the prompt was sent', async () => {
    await bench.daraja.next({ call: 'initiate', behave: 'act_then_500' });
    expect(await bench.daraja.initiate(SUCCESS)).toMatchObject({
      status: 500,
      contentType: 'text/html; charset=utf-8',
    });
    await paidOnce();
  });

  it('delay is processed at once and answered later', async () => {
    const { daraja, receiver } = bench;
    await daraja.bearer();
    await daraja.next({ call: 'initiate', behave: 'delay', ms: 300 });
    const before = Date.now();
    let answered = false;
    const answer = daraja.initiate(SUCCESS).finally(() => {
      answered = true;
    });
    await eventually('the prompt is on the handset', async () => {
      await daraja.advance(3_000);
      return receiver.received[0];
    });
    expect(answered).toBe(false);
    expect((await answer).body['ResponseCode']).toBe('0');
    expect(Date.now() - before).toBeGreaterThanOrEqual(295);
  });

  it('429 and expired_token are refused in the provider’s envelope, and nothing happened', async () => {
    const { daraja } = bench;
    await daraja.next({ call: 'initiate', behave: '429' });
    await daraja.next({ call: 'initiate', behave: 'expired_token' });
    expect(await daraja.initiate(SUCCESS)).toMatchObject({ status: 429, body: { errorCode: '500.003.02' } });
    expect(await daraja.initiate(SUCCESS)).toMatchObject({ status: 404, body: { errorCode: '404.001.03' } });
    await nothingHappened();
  });
});

it('a token call and a query can have faults too', async () => {
  const { daraja } = bench;
  await daraja.next({ call: 'token', behave: '500' });
  expect((await daraja.getToken()).status).toBe(500);
  expect((await daraja.getToken(basic())).status).toBe(200);

  const id = await daraja.prompt(SUCCESS);
  await daraja.next({ call: 'query', behave: 'html', where: { phone_number: SUCCESS } });
  expect((await daraja.query(id)).contentType).toBe('text/html; charset=utf-8');
  expect((await daraja.query(id)).body['errorCode']).toBe('500.001.1001');
});

it('a rule for one payer does not affect others', async () => {
  const { daraja } = bench;
  const [one, other] = ['254799000001', '254799000002'];
  await daraja.next({ call: 'initiate', behave: '500', where: { phone_number: one } });
  await daraja.next({ call: 'callback', behave: 'drop', where: { phone_number: one } });
  expect((await daraja.initiate(other)).status).toBe(200);
  expect((await daraja.initiate(one)).status).toBe(500);
  await daraja.prompt(one);
  await daraja.advance(3_000);
  expect(bench.receiver.received.map(({ stkCallback }) => stkCallback.CheckoutRequestID)).toEqual([
    expect.stringMatching(/799000002$/),
  ]);
  expect(await daraja.successes()).toHaveLength(2);
});

describe('a notification with the fault', () => {
  it('drop is not sent, though the payment succeeded', async () => {
    await bench.daraja.next({ call: 'callback', behave: 'drop' });
    const id = await bench.daraja.prompt(SUCCESS);
    await paidOnce();
    expect(bench.receiver.received).toEqual([]);
    expect(await lastRequest()).toMatchObject({
      call: 'callback',
      fault: 'drop',
      answer: { ended: 'not sent' },
    });
    expect(await bench.daraja.outcomeOf(id)).toBe('0');
  });

  it('delay is sent later, in virtual time', async () => {
    const { daraja, receiver } = bench;
    await daraja.next({ call: 'callback', behave: 'delay', ms: 90_000 });
    const id = await daraja.prompt(SUCCESS);
    await daraja.advance(90_000);
    expect(await daraja.outcomeOf(id)).toBe('0');
    expect(receiver.received).toEqual([]);
    await daraja.advance(5_000);
    expect(receiver.received).toHaveLength(1);
  });

  it('duplicate is sent ten times', async () => {
    await bench.daraja.next({ call: 'callback', behave: 'duplicate' });
    await bench.daraja.prompt(SUCCESS);
    await paidOnce();
    expect(bench.receiver.received).toHaveLength(10);
    expect(new Set(bench.receiver.received.map(({ text }) => text)).size).toBe(1);
  });

  it('reorder arrives before the answer to the submission', async () => {
    const { daraja, receiver } = bench;
    await daraja.next({ call: 'callback', behave: 'reorder', where: { phone_number: SUCCESS } });
    const id = await daraja.prompt(SUCCESS);
    expect(receiver.received.map(({ stkCallback }) => stkCallback.CheckoutRequestID)).toEqual([id]);
    await paidOnce();
    expect(receiver.received).toHaveLength(1);
  });

  it('contradict reports that the payer cancelled, and then that he paid', async () => {
    const { daraja, receiver } = bench;
    await daraja.next({ call: 'callback', behave: 'contradict' });
    await daraja.prompt(SUCCESS);
    await paidOnce();
    expect(receiver.received.map(({ stkCallback }) => stkCallback.ResultCode)).toEqual([1032, 0]);
  });
});
