import { startTestBench, type TestBench } from '../../support/simulator/bench';

/** A little more than one virtual minute: every scenario that ends has ended by then. */
const LONG = 70_000;
const number = (suffix: string) => `256700000${suffix}`;

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

const webhooks = () => bench.receiver.received.map(({ body }) => body);
const states = () => webhooks().map(({ state }) => state);
const end = async (suffix: string) => {
  const invoiceId = await bench.xb.collect(number(suffix));
  await bench.xb.advance(LONG);
  const { body } = await bench.xb.status(invoiceId);
  return body.invoice;
};

describe('row 1: a number that pays', () => {
  it.each([
    ['256700000789', 'UGX'],
    ['255700000789', 'TZS'],
    ['256712345678', 'UGX'],
  ])('%s: webhooks PENDING, PROCESSING after 1 s and COMPLETE after 3 s', async (phone, currency) => {
    const { xb } = bench;
    const invoiceId = await xb.collect(phone);
    await xb.advance(500);
    expect(states()).toEqual(['PENDING']);
    await xb.advance(1_000);
    expect(states()).toEqual(['PENDING', 'PROCESSING']);
    expect(await xb.stateOf(invoiceId)).toBe('PROCESSING');
    await xb.advance(2_000);
    expect(states()).toEqual(['PENDING', 'PROCESSING', 'COMPLETE']);
    expect(webhooks().at(-1)).toMatchObject({
      invoice_id: invoiceId,
      value: '20000.00',
      charges: '600.00',
      net_amount: '19400.00',
      currency,
      mpesa_reference: expect.stringMatching(/^(UG|TZ)\d{11}$/),
    });
    expect(await xb.stateOf(invoiceId)).toBe('COMPLETE');
    expect(await xb.books()).toEqual({ [currency]: { successes: 1, amount: '20000.00' } });
  });

  it('charges the fees to the customer when requested', async () => {
    await bench.xb.collect(number('789'), { mobile_tarrif: 'CUSTOMER-PAYS' });
    await bench.xb.advance(LONG);
    expect(webhooks().at(-1)).toMatchObject({ charges: '600.00', net_amount: '20000.00' });
  });
});

describe('numbers that do not pay', () => {
  it.each([
    ['row 2', '049', 'FAILED', 'insufficient balance', '1'],
    ['row 3', '032', 'FAILED', 'Request cancelled by user', '1032'],
    ['row 3', '033', 'CANCELLED', 'Request cancelled by user', null],
    ['row 4', '029', 'FAILED', 'account validation failed', null],
  ])('%s, …%s: %s, %s, code %s', async (_row, suffix, state, reason, code) => {
    const failed = { state, failed_reason: reason, failed_code: code, mpesa_reference: null };
    expect(await end(suffix)).toMatchObject(failed);
    expect(states()).toEqual(['PENDING', 'PROCESSING', state]);
    expect(webhooks().at(-1)).toMatchObject(failed);
    expect(await bench.xb.books()).toEqual({});
  });

  it('row 5, …037: PROCESSING for a minute, then FAILED without an answer', async () => {
    const { xb } = bench;
    const invoiceId = await xb.collect(number('037'));
    await xb.advance(58_000);
    expect(await xb.stateOf(invoiceId)).toBe('PROCESSING');
    await xb.advance(3_000);
    expect((await xb.status(invoiceId)).body.invoice).toMatchObject({
      state: 'FAILED',
      failed_reason: 'timeout',
    });
    expect(states()).toEqual(['PENDING', 'PROCESSING', 'FAILED']);
  });

  it('row 6, …129: PROCESSING forever', async () => {
    const invoiceId = await bench.xb.collect(number('129'));
    await bench.xb.advance(72 * 3_600_000);
    expect(await bench.xb.stateOf(invoiceId)).toBe('PROCESSING');
    expect(states()).toEqual(['PENDING', 'PROCESSING']);
  });
});

