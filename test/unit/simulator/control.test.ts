import { providers } from '../../../simulator/providers';
import type { Request, Response } from 'express';
import { raw } from '../../support/api/serve';
import { loopbackOnly } from '../../../simulator/origin';
import { startTestBench, type TestBench } from '../../support/simulator/bench';
import { eventually } from './eventually';

const SUCCESS = '254708374149';

let bench: TestBench;
beforeEach(async () => {
  bench = await startTestBench();
});
afterEach(() => bench.stop());

describe('/control/clock', () => {
  interface Time {
    now: string;
    now_ms: number;
    ahead_ms: number;
    scale: number;
  }
  const time = async () => (await bench.daraja.call<Time>('/control/clock')).body;

  it('shows virtual time and moves it forward', async () => {
    const before = await time();
    expect(before).toMatchObject({ scale: 1, now: new Date(before.now_ms).toISOString() });
    await bench.daraja.advance(3_600_000);
    const after = await time();
    expect(after.now_ms - before.now_ms).toBeGreaterThanOrEqual(3_600_000);
    expect(after.ahead_ms).toBeGreaterThan(3_590_000);
  });

  it('runs the jobs that fall due in order, each at its own time', async () => {
    const { daraja, receiver } = bench;
    const slow = await daraja.prompt('254733445566');
    const fast = await daraja.prompt(SUCCESS);
    await daraja.advance(3_600_000);
    expect(receiver.received.map(({ stkCallback }) => stkCallback.CheckoutRequestID)).toEqual([fast, slow]);
    const [success] = await daraja.successes();
    expect(Date.parse(String(success?.['at'])) + 3_500_000).toBeLessThan((await time()).now_ms);
  });

  it('does the same for two concurrent advances', async () => {
    await bench.daraja.prompt('254700000705');
    await Promise.all([bench.daraja.advance(3_000), bench.daraja.advance(3_000)]);
    expect(bench.receiver.received).toHaveLength(3);
  });

  it.each([-1, 1.5, '1000', null, 1e15])('refuses to advance by %j', async (ms) => {
    expect(await bench.daraja.post('/control/clock', { advance_ms: ms })).toMatchObject({
      status: 400,
      body: { success: false, error: expect.stringContaining('the clock only moves forward') as string },
    });
  });
});

it('runs by itself, at the speed of the time scale', async () => {
  const fast = await startTestBench({ timeScale: 1_000, wallNow: Date.now });
  try {
    await fast.daraja.prompt('254733445566');
    await eventually('the timeout a minute later', () => fast.receiver.received[0]);
    expect((await fast.daraja.call('/control/clock')).body['scale']).toBe(1_000);
  } finally {
    await fast.stop();
  }
});

it('dates its books and statements by real time, whatever the speed or position of its own clock', async () => {
  let wall = Date.now();
  const begun = wall;
  const fast = await startTestBench({ timeScale: 100, wallNow: () => wall });
  const at = async () => {
    const { body } = await fast.daraja.call<{ stk: { at: string }[] }>(
      '/control/books?provider=stk&detail=1',
    );
    return Date.parse(body.stk.at(-1)?.at ?? '') - begun;
  };
  const hourMs = 3_600_000;
  try {
    wall += hourMs;
    await fast.daraja.post('/control/clock', { advance_ms: 1_000 });
    await fast.daraja.prompt(SUCCESS);
    await fast.daraja.post('/control/clock', { advance_ms: 60_000 });
    const first = await at();
    expect(first).toBe(hourMs);

    await fast.daraja.post('/control/clock', { advance_ms: 24 * hourMs });
    await fast.restart();
    wall += 1_000;
    await fast.daraja.prompt('254711000002');
    await fast.daraja.post('/control/clock', { advance_ms: 60_000 });
    const second = await at();
    expect(second).toBe(hourMs + 1_000);
  } finally {
    await fast.stop();
  }
});

it('takes the delay of customers who do not hesitate from the settings', async () => {
  const quick = await startTestBench({ env: { MALIPO_SIMULATOR_STK_DELAY_MS: '0' } });
  try {
    await quick.daraja.prompt(SUCCESS);
    await eventually('a callback without delay', () => quick.receiver.received[0]);
  } finally {
    await quick.stop();
  }
});

