/** The required scope of each endpoint: the whole table, and the answer to a key without the scope. */
import { keyScopes, scopesColumn, scopesOf, type KeyScope } from '../../../src/merchants/api-keys';
import { servedApi } from '../../../tools/docs-site/served-api';
import type { Endpoint } from '../../../src/rail-kit/endpoint';
import { errorOf, merchant, serve, type Served } from '../../support/api/serve';
import { isSpecified } from '../../support/specified-endpoints';

/** Endpoints that need more than `read`. All others only read. */
const asks: Record<Exclude<KeyScope, 'read'>, string[]> = {
  collect: [
    ...['POST /api/v1/momo/deposit', 'POST /api/v1/stk_push', 'POST /api/v1/xb/stk_push'],
    ...['POST /api/v1/walletpay/create_order', 'GET /api/v1/walletpay/capture'],
    ...['POST /api/v2/initiate.php', 'POST /api/v2/cardproc/initiate.php'],
    ...['POST /api/cardproc/submit_order.php', 'POST /api/v1/redeem_voucher'],
    ...['POST /api/v1/webhooks/test', 'POST /api/v1/webhooks/:webhook_id/resend'],
    ...['POST /api/v1/webhook_endpoints', 'POST /api/v1/webhook_endpoints/:endpoint_id/change_secret'],
    ...['end', 'resend', 'test'].map((what) => `POST /api/v1/webhook_endpoints/:endpoint_id/${what}`),
  ],
  payout: [
    ...['POST /api/v1/momo/payout', 'POST /api/v1/momo/bulk_payout', 'POST /api/v1/momo/cancel_payout'],
    ...['POST /api/v1/momo/refund', 'POST /api/v1/walletpay/create_payout'],
    ...['POST /api/v1/walletpay/bulk_payout', 'POST /api/v1/walletpay/refund'],
    'POST /api/v1/create_voucher',
  ],
};
const scopeOf = (name: string): KeyScope =>
  (['collect', 'payout'] as const).find((scope) => asks[scope].includes(name)) ?? 'read';

const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`;
const parts = servedApi();
const endpoints = parts.flatMap(({ endpoints: own }) =>
  own.filter((endpoint): endpoint is Endpoint => endpoint.access !== 'anyone'),
);

it('lists only existing endpoints', () => {
  const there = endpoints.map(nameOf);
  expect(Object.values(asks).flatMap((names) => names.filter((name) => !there.includes(name)))).toEqual([]);
});

it('starts nothing with a read-only key, and changes nothing by GET', () => {
  const checking = endpoints.filter(({ scope }) => scope === 'read');
  expect(checking.filter(({ method, starts }) => method !== 'GET' || starts).map(nameOf)).toEqual([]);
});

describe('a key', () => {
  let api: Served;
  let scopes: readonly KeyScope[] = [];
  beforeAll(async () => {
    const [own, ...rails] = parts;
    api = await serve({
      endpoints: own?.endpoints ?? [],
      rails: rails.map((rail) => ({ ...rail, unauthenticatedEndpoints: [] })),
      authenticate: () => Promise.resolve({ ...merchant, key_scopes: scopes }),
    });
  });
  afterAll(() => api.close());

  const ask = ({ method, path }: Endpoint) => {
    const at = path.replaceAll(/:\w+/g, merchant.merchant_id);
    return method === 'GET' ? api.get(at) : api.post(at, {});
  };

  it.each(endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    'without its scope is rejected by %s',
    async (name, endpoint) => {
      const needed = isSpecified(endpoint) ? scopeOf(name) : endpoint.scope;
      expect(endpoint.scope).toBe(needed);
      scopes = keyScopes.filter((scope) => scope !== needed);
      const refused = await ask(endpoint);
      expect([refused.status, await errorOf(refused)]).toEqual([
        403,
        expect.objectContaining({
          ...{ success: false, code: 'SCOPE_REQUIRED', required_scope: needed },
          error: `This API key does not have the required scope: it needs the scope ${needed}`,
        }),
      ]);
      // The answer to a request without fields is tested elsewhere.
      scopes = [needed];
      expect((await ask(endpoint)).status).not.toBe(403);
    },
  );
});

describe('the scopes of a key', () => {
  it.each<[KeyScope[], string]>([
    [[], 'read'],
    [['payout'], 'read,payout'],
    [['payout', 'collect', 'payout'], 'read,collect,payout'],
  ])('%j are stored as %s', (scopes, column) => {
    expect(scopesColumn(scopes)).toBe(column);
    expect(scopesOf(column)).toEqual(column.split(','));
  });

  it.each(['', 'everything', 'PAYOUT', ' payout', 'payouts'])('are empty in %j', (column) => {
    expect(scopesOf(column)).toEqual([]);
  });
});
