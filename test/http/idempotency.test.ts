import { PaymentError } from '../../src/domain/errors';
import type { Call, Endpoint } from '../../src/payments/endpoint';
import { echo, errorOf, memoryOfKeys, serve, type Served } from './support/serve';

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

  it('gives the first answer again to the same key and body', async () => {
    const first = await post('k1', { amount: 10 });
    const again = await post('k1', { amount: 10 });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([again.status, await again.json()]).toEqual([first.status, await first.json()]);
    expect(calls).toHaveLength(1);
  });

  it('hands the claim to whoever writes the payment', async () => {
    await post('k1', { amount: 10 });
    expect(calls[0]?.idempotency).toEqual({
      keyHash: expect.objectContaining({ length: 32 }) as Buffer,
      bodyHash: expect.objectContaining({ length: 32 }) as Buffer,
    });
  });

  it('does not mind another order of the fields, or credentials that moved or changed', async () => {
    await post('k1', '{"amount":10,"metadata":{"a":1,"b":2}}');
    const again = await post(
      'k1',
      '{"metadata":{"b":2,"a":1},"api_secret":"sk_test_1","api_key":"pk_test_1","amount":10}',
    );
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it.each([
    ['another amount', path, '{"amount":11}'],
    ['another spelling of the amount', path, '{"amount":10.0}'],
    ['a text for the number', path, '{"amount":"10"}'],
    ['one field more', path, '{"amount":10,"reference":"r"}'],
    ['another endpoint', '/api/v1/other', '{"amount":10}'],
  ])('refuses the same key with %s: 422', async (_, to, body) => {
    await post('k1', '{"amount":10}');
    const response = await post('k1', body, to);
    expect([response.status, (await errorOf(response)).code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(calls).toHaveLength(1);
  });

  it('answers 409 while the first is still running', async () => {
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

  it('runs once when twenty come at once', async () => {
    outcome = () => new Promise((resolve) => setTimeout(resolve, 200));
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('k1', { amount: 10 })));
    expect(calls).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200, 409]));
  });

  it('gives a refusal again too', async () => {
    outcome = () => Promise.reject(new PaymentError('FLOAT_INSUFFICIENT'));
    const first = await post('k1', { amount: 10 });
    outcome = () => Promise.resolve();
    const again = await post('k1', { amount: 10 });
    expect([first.status, again.status]).toEqual([400, 400]);
    const [told, repeated] = [await errorOf(first), await errorOf(again)];
    expect({ ...repeated, timestamp: '' }).toEqual({ ...told, timestamp: '' });
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

  it('keeps the key after a surprise, when something may have been started', async () => {
    outcome = () => Promise.reject(new Error('surprise'));
    expect((await post('k1', { amount: 10 })).status).toBe(500);
    expect((await post('k1', { amount: 10 })).status).toBe(409);
    expect(calls).toHaveLength(1);
  });

  it('answers all the same when the answer cannot be kept', async () => {
    await api.close();
    const keys = memoryOfKeys();
    api = await serve({
      endpoints: [counted],
      idempotency: { ...keys, storeAnswer: () => Promise.reject(new Error('gone')) },
    });
    expect((await post('k1', { amount: 10 })).status).toBe(200);
  });

  it('takes up the payment of a request that was interrupted', async () => {
    await api.close();
    const idempotency = {
      ...memoryOfKeys(),
      claim: () => Promise.resolve({ kind: 'resume', paymentId: 'p1' } as const),
    };
    api = await serve({ endpoints: [counted], idempotency });
    expect((await post('k1', { amount: 10 })).status).toBe(200);
    expect(calls[0]?.resumePaymentId).toBe('p1');
  });

  it('claims nothing for a request with invalid fields', async () => {
    expect((await post('k1', { amount: 'nonsense' })).status).toBe(400);
    expect((await post('k1', { amount: 10 })).status).toBe(200);
  });

  it.each(['', 'x'.repeat(256), 'schlüssel', 'a\tb'])('refuses the key %j: 400', async (key) => {
    const response = await post(key, { amount: 10 });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).details).toEqual([
      { field: 'Idempotency-Key', message: 'Idempotency-Key must be 1 to 255 printable ASCII characters' },
    ]);
  });

  it('takes a key of 255 characters', async () => {
    expect((await post('x'.repeat(255), { amount: 10 })).status).toBe(200);
  });

  it('has no meaning where nothing is started', async () => {
    await post('k1', { amount: 10 }, '/api/v1/ask');
    await post('k1', { amount: 10 }, '/api/v1/ask');
    expect(calls).toHaveLength(2);
  });
});
