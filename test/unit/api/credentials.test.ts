/** Authentication of each endpoint: where the keys may stand, and the answer to missing and wrong keys. */
import { PaymentError, type ErrorCode } from '../../../src/domain/errors';
import { servedApi } from '../../../tools/docs-site/served-api';
import type { Endpoint } from '../../../src/rail-kit/endpoint';
import { credentials, errorOf, merchant, serve, type Served } from '../../support/api/serve';
import { isSpecified } from '../../support/specified-endpoints';

/** Whose keys may stand in the body. */
const inBody = [
  ...['POST /api/v1/stk_push', 'POST /api/v1/xb/stk_push'],
  ...['create_order', 'create_payout', 'refund'].map((what) => `POST /api/v1/walletpay/${what}`),
  ...['POST /api/v1/create_voucher', 'POST /api/v1/redeem_voucher'],
];
/** Where naming the merchant is enough; who shows keys proves them there, too. */
const byName = [
  ...['POST /api/v2/initiate.php', 'POST /api/v2/cardproc/initiate.php'],
  'POST /api/cardproc/submit_order.php',
];
const aboutKeys = ['CREDENTIALS_REQUIRED', 'CREDENTIALS_MISSING', 'INVALID_CREDENTIALS'];
/** They say all of this in words of their own: balance.test.ts. */
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
let refusal: ErrorCode | undefined;
let isAboveLimit = false;
beforeAll(async () => {
  const [own, ...rails] = parts;
  api = await serve({
    endpoints: own?.endpoints ?? [],
    rails: rails.map((rail) => ({ ...rail, forStrangers: [] })),
    authenticate({ apiKey, apiSecret }) {
      const isRight = apiKey === 'pk_test_1' && apiSecret === 'sk_test_1';
      const code = refusal ?? (isRight ? undefined : 'INVALID_CREDENTIALS');
      return code === undefined ? Promise.resolve(merchant) : Promise.reject(new PaymentError(code));
    },
    takeToken: () =>
      Promise.resolve(isAboveLimit ? { allowed: false, retryAfterSeconds: 7 } : { allowed: true }),
  });
});
beforeEach(() => {
  [refusal, isAboveLimit] = [undefined, false];
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

async function told(endpoint: Endpoint, sent: Sent) {
  const response = await ask(endpoint, sent);
  return [response.status, (await errorOf(response)).code];
}

const key = { 'X-API-Key': 'pk_test_1' };
const secret = { 'X-API-Secret': 'sk_test_1' };
const both = JSON.stringify({ api_key: 'pk_test_1', api_secret: 'sk_test_1' });
const wrong = { ...key, 'X-API-Secret': 'sk_test_2' };

it('names no endpoint that is not there', () => {
  const there = endpoints.map(([name]) => name);
  expect([...inBody, ...byName].filter((name) => !there.includes(name))).toEqual([]);
});

describe.each(endpoints)('%s', (name, endpoint) => {
  const missing = missingOn(endpoint);

  it('wants both keys, in the headers or, where it says so, in the body', async () => {
    expect(await told(endpoint, { headers: key })).toEqual(missing);
    expect(await told(endpoint, { headers: secret })).toEqual(missing);
    if (byName.includes(name)) return;
    expect(await told(endpoint, {})).toEqual(missing);
    expect(await told(endpoint, { headers: { 'X-API-Key': '', 'X-API-Secret': '' } })).toEqual(missing);
    expect(await told(endpoint, { query: '?api_key=pk_test_1&api_secret=sk_test_1' })).toEqual(missing);
    if (endpoint.method === 'GET') return;
    const named = JSON.stringify({ merchant_id: merchant.merchant_id });
    expect(await told(endpoint, { body: named })).toEqual(missing);
    const letIn = await told(endpoint, { body: both });
    // Then it is the fields that are missing.
    const takesBody = isSpecified(endpoint) ? inBody.includes(name) : endpoint.access === 'keys';
    if (takesBody) expect([letIn[0], ...aboutKeys.filter((code) => code === letIn[1])]).toEqual([400]);
    else expect(letIn).toEqual(missing);
  });

  it('refuses wrong ones, and those that differ, before it looks at what was sent', async () => {
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
    expect(await told(endpoint, { headers: credentials, body: other })).toEqual(refused);
    expect(await told(endpoint, { body: '{"api_key":0,"api_secret":true}' })).toEqual(refused);
  });

  it.each<[ErrorCode, number, string]>([
    ['KEY_OF_OTHER_ENVIRONMENT', 401, 'API key not found'],
    ['ACCOUNT_SUSPENDED', 403, 'Account suspended'],
    ['ACCOUNT_INACTIVE', 403, 'Account suspended'],
    ['IP_NOT_ALLOWED', 403, 'IP address not whitelisted'],
  ])('says %s, with its own status', async (code, status, error) => {
    refusal = code;
    const answer = await ask(endpoint, { headers: credentials });
    expect([answer.status, await errorOf(answer)]).toEqual([
      status,
      expect.objectContaining({ code, error }),
    ]);
  });

  it('tells who comes too often when to come back', async () => {
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
