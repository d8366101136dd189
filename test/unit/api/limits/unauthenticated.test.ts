/** Unauthenticated callers, with low limits. */
import Joi from 'joi';
import { PaymentError } from '../../../../src/domain/errors';
import type { NotificationRoute, ReceivedNotification } from '../../../../src/rail-kit/rail';
import type { StoredUnverified } from '../../../../src/payments/resolve/inbox';
import {
  createNotificationGuard,
  createUnauthenticatedLimits,
} from '../../../../src/api/limits/unauthenticated';
import type { Limit } from '../../../../src/merchants/rate-limit';
import type { Endpoint } from '../../../../src/rail-kit/endpoint';
import { requiredText } from '../../../../src/rail-kit/fields';
import { credentials, errorOf, merchant, serve, type Served } from '../../../support/api/serve';
import { aRoute, anEndpoint, railOf } from '../../../support/undescribed';

const order: Endpoint = {
  method: 'POST',
  path: '/api/v2/order',
  about: anEndpoint,
  access: 'merchant_id',
  scope: 'collect',
  rateLimit: 'api',
  starts: true,
  input: Joi.object({ merchant_id: requiredText(36), order_id: requiredText(50) }),
  handle: () => Promise.resolve({ status: 200, body: { by: 'keys' } }),
};
const ofUnauthenticated: Endpoint = {
  ...order,
  handle: () => Promise.resolve({ status: 200, body: { by: 'strangers' } }),
};
const config = {
  environment: 'sandbox',
  publicUrl: '',
  timezone: 'UTC',
  trustedProxies: ['127.0.0.1'],
} as const;