describe('unusual webhooks', () => {
  it('row 7, …701: none after PENDING, and the status call answers COMPLETE after 3 s', async () => {
    const { xb } = bench;
    const invoiceId = await xb.collect(number('701'));
    await xb.advance(2_000);
    expect(await xb.stateOf(invoiceId)).toBe('PROCESSING');
    await xb.advance(LONG);
    expect(await xb.stateOf(invoiceId)).toBe('COMPLETE');
    expect(states()).toEqual(['PENDING']);
    expect(await xb.successes()).toHaveLength(1);
  });

  it('row 8, …702: COMPLETE at 3 s by status, at 60 s by webhook', async () => {
    const { xb } = bench;
    const invoiceId = await xb.collect(number('702'));
    await xb.advance(50_000);
    expect(await xb.stateOf(invoiceId)).toBe('COMPLETE');
    expect(states()).toEqual(['PENDING', 'PROCESSING']);
    await xb.advance(11_000);
    expect(states()).toEqual(['PENDING', 'PROCESSING', 'COMPLETE']);
  });

  it('row 9, …703: COMPLETE three times, with the same bytes', async () => {
    await end('703');
    const texts = bench.receiver.received.slice(-3).map(({ text }) => text);
    expect(states()).toEqual(['PENDING', 'PROCESSING', 'COMPLETE', 'COMPLETE', 'COMPLETE']);
    expect(new Set(texts).size).toBe(1);
    expect(await bench.xb.books()).toEqual({ UGX: { successes: 1, amount: '20000.00' } });
  });

  it('row 10, …704: COMPLETE, then PROCESSING', async () => {
    expect(await end('704')).toMatchObject({ state: 'COMPLETE' });
    expect(states()).toEqual(['PENDING', 'COMPLETE', 'PROCESSING']);
  });

  it('row 13, …708: PROCESSING, RETRY, PROCESSING, COMPLETE', async () => {
    expect(await end('708')).toMatchObject({ state: 'COMPLETE', retry_count: 1 });
    expect(states()).toEqual(['PENDING', 'PROCESSING', 'RETRY', 'PROCESSING', 'COMPLETE']);
    expect(webhooks().map(({ retry_count }) => retry_count)).toEqual([0, 0, 1, 1, 1]);
  });

  it('row 14, …709: a smaller value is paid', async () => {
    expect(await end('709')).toMatchObject({ state: 'COMPLETE', value: 19_999, charges: 599.97 });
    expect(await bench.xb.books()).toEqual({ UGX: { successes: 1, amount: '19999.00' } });
  });
});

describe('submissions that fail', () => {
  it('row 11, …705: the answer is lost, and the webhooks follow', async () => {
    await expect(bench.xb.initiate(number('705'))).rejects.toThrow('fetch failed');
    await bench.xb.advance(LONG);
    expect(states()).toEqual(['PENDING', 'PROCESSING', 'COMPLETE']);
    expect(webhooks()[0]).toMatchObject({ api_ref: 'xb-6f1d0a6e' });
  });

  it.each([
    ['706', 'nothing was accepted', []],
    ['707', 'it was accepted', ['PENDING', 'PROCESSING', 'COMPLETE']],
  ])('row 12, …%s: 500, and %s', async (suffix, _what, reported) => {
    expect(await bench.xb.initiate(number(suffix))).toMatchObject({
      status: 500,
      body: { detail: 'A server error occurred.' },
    });
    await bench.xb.advance(LONG);
    expect(states()).toEqual(reported);
  });
});

