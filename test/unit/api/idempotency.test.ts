import { PaymentError } from '../../../src/domain/errors';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { Call, Endpoint } from '../../../src/rail-kit/endpoint';
import { ClaimLost } from '../../../src/payments/create/idempotency-claims';
import {
  echo,
  errorOf,
  memoryOfKeys,
  merchant,
  serve,
  silentLog,
  type Served,
} from '../../support/api/serve';

const path = echo.path;

describe('Idempotency-Key', () => {
  let api: Served;
  let calls: Call[];
  let outcome: () => Promise<void>;

  const counted: Endpoint = {
    ...echo,
    async handle(call) {
      calls.push(call);
      await outcome();
      return { status: 200, body: { success: true, call: calls.length } };
    },
  };

  beforeEach(async () => {
    calls = [];
    outcome = () => Promise.resolve();
    api = await serve({
      endpoints: [
        counted,
        { ...counted, path: '/api/v1/other' },
        { ...counted, path: '/api/v1/ask', starts: false },
      ],
    });
  });
  afterEach(() => api.close());

  const post = (key: string, body: string | object, to = path) =>
    api.post(to, body, { 'Idempotency-Key': key });

  it('repeats the first answer for the same key and body', async () => {
    const first = await post('k1', { amount: 10 });
    const again = await post('k1', { amount: 10 });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([again.status, await again.json()]).toEqual([first.status, await first.json()]);
    expect(calls).toHaveLength(1);
  });

  it('passes the claim to the code that writes the payment', async () => {
    await post('k1', { amount: 10 });
    expect(calls[0]?.idempotency).toEqual({
      keyHash: expect.objectContaining({ length: 32 }) as Buffer,
      bodyHash: expect.objectContaining({ length: 32 }) as Buffer,
      claimId: expect.any(String) as string,
    });
  });

  it('ignores the order of fields, and moved or changed credentials', async () => {
    await post('k1', '{"amount":10,"metadata":{"a":1,"b":2}}');
    const again = await post(
      'k1',
      '{"metadata":{"b":2,"a":1},"api_secret":"sk_test_1","api_key":"pk_test_1","amount":10}',
    );
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it.each([
    ['another notation of the amount', '{"amount":10.0}'],
    ['a text for the number', '{"amount":"10"}'],
    ['a field that is ignored', '{"amount":10,"colour":"red"}'],
  ])('repeats the first answer for %s', async (_, body) => {
    await post('k1', '{"amount":10}');
    expect((await post('k1', body)).headers.get('idempotent-replayed')).toBe('true');
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['another amount', path, '{"amount":11}'],
    ['one field more', path, '{"amount":10,"reference":"r"}'],
    ['another endpoint', '/api/v1/other', '{"amount":10}'],
  ])('rejects the same key with %s: 422', async (_, to, body) => {
    await post('k1', '{"amount":10}');
    const response = await post('k1', body, to);
    expect([response.status, (await errorOf(response)).code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(calls).toHaveLength(1);
  });

  it('answers 409 while the first request is still running', async () => {
    let finish: () => void = () => undefined;
    outcome = () => new Promise((resolve) => (finish = resolve));
    const first = post('k1', { amount: 10 });
    while (calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await post('k1', { amount: 10 });
    expect([second.status, second.headers.get('retry-after')]).toEqual([409, '1']);
    finish();
    expect((await first).status).toBe(200);
    expect((await post('k1', { amount: 10 })).headers.get('idempotent-replayed')).toBe('true');
  });

  it('runs once for twenty concurrent requests', async () => {
    outcome = () => new Promise((resolve) => setTimeout(resolve, 200));
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('k1', { amount: 10 })));
    expect(calls).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200, 409]));
  });

  it('repeats an error too', async () => {
    outcome = () => Promise.reject(new PaymentError('FLOAT_INSUFFICIENT'));
    const first = await post('k1', { amount: 10 });
    outcome = () => Promise.resolve();
    const again = await post('k1', { amount: 10 });
    expect([first.status, again.status]).toEqual([400, 400]);
    const [reported, repeated] = [await errorOf(first), await errorOf(again)];
    expect({ ...repeated, timestamp: '', timestamp_utc: '' }).toEqual({
      ...reported,
      timestamp: '',
      timestamp_utc: '',
    });
    expect(calls).toHaveLength(1);
  });

  it.each(['SERVICE_UNAVAILABLE', 'PROVIDER_UNAVAILABLE', 'PROVIDER_ACCOUNT_REFUSED'] as const)(
    'frees the key after %s, when nothing was started',
    async (code) => {
      outcome = () => Promise.reject(new PaymentError(code));
      await post('k1', { amount: 10 });
      outcome = () => Promise.resolve();
      expect(await (await post('k1', { amount: 10 })).json()).toEqual({ success: true, call: 2 });
    },
  );

  it('leaves the key to the next request after an unexpected error, and still rejects another body', async () => {
    outcome = () => Promise.reject(new Error('surprise'));
    expect((await post('k1', { amount: 10 })).status).toBe(500);
    outcome = () => Promise.resolve();
    expect((await post('k1', { amount: 11 })).status).toBe(422);
    expect((await post('k1', { amount: 10 })).status).toBe(200);
  });

  it("answers a request that lost its claim like a repeat: with the winner's answer, or to wait", async () => {
    await api.close();
    const keys = memoryOfKeys();
    api = await serve({ endpoints: [counted], idempotency: keys });
    outcome = () => Promise.reject(new ClaimLost());
    const waiting = await post('k1', { amount: 10 });
    expect([waiting.status, (await errorOf(waiting)).code]).toEqual([409, 'REQUEST_IN_PROGRESS']);
    outcome = async () => {
      const claim = calls.at(-1)?.idempotency;
      if (claim) await keys.storeAnswer(merchant.merchant_id, claim, { status: 200, body: '{"won":true}' });
      throw new ClaimLost();
    };
    expect(await (await post('k2', { amount: 10 })).json()).toEqual({ won: true });
  });

  describe('when the database is lost', () => {
    const lost = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });

    it('503: nothing was started, if nothing was written yet', async () => {
      outcome = () => Promise.reject(lost);
      const response = await post('k1', { amount: 10 });
      expect([response.status, (await errorOf(response)).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    });

    it('504 with the payment, if an earlier request had written it', async () => {
      await api.close();
      outcome = () => Promise.reject(lost);
      const resumed = { kind: 'resume', claimId: 'c1', paymentId: 'p1' } as const;
      const idempotency = { ...memoryOfKeys(), claim: () => Promise.resolve(resumed) };
      api = await serve({ endpoints: [counted], idempotency });
      const response = await post('k1', { amount: 10 });
      expect(response.status).toBe(504);
      expect(await errorOf(response)).toMatchObject({ code: 'ACCEPTANCE_UNKNOWN', payment_id: 'p1' });
    });

    it('504: without the key, an earlier request is unknown', async () => {
      await api.close();
      const idempotency = { ...memoryOfKeys(), claim: () => Promise.reject(lost) };
      api = await serve({ endpoints: [counted], idempotency });
      const response = await post('k1', { amount: 10 });
      expect([response.status, response.headers.get('retry-after')]).toEqual([504, '5']);
      expect((await errorOf(response)).code).toBe('ACCEPTANCE_UNKNOWN');
      expect((await api.post(path, { amount: 10 })).status).toBe(200);
    });
  });

  it('answers all the same when the answer cannot be stored, and stores it as soon as possible', async () => {
    await api.close();
    const keys = memoryOfKeys();
    let tries = 0;
    api = await serve({
      endpoints: [counted],
      idempotency: {
        ...keys,
        storeAnswer(...args) {
          tries += 1;
          return tries > 2 ? keys.storeAnswer(...args) : Promise.reject(new Error('gone'));
        },
      },
    });
    expect((await post('k1', { amount: 10 })).status).toBe(200);
    const again = await waitFor(
      async () => {
        const answer = await post('k1', { amount: 10 });
        return answer.status === 200 ? answer : undefined;
      },
      { what: 'the answer to be kept', timeoutMs: 10_000 },
    );
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(calls).toHaveLength(1);
  });

  it('ends its work on a claim when its end is written, or retries have ended', async () => {
    await api.close();
    const errors: string[] = [];
    const ended: string[] = [];
    let isAway = true;
    const keys = memoryOfKeys();
    api = await serve({
      endpoints: [counted],
      persistenceMs: 100,
      log: { ...silentLog, error: (message) => errors.push(message) },
      idempotency: {
        ...keys,
        storeAnswer: (...args) => (isAway ? Promise.reject(new Error('gone')) : keys.storeAnswer(...args)),
        end: ({ claimId }) => ended.push(claimId),
      },
    });
    expect((await post('k1', { amount: 10 })).status).toBe(200);
    expect(ended).toEqual([]);
    await waitFor(async () => ended.length > 0 || undefined, { what: 'the claim to end', timeoutMs: 10_000 });
    expect(errors).toEqual(['the end of an Idempotency-Key claim was not written; retries ended']);
    isAway = false;
    expect((await post('k2', { amount: 10 })).status).toBe(200);
    expect(ended).toEqual(calls.map(({ idempotency }) => idempotency?.claimId));
    expect(errors).toHaveLength(1);
  });

  it('resumes the payment of an interrupted request', async () => {
    await api.close();
    const idempotency = {
      ...memoryOfKeys(),
      claim: () => Promise.resolve({ kind: 'resume', claimId: 'c1', paymentId: 'p1' } as const),
    };
    api = await serve({ endpoints: [counted], idempotency });
    expect((await post('k1', { amount: 10 })).status).toBe(200);
    expect(calls[0]?.resumePaymentId).toBe('p1');
  });

  it('claims nothing for a request with invalid fields', async () => {
    expect((await post('k1', { amount: 'nonsense' })).status).toBe(400);
    expect((await post('k1', { amount: 10 })).status).toBe(200);
  });

  it.each(['', 'x'.repeat(256), 'schlüssel', 'a\tb'])('rejects the key %j: 400', async (key) => {
    const response = await post(key, { amount: 10 });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).details).toEqual([
      { field: 'Idempotency-Key', message: 'Idempotency-Key must be 1 to 255 printable ASCII characters' },
    ]);
  });

  it('accepts a key of 255 characters', async () => {
    expect((await post('x'.repeat(255), { amount: 10 })).status).toBe(200);
  });

  it('has no effect on requests that start nothing', async () => {
    await post('k1', { amount: 10 }, '/api/v1/ask');
    await post('k1', { amount: 10 }, '/api/v1/ask');
    expect(calls).toHaveLength(2);
  });
});