describe('a caller who only names a merchant', () => {
  let api: Served;
  let limits: Limit[];
  let limitsOfUnauthenticated: Limit[];
  const spends = (spent: Limit[]) => (limit: Limit) => {
    spent.push(limit);
    return Promise.resolve({ allowed: true } as const);
  };
  const bulkheadsInUse: string[] = [];
  const admissionResult: (string | undefined)[] = [];
  let ipAllow: string[];
  async function start(allOrdersPerMinute: number): Promise<void> {
    limits = [];
    limitsOfUnauthenticated = [];
    ipAllow = [];
    bulkheadsInUse.length = 0;
    admissionResult.length = 0;
    api = await serve({
      config: { ...config, trustedProxies: [...config.trustedProxies] },
      rails: [railOf({ endpoints: [order], unauthenticatedEndpoints: [ofUnauthenticated] })],
      endpoints: [],
      unauthenticatedCaller: createUnauthenticatedLimits({ ordersPerMinute: 3, allOrdersPerMinute }),
      activeMerchant: (id) =>
        id === merchant.merchant_id
          ? Promise.resolve({ ...merchant, ip_allow: ipAllow })
          : Promise.reject(new PaymentError('INACTIVE_MERCHANT')),
      takeToken: spends(limits),
      takeUnauthenticatedToken: spends(limitsOfUnauthenticated),
      shedding: {
        tryAdmit(_lane, caller) {
          admissionResult.push(caller?.merchantId);
          return { admitted: true, leave: () => undefined };
        },
        enter(bulkhead) {
          bulkheadsInUse.push(bulkhead);
          return { admitted: true, leave: () => undefined };
        },
      },
    });
  }
  beforeEach(() => start(60_000));
  afterEach(() => api.close());

  const own = { merchant_id: merchant.merchant_id, order_id: '1' };
  const post = (body: object, from = '41.90.64.7', headers: Record<string, string> = {}) =>
    fetch(api.url + order.path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from, ...headers },
      body: JSON.stringify(body),
    });
  const statusesOf = async (calls: Promise<Response>[]) =>
    (await Promise.all(calls)).map(({ status }) => status);

  it('uses the resources for unauthenticated callers, and an authenticated caller does not', async () => {
    expect(await (await post(own)).json()).toEqual({ by: 'strangers' });
    expect(bulkheadsInUse).toEqual(['unauthenticated', 'x']);
    bulkheadsInUse.length = 0;
    expect(await (await post(own, '41.90.64.7', credentials)).json()).toEqual({ by: 'keys' });
    expect(bulkheadsInUse).toEqual(['x']);
    // The merchant's id is public: the merchant's own room stays free.
    expect(admissionResult).toEqual(['unauthenticated', merchant.merchant_id]);
  });

  it('uses no keys of an authenticated caller, and learns nothing about them', async () => {
    const withKey = (key: string, from: object = {}) => ({ 'Idempotency-Key': key, ...from });
    const address = '41.90.64.7';
    expect((await post(own, address, withKey('order-1001'))).status).toBe(200);
    // The merchant's own request with that key is another one, with another body.
    const other = { ...own, order_id: '2' };
    expect((await post(other, address, withKey('order-1001', credentials))).status).toBe(200);
    expect((await post(other, address, withKey('order-1002', credentials))).status).toBe(200);
    const guess = await post(own, address, withKey('order-1002'));
    expect([guess.status, guess.headers.get('idempotent-replayed')]).toEqual([200, null]);
    // A repeat of an unauthenticated caller is a repeat all the same.
    const again = await post(own, '41.90.64.8', withKey('order-1001'));
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  });

  it('uses separate buckets, and only once its order is valid', async () => {
    await post({ merchant_id: merchant.merchant_id });
    await post({ ...own, merchant_id: 1 });
    expect(limitsOfUnauthenticated).toEqual([]);
    await post(own);
    await post(own, '41.90.64.7', credentials);
    expect(limitsOfUnauthenticated.map(({ bucket }) => bucket)).toEqual([
      'address:41.90.64.7',
      `named:${merchant.merchant_id}`,
    ]);
    expect(limits.map(({ bucket }) => bucket)).toEqual([`api:${merchant.merchant_id}`]);
  });

  it('is told to wait once its address has used its orders, with an IPv6 /64 as one address', async () => {
    const from = (n: number) => `2001:db8::${n}`;
    expect(await statusesOf([1, 2, 3, 4, 5].map((n) => post(own, from(n))))).toEqual([
      200, 200, 200, 200, 200,
    ]);
    const refused = await post(own, from(6));
    expect([refused.status, (await errorOf(refused)).code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Only its own limit: not that of another address, nor that of the merchant's own calls from the same address.
    expect((await post(own, '2001:db8:0:1::1')).status).toBe(200);
    expect((await post(own, from(6), credentials)).status).toBe(200);
  });

  it('waits for its turn or is told to wait, and an authenticated caller is not', async () => {
    await api.close();
    await start(6);
    const unauthenticated = statusesOf(Array.from({ length: 40 }, (_, n) => post(own, `10.0.0.${n}`)));
    expect(await statusesOf(Array.from({ length: 20 }, () => post(own, '10.0.1.1', credentials)))).toEqual(
      Array.from({ length: 20 }, () => 200),
    );
    const statuses = await unauthenticated;
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 429)).toHaveLength(39);
  });

  it('starts in the gaps between the requests of authenticated merchants', async () => {
    const [begin, begun] = [jest.fn<() => void, []>(), jest.fn<() => void, []>()];
    begin.mockReturnValue(begun);
    await api.close();
    api = await serve({
      endpoints: [order],
      unauthenticatedCaller: {
        ...createUnauthenticatedLimits({ ordersPerMinute: 3, allOrdersPerMinute: 60_000 }),
        merchantBegins: begin,
      },
    });
    expect((await post(own, '41.90.64.7', {})).status).toBe(200);
    expect(begin).not.toHaveBeenCalled();
    expect((await post(own, '41.90.64.7', credentials)).status).toBe(200);
    expect([begin.mock.calls.length, begun.mock.calls.length]).toEqual([1, 1]);
  });

  it('uses none of that share for an unknown merchant, or from a forbidden address', async () => {
    await api.close();
    await start(6);
    const invented = { ...own, merchant_id: '018f0000-0000-7000-8000-00000000000f' };
    const addresses = Array.from({ length: 20 }, (_, n) => `10.0.0.${n}`);
    expect(await statusesOf(addresses.map((from) => post(invented, from)))).toEqual(addresses.map(() => 403));
    ipAllow = ['41.90.64.7'];
    expect(await statusesOf(addresses.map((from) => post(own, from)))).toEqual(addresses.map(() => 403));
    expect((await post(own)).status).toBe(200);
    // Each address has used its own orders on them.
    const more = Array.from({ length: 5 }, () => post(invented, '10.0.0.1'));
    expect((await statusesOf(more)).filter((status) => status === 429)).toHaveLength(2);
  });

  it('is rejected from an address that the merchant does not allow', async () => {
    ipAllow = ['10.0.0.0/8'];
    const refused = await post(own);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([403, 'IP_NOT_ALLOWED']);
    expect(limitsOfUnauthenticated).toEqual([]);
    expect((await post(own, '10.1.2.3')).status).toBe(200);
  });
});