describe('scenarios that POST /control/next switches on', () => {
  it('row 15: a webhook with a wrong challenge', async () => {
    const { xb } = bench;
    await xb.next({ call: 'callback', behave: 'wrong_challenge', times: 3 });
    const invoiceId = await xb.collect(number('789'));
    await xb.advance(LONG);
    expect(states()).toEqual(['PENDING', 'PROCESSING', 'COMPLETE']);
    for (const { challenge } of webhooks()) expect(challenge).not.toBe('test-challenge');
    expect(await xb.stateOf(invoiceId)).toBe('COMPLETE');
  });

  it('row 15: an event of another type, before the webhook', async () => {
    await bench.xb.next({ call: 'callback', behave: 'other_event' });
    await bench.xb.collect(number('129'));
    await bench.xb.advance(500);
    expect(webhooks()).toMatchObject([
      { chargeback_id: expect.any(String), challenge: 'test-challenge' },
      { state: 'PENDING', challenge: 'test-challenge' },
    ]);
    expect(webhooks()[0]).not.toHaveProperty('state');
  });

  it.each([
    ['401', 'Invalid token.'],
    ['429', 'Request was throttled. Expected available in 30 seconds.'],
    ['503', 'Service temporarily unavailable, try again later.'],
  ])('row 16: %s in the standard body, and nothing happened', async (behave, detail) => {
    const { xb } = bench;
    for (const call of ['initiate', 'status']) await xb.next({ call, behave });
    const refused = { status: Number(behave), body: { detail } };
    expect(await xb.initiate(number('789'))).toMatchObject(refused);
    expect(await xb.status('QX7PL2K')).toMatchObject(refused);
    await xb.advance(LONG);
    expect(webhooks()).toEqual([]);
  });

  it('row 17: no webhook until the reset', async () => {
    const { xb } = bench;
    await xb.next({ call: 'callback', behave: 'switched_off' });
    const unheard = await xb.collect(number('789'));
    await xb.collect(number('708'));
    await xb.advance(LONG);
    expect(await xb.stateOf(unheard)).toBe('COMPLETE');
    expect(webhooks()).toEqual([]);

    await xb.post('/control/reset', {});
    await xb.collect(number('129'));
    await xb.advance(LONG);
    expect(states()).toEqual(['PENDING', 'PROCESSING']);
  });
});

describe('a webhook that is not acknowledged', () => {
  it('is retried after 5 minutes, then at growing intervals, six times in all', async () => {
    const { xb, receiver } = bench;
    receiver.answerWith(503);
    await xb.next({ call: 'callback', behave: 'drop', where: { phone_number: number('129') } });
    await xb.collect(number('129'));
    const tries = async (minutes: number) => {
      await xb.advance(minutes * 60_000);
      return receiver.received.length;
    };
    expect([await tries(1), await tries(5), await tries(20), await tries(40)]).toEqual([1, 2, 3, 4]);
    expect([await tries(80), await tries(160), await tries(10_000)]).toEqual([5, 6, 6]);
  });

  it('is the last one after 21 failures in a row', async () => {
    const { xb, receiver } = bench;
    receiver.answerWith(500);
    for (let n = 0; n < 4; n += 1) await xb.collect(number('129'));
    await xb.advance(10 * 3_600_000);
    expect(receiver.received).toHaveLength(21);
    const { rules } = (await xb.call<{ rules: unknown[] }>('/control/next')).body;
    expect(rules).toMatchObject([{ provider: 'xb', call: 'callback', behave: 'switched_off' }]);
  });
});

it('rows of the documented table are all on the index page', async () => {
  const { text } = await bench.xb.call('/');
  const suffixes = ['789', '049', '032', '033', '029', '037', '129', '701', '702', '703', '704', '705'];
  for (const suffix of [...suffixes, '706', '707', '708', '709', '710', '711', '712'])
    expect(text).toContain(number(suffix));
});

describe('the controls', () => {
  it('decide a collection instead of its scenario, and again while it is not paid', async () => {
    const { xb } = bench;
    const invoiceId = await xb.collect(number('789'));
    const decide = async (id: string, action: string) =>
      (await xb.post(`/control/xb/invoices/${id}`, { action })).status;
    expect(await decide(invoiceId, 'fail')).toBe(200);
    await xb.advance(LONG);
    expect(await xb.stateOf(invoiceId)).toBe('FAILED');
    expect(await decide(invoiceId, 'pay')).toBe(200);
    expect(await xb.stateOf(invoiceId)).toBe('COMPLETE');
    await xb.advance(1_000);
    expect(states().filter((state) => state === 'FAILED' || state === 'COMPLETE')).toEqual([
      'FAILED',
      'COMPLETE',
    ]);
    expect([
      await decide(invoiceId, 'pay'),
      await decide('NONE000', 'pay'),
      await decide(invoiceId, 'x'),
    ]).toEqual([409, 404, 400]);
  });
});