describe('POST /control/next', () => {
  const denial = async (rule: Record<string, unknown>) => {
    const { status, body } = await bench.daraja.post('/control/next', rule);
    expect(status).toBe(400);
    return body['error'];
  };
  const good = { provider: 'stk', call: 'query', behave: '500' };

  it('lists the values that it takes', async () => {
    expect(await denial({ ...good, provider: 'bank' })).toBe(
      `provider must be one of: ${providers.map(({ name }) => name).join(', ')}`,
    );
    expect(await denial({ ...good, call: 'refund' })).toBe(
      'call of stk must be one of: token, initiate, query, prompt, receipt, balance, balance_result, pull_registration, statement, callback',
    );
    expect(await denial({ ...good, behave: 'explode' })).toBe(
      'behave of stk query must be one of: hang, drop, 500, html, 429, expired_token, other_token_error, delay',
    );
    expect(await denial({ ...good, call: 'callback', behave: 'hang' })).toBe(
      'behave of stk callback must be one of: drop, delay, duplicate, forge, reorder, contradict',
    );
    expect(await denial({ ...good, times: 0 })).toBe('times must be a whole number from 1 to 100000');
    expect(await denial({ ...good, ms: 5 })).toBe('ms goes with "behave":"delay" and "act_late" only');
    expect(await denial({ ...good, where: { amount: '5' } })).toBe('where must be one of: phone_number');
    expect(await denial({ ...good, where: { phone_number: 2547 } })).toBe(
      'where.phone_number must be a string',
    );
    expect(await denial({ ...good, call: 'token', where: { phone_number: '2547' } })).toBe(
      'where cannot be used for stk token: it is not about one payer',
    );
    expect(await denial({ ...good, sometimes: true })).toBe(
      'A field must be one of: provider, call, behave, times, ms, where',
    );
  });

  it('refuses a body that is not JSON, in JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await bench.daraja.call('/control/next', { method: 'POST', headers, body: '{' })).toMatchObject({
      status: 400,
      body: { success: false, error: 'The body is not valid JSON' },
    });
    expect(await bench.daraja.call('/control/next', { method: 'POST', body: 'provider=stk' })).toMatchObject({
      status: 400,
      body: { success: false, error: 'The body must be a JSON object' },
    });
  });

  it('lists rules until they are used up or reset', async () => {
    const { daraja } = bench;
    await daraja.bearer();
    await daraja.next({ call: 'query', behave: '500', times: 2 });
    await daraja.next({ call: 'token', behave: 429 });
    await daraja.getToken();
    const rules = async () => (await daraja.call<{ rules: unknown[] }>('/control/next')).body.rules;
    expect(await rules()).toMatchObject([{ call: 'query', behave: '500', times: 2 }]);
    await daraja.query('ws_CO_0');
    expect(await rules()).toMatchObject([{ call: 'query', behave: '500', times: 1 }]);
    expect((await daraja.post('/control/reset', {})).body).toEqual({ success: true, cleared: 1 });
    expect(await rules()).toEqual([]);
    expect((await daraja.query('ws_CO_0')).status).toBe(400);
  });
});

it('GET /control/books lists each success with what was paid', async () => {
  const { daraja } = bench;
  const id = await daraja.prompt(SUCCESS);
  await daraja.prompt('254711223344');
  await daraja.advance(3_000);
  expect((await daraja.call('/control/books')).body).toEqual({
    ...Object.fromEntries(providers.map(({ name }) => [name, {}])),
    stk: { KES: { successes: 1, amount: '1250.00' } },
  });
  expect(await daraja.successes()).toEqual([
    {
      reference: id,
      receipt: expect.stringMatching(/^[A-Z0-9]{10}$/) as string,
      amount: '1250.00',
      currency: 'KES',
      phone: SUCCESS,
      callerReference: 'INV20410',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    },
  ]);
});

it('GET /control/mail is empty while no provider sends mail', async () => {
  expect((await bench.daraja.call('/control/mail')).body).toEqual({ mails: [] });
});

describe('access', () => {
  it('rejects a request sent by a page of another site', async () => {
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect((await bench.daraja.post('/control/reset', {}, foreign)).status).toBe(403);
    expect((await bench.daraja.post('/handset/prompts/x', {}, foreign)).status).toBe(403);
  });

  it.each([
    ['control', '/'],
    ['control', '/mail'],
    ['control', '/control/mail'],
    ['stk', '/handset'],
    ['momo', '/authorise'],
    ['walletpay', '/checkoutnow'],
    ['cardproc', '/orders'],
  ])(
    'shows %s %s only under a name of this machine, whatever address a foreign name resolves to',
    async (name, path) => {
      const { url, origins } = bench.simulator;
      const { port } = new URL(origins[name] ?? url);
      const statusFor = async (host: string) => {
        const answer = await raw(
          Number(port),
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        );
        return Number(answer.split(' ')[1]);
      };
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
        expect([host, await statusFor(host)]).toEqual([host, 200]);
      }
      for (const host of [
        `evil.example:${port}`,
        `127.0.0.1.evil.example:${port}`,
        '127.0.0.1:1',
        '127.0.0.1',
        '',
      ]) {
        expect([host, await statusFor(host)]).toEqual([host, 403]);
      }
    },
  );

  it('takes a POST from its own origin, and from no other origin that a browser names', async () => {
    const { url } = bench.simulator;
    const statusFrom = async (headers: Record<string, string>) =>
      (await bench.daraja.post('/control/reset', {}, headers)).status;
    expect(await statusFrom({})).toBe(200);
    expect(await statusFrom({ origin: url })).toBe(200);
    // A page with the origin null: the browser still marks the request as same-origin.
    expect(await statusFrom({ origin: 'null', 'sec-fetch-site': 'same-origin' })).toBe(200);
    for (const origin of ['null', 'https://evil.example', `${url}.evil.example`, url.replace(/\d$/, '')]) {
      expect([origin, await statusFrom({ origin })]).toEqual([origin, 403]);
    }
  });

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['192.168.1.7', false],
    ['::ffff:10.0.0.1', false],
    ['fe80::1', false],
    [undefined, false],
  ])('a caller from %s: %s', (remoteAddress, letIn) => {
    const status = jest.fn().mockReturnValue({ json: jest.fn() });
    const next = jest.fn();
    void loopbackOnly({ socket: { remoteAddress } } as Request, { status } as unknown as Response, next);
    expect(next).toHaveBeenCalledTimes(letIn ? 1 : 0);
    if (!letIn) expect(status).toHaveBeenCalledWith(403);
  });

  it('answers an unknown address in JSON', async () => {
    expect(await bench.daraja.call('/control/nothing')).toMatchObject({
      status: 404,
      body: { success: false },
    });
  });
});
