import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { password } from '../../support/simulator/daraja-client';

const SUCCESS = '254708374149';

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const callbacks = () => bench.receiver.received.map(({ stkCallback }) => stkCallback);
const resultCodes = () => callbacks().map(({ ResultCode }) => ResultCode);

describe('scenarios that the control API switches on', () => {
  it.each([
    ['expired_token', 404, '404.001.03'],
    ['other_token_error', 400, '400.003.01'],
  ])(
    'a token refused during the call (%s) is refused once, and nothing happened',
    async (behave, status, code) => {
      const { daraja } = bench;
      await daraja.next({ call: 'initiate', behave });
      expect(await daraja.initiate(SUCCESS)).toMatchObject({
        status,
        body: { errorCode: code, errorMessage: 'Invalid Access Token' },
      });
      await daraja.prompt(SUCCESS);
      await daraja.advance(3_000);
      expect(callbacks()).toHaveLength(1);
    },
  );

  it('a rate limit answers 429 as many times as set', async () => {
    const { daraja } = bench;
    await daraja.next({ call: 'initiate', behave: '429', times: 2 });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await daraja.initiate(SUCCESS)).status);
    expect(statuses).toEqual([429, 429, 200]);
  });

  it.each([
    ['spike_arrest', '500.003.02', 'Error Occurred: Spike Arrest Violation', 0],
    ['quota', '500.003.03', 'Error Occurred: Quota Violation', 0],
    ['act_then_error', '500.003.1001', 'Internal Server Error', 1],
  ])('%s answers 500 and %s, with %j', async (behave, errorCode, errorMessage, prompts) => {
    const { daraja } = bench;
    await daraja.next({ call: 'initiate', behave });
    expect(await daraja.initiate(SUCCESS)).toMatchObject({ status: 500, body: { errorCode, errorMessage } });
    await daraja.advance(3_000);
    expect(callbacks()).toHaveLength(prompts);
  });

  it('the same amount of the same payer within two minutes fails with 17, and the first is paid', async () => {
    const { daraja } = bench;
    await daraja.next({ call: 'prompt', behave: 'rule_limited' });
    const first = await daraja.prompt(SUCCESS);
    await daraja.advance(100_000);
    const again = await daraja.prompt(SUCCESS);
    const others = [
      await daraja.prompt(SUCCESS, { Amount: 1251 }),
      await daraja.prompt('254708374150', { PartyA: '254708374150' }),
    ];
    await daraja.advance(18_000);
    const stillTooSoon = await daraja.prompt(SUCCESS);
    // A rate-limited request does not count: two minutes after the first request is late enough.
    await daraja.advance(3_000);
    const late = await daraja.prompt(SUCCESS);
    await daraja.advance(3_000);
    const outcomes = [first, again, ...others, stillTooSoon, late].map((id) => daraja.outcomeOf(id));
    expect(await Promise.all(outcomes)).toEqual(['0', '17', '0', '0', '17', '0']);
    expect(callbacks().find(({ CheckoutRequestID: id }) => id === again)).toMatchObject({
      ResultCode: 17,
      ResultDesc: 'Rule limited.',
    });
  });

  it('forged notifications are sent to a wrong path and about another payment, besides the right one', async () => {
    const { daraja, receiver } = bench;
    await daraja.next({ call: 'callback', behave: 'forge' });
    const id = await daraja.prompt(SUCCESS);
    await daraja.advance(3_000);

    const [wrongPath, wrongPayment, genuine] = receiver.received;
    expect(receiver.received).toHaveLength(3);
    expect(wrongPath?.path).toMatch(/^\/in\/stk\/[0-9a-f]{32}$/);
    expect(wrongPath?.path).not.toBe(genuine?.path);
    expect(wrongPayment?.path).toBe(genuine?.path);
    expect(wrongPayment?.stkCallback.CheckoutRequestID).toMatch(/^ws_CO_\d{20}708374149$/);
    expect(wrongPayment?.stkCallback.CheckoutRequestID).not.toBe(id);
    expect(genuine?.stkCallback.CheckoutRequestID).toBe(id);
    expect(await daraja.successes()).toHaveLength(1);
  });
});

describe('a number ending in 600', () => {
  const PERSON = '254711111600';

  it('waits, and pays when the tester decides so', async () => {
    const { daraja } = bench;
    const id = await daraja.prompt(PERSON);
    await daraja.advance(30_000);
    expect(await daraja.outcomeOf(id)).toBe('open');
    expect((await daraja.decide(id, 'pay')).status).toBe(200);
    expect(await daraja.outcomeOf(id)).toBe('0');
    await daraja.advance(100_000);
    expect(resultCodes()).toEqual([0]);
    expect(await daraja.books()).toEqual({ KES: { successes: 1, amount: '1250.00' } });
  });

  it('is cancelled when the tester decides so', async () => {
    const { daraja } = bench;
    const id = await daraja.prompt(PERSON);
    await daraja.decide(id, 'cancel');
    await daraja.advance(100_000);
    expect(resultCodes()).toEqual([1032]);
  });

  it.each(['ignored', 'left alone'])('expires after a minute when it is %s', async (how) => {
    const { daraja } = bench;
    const id = await daraja.prompt(PERSON);
    if (how === 'ignored') await daraja.decide(id, 'ignore');
    await daraja.advance(58_000);
    expect(await daraja.outcomeOf(id)).toBe('open');
    await daraja.advance(3_000);
    expect(resultCodes()).toEqual([1037]);
  });

  it('that was cancelled may turn out to be paid, as some networks report', async () => {
    const { daraja } = bench;
    const id = await daraja.prompt(PERSON);
    expect((await daraja.decide(id, 'pay_late')).status).toBe(409);
    await daraja.decide(id, 'cancel');
    expect((await daraja.decide(id, 'pay_late')).status).toBe(200);
    expect(await daraja.outcomeOf(id)).toBe('0');
    expect((await daraja.decide(id, 'pay_late')).status).toBe(409);
  });

  it('cannot be decided twice, nor after it expired, nor when it does not exist', async () => {
    const { daraja } = bench;
    const decided = await daraja.prompt(PERSON);
    await daraja.decide(decided, 'ignore');
    const expired = await daraja.prompt(PERSON);
    await daraja.advance(61_000);
    const automatic = await daraja.prompt(SUCCESS);

    expect((await daraja.decide(decided, 'pay')).status).toBe(409);
    expect((await daraja.decide(expired, 'pay')).status).toBe(409);
    expect((await daraja.decide(automatic, 'pay')).status).toBe(409);
    expect(await daraja.decide('ws_CO_none', 'pay')).toMatchObject({ status: 404, body: { success: false } });
    expect(await daraja.decide(decided, 'refuse')).toMatchObject({
      status: 400,
      body: { success: false, error: 'action must be one of: pay, cancel, ignore' },
    });
  });
});

it('a password made with another passkey is refused before any scenario begins', async () => {
  const { status, body } = await bench.daraja.initiate('254700000708', { Password: password('another') });
  expect([status, body['errorCode'], body['errorMessage']]).toEqual([
    500,
    '500.001.1001',
    'Wrong credentials',
  ]);
});
