/** Authentication of each endpoint: where keys may be, and the answer to missing and wrong keys. */
import { PaymentError, type ErrorCode } from '../../../src/domain/errors';
import { servedApi } from '../../../tools/docs-site/served-api';
import type { Endpoint } from '../../../src/rail-kit/endpoint';
import { credentials, errorOf, merchant, serve, type Served } from '../../support/api/serve';
import { isSpecified } from '../../support/specified-endpoints';

/** Endpoints that accept keys in the body. */
const inBody = [
  ...['POST /api/v1/stk_push', 'POST /api/v1/xb/stk_push'],
  ...['create_order', 'create_payout', 'refund'].map((what) => `POST /api/v1/walletpay/${what}`),
  ...['POST /api/v1/create_voucher', 'POST /api/v1/redeem_voucher'],
];
/** Endpoints that only need the merchant's id. A caller who sends keys must send valid ones. */
const byName = [
  ...['POST /api/v2/initiate.php', 'POST /api/v2/cardproc/initiate.php'],
  'POST /api/cardproc/submit_order.php',
];
const aboutKeys = ['CREDENTIALS_REQUIRED', 'CREDENTIALS_MISSING', 'INVALID_CREDENTIALS'];
/** These have their own error texts: balance.test.ts. */
const balances = ['/api/v1/query_balance', '/api/v1/merchant/balance'];
/** On this rail, missing keys are a fault of the request. */
const missingOn = ({ path }: Endpoint) =>
  path.startsWith('/api/v1/walletpay/') ? [400, 'CREDENTIALS_MISSING'] : [401, 'CREDENTIALS_REQUIRED'];

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;
const parts = servedApi();
const endpoints = parts
  .flatMap(({ endpoints: own }) => own)
  .filter((endpoint): endpoint is Endpoint => endpoint.access !== 'anyone')
  .filter(({ path }) => !balances.includes(path))
  .map((endpoint) => [nameOf(endpoint), endpoint] as const);

let api: Served;
let denial: ErrorCode | undefined;
let isAboveLimit = false;
beforeAll(async () => {
  const [own, ...rails] = parts;
  api = await serve({
    endpoints: own?.endpoints ?? [],
    rails: rails.map((rail) => ({ ...rail, unauthenticatedEndpoints: [] })),
    authenticate({ apiKey, apiSecret }) {
      const isRight = apiKey === 'pk_test_1' && apiSecret === 'sk_test_1';
      const code = denial ?? (isRight ? undefined : 'INVALID_CREDENTIALS');
      return code === undefined ? Promise.resolve(merchant) : Promise.reject(new PaymentError(code));
    },
    takeToken: () =>
      Promise.resolve(isAboveLimit ? { allowed: false, retryAfterSeconds: 7 } : { allowed: true }),
  });
});
beforeEach(() => {
  [denial, isAboveLimit] = [undefined, false];
});
afterAll(() => api.close());

interface Sent {
  headers?: Record<string, string>;
  query?: string;
  body?: string;
}

function ask({ method, path }: Endpoint, { headers = {}, query = '', body = '{}' }: Sent): Promise<Response> {
  const url = `${api.url}${path.replaceAll(/:\w+/g, merchant.merchant_id)}${query}`;
  return method === 'GET'
    ? fetch(url, { headers })
    : fetch(url, { method, headers: { 'Content-Type': 'application/json', ...headers }, body });
}

async function reported(endpoint: Endpoint, sent: Sent) {
  const response = await ask(endpoint, sent);
  return [response.status, (await errorOf(response)).code];
}

const key = { 'X-API-Key': 'pk_test_1' };
const secret = { 'X-API-Secret': 'sk_test_1' };
const both = JSON.stringify({ api_key: 'pk_test_1', api_secret: 'sk_test_1' });
const wrong = { ...key, 'X-API-Secret': 'sk_test_2' };

it('lists only existing endpoints', () => {
  const there = endpoints.map(([name]) => name);
  expect([...inBody, ...byName].filter((name) => !there.includes(name))).toEqual([]);
});

describe.each(endpoints)('%s', (name, endpoint) => {
  const missing = missingOn(endpoint);

  it('requires both keys, in the headers or, if listed, in the body', async () => {
    expect(await reported(endpoint, { headers: key })).toEqual(missing);
    expect(await reported(endpoint, { headers: secret })).toEqual(missing);
    if (byName.includes(name)) return;
    expect(await reported(endpoint, {})).toEqual(missing);
    expect(await reported(endpoint, { headers: { 'X-API-Key': '', 'X-API-Secret': '' } })).toEqual(missing);
    expect(await reported(endpoint, { query: '?api_key=pk_test_1&api_secret=sk_test_1' })).toEqual(missing);
    if (endpoint.method === 'GET') return;
    const named = JSON.stringify({ merchant_id: merchant.merchant_id });
    expect(await reported(endpoint, { body: named })).toEqual(missing);
    const letIn = await reported(endpoint, { body: both });
    // Then the fields are missing.
    const takesBody = isSpecified(endpoint) ? inBody.includes(name) : endpoint.access === 'keys';
    if (takesBody) expect([letIn[0], ...aboutKeys.filter((code) => code === letIn[1])]).toEqual([400]);
    else expect(letIn).toEqual(missing);
  });

  it('rejects wrong and contradictory keys before it checks the body', async () => {
    const refused = [401, 'INVALID_CREDENTIALS'];
    const answer = await ask(endpoint, { headers: wrong, body: '{broken' });
    expect([answer.status, await errorOf(answer)]).toEqual([
      401,
      expect.objectContaining({
        ...{ success: false, error: 'Invalid API credentials', message: 'Invalid API credentials' },
        ...{ code: 'INVALID_CREDENTIALS', request_id: answer.headers.get('x-request-id') },
      }),
    ]);
    if (!inBody.includes(name)) return;
    const other = JSON.stringify({ api_key: 'pk_test_1', api_secret: 'sk_test_2' });
    expect(await reported(endpoint, { headers: credentials, body: other })).toEqual(refused);
    expect(await reported(endpoint, { body: '{"api_key":0,"api_secret":true}' })).toEqual(refused);
  });

  it.each<[ErrorCode, number, string]>([
    ['KEY_OF_OTHER_ENVIRONMENT', 401, 'API key not found'],
    ['ACCOUNT_SUSPENDED', 403, 'Account suspended'],
    ['ACCOUNT_INACTIVE', 403, 'Account suspended'],
    ['IP_NOT_ALLOWED', 403, 'IP address not whitelisted'],
  ])('answers %s, with its own status', async (code, status, error) => {
    denial = code;
    const answer = await ask(endpoint, { headers: credentials });
    expect([answer.status, await errorOf(answer)]).toEqual([
      status,
      expect.objectContaining({ code, error }),
    ]);
  });

  it('reports the retry time to a caller above the limit', async () => {
    isAboveLimit = true;
    const answer = await ask(endpoint, { headers: credentials });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await errorOf(answer)).code).toBe('RATE_LIMITED');
  });

  it('has no other method', async () => {
    const answer = await fetch(`${api.url}${endpoint.path.replaceAll(/:\w+/g, merchant.merchant_id)}`, {
      method: endpoint.method === 'GET' ? 'POST' : 'GET',
      headers: credentials,
    });
    const allowed = (answer.headers.get('allow') ?? '').split(', ');
    expect(answer.status === 405 ? allowed : 'another endpoint').toEqual(
      endpoints.filter(([, { path }]) => path === endpoint.path).length > 1
        ? 'another endpoint'
        : [endpoint.method],
    );
  });
});