describe('a forged notification', () => {
  const route: NotificationRoute = {
    method: 'POST',
    path: '/in/x/:token',
    about: aRoute,
    receive: ({ params }) =>
      Promise.resolve(
        params['token'] === 'good'
          ? {
              kind: 'take',
              isProven: true,
              eventKey: 'e',
              body: '',
              payment: { payment_id: 'p', workflow_id: 'w' },
              acknowledgement: { status: 200, body: {} },
            }
          : { kind: 'refuse', status: 404, body: {}, why: 'unknown' },
      ),
  };

  it('is rejected unread after too many from one address, but an authentic one never is', async () => {
    const guard = createNotificationGuard();
    let received = 0;
    const counted: NotificationRoute = {
      ...route,
      receive(request) {
        received += 1;
        return route.receive(request);
      },
    };
    const api = await serve({
      config: { ...config, trustedProxies: [...config.trustedProxies] },
      rails: [railOf({ notificationRoutes: [counted] })],
      notificationGuard: guard,
    });
    const send = (token: string, from: string) =>
      fetch(`${api.url}/in/x/${token}`, { method: 'POST', headers: { 'X-Forwarded-For': from }, body: '{}' });
    // The provider proves one, and then a thousand fail.
    expect((await send('good', '10.0.0.1')).status).toBe(200);
    for (let n = 0; n < 1_000; n += 1) for (const from of ['10.0.0.1', '10.0.0.2']) guard.futile(from);
    received = 0;
    expect((await send('bad', '10.0.0.2')).status).toBe(429);
    expect(received).toBe(0);
    expect((await send('good', '10.0.0.1')).status).toBe(200);
    expect((await send('bad', '10.0.0.3')).status).toBe(404);
    await api.close();
  });
});

describe('the counting of notifications', () => {
  const payment = { payment_id: 'p', workflow_id: 'w' };
  const acknowledgement = { status: 200, body: {} };
  const take = { kind: 'take', eventKey: 'e', body: '', payment, acknowledgement } as const;
  const unverified = { kind: 'unverified', body: '', payment, acknowledgement } as const;
  const shop = { kind: 'redirect', location: 'https://shop.example.org/' } as const;
  const page = { kind: 'page', title: 'Thank you', text: 'Done' } as const;
  const text = { kind: 'answer', status: 200, body: 'Thank you' } as const;

  it.each<[string, ReceivedNotification, StoredUnverified, string[]]>([
    ['a proven one', { ...take, isProven: true }, 'follow', ['proven']],
    ['one that a stranger could have sent', { ...take, isProven: false }, 'follow', ['futile']],
    ['a hint that is followed, of which there are few for each payment', unverified, 'follow', []],
    ['a hint that has to wait', unverified, 'later', ['futile']],
    ['a hint that repeats an unread one', unverified, 'known', ['futile']],
    ['a browser on its way to the shop', { ...shop, payment }, 'follow', ['returned p']],
    ['a browser that is shown what became of a payment', { ...page, payment }, 'follow', ['returned p']],
    ['a browser that names no payment', page, 'follow', ['futile']],
    ['a page for which nothing was looked up', { ...page, isFree: true }, 'follow', []],
    ['a sentence for which nothing was looked up', { ...text, isFree: true }, 'follow', []],
    ['the event does not matter here', text, 'follow', ['futile']],
  ])('%s', async (_what, received, stored, counted) => {
    const seen: string[] = [];
    const route: NotificationRoute = {
      method: 'POST',
      path: '/in/x',
      about: aRoute,
      receive: () => Promise.resolve(received),
    };
    const api = await serve({
      rails: [railOf({ notificationRoutes: [route] })],
      notificationGuard: {
        admit: () => undefined,
        proven: () => seen.push('proven'),
        futile: () => seen.push('futile'),
        returned: (_address, paymentId) => seen.push(`returned ${paymentId}`),
      },
      takeUnverified: () => Promise.resolve(stored),
      observeDenial: () => undefined,
    });
    const response = await fetch(`${api.url}/in/x`, { method: 'POST', redirect: 'manual', body: '{}' });
    await api.close();
    expect(response.status).toBeLessThan(400);
    expect(seen).toEqual(counted);
  });

  it('allows a thousand customers behind one address to return, but not one that reloads forever', () => {
    const guard = createNotificationGuard();
    for (let n = 0; n < 2_000; n += 1) guard.returned('10.0.0.1', `payment-${n}`);
    expect(() => {
      guard.admit('10.0.0.1');
    }).not.toThrow();
    for (let n = 0; n < 1_100; n += 1) guard.returned('10.0.0.2', 'payment-1');
    expect(() => {
      guard.admit('10.0.0.2');
    }).toThrow('Too many requests');
  });
});
