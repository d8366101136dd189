/** The token in every call to the provider. */
import {
  call,
  html,
  order,
  orderId,
  payment,
  provider,
  denial,
  startScriptedProvider,
  type Reply,
  type ScriptedProvider,
} from './paypal-support';

const create = 'POST /v2/checkout/orders';
const query = `GET /v2/checkout/orders/${orderId}`;
let paypal: ScriptedProvider;

beforeAll(async () => {
  paypal = await startScriptedProvider();
});
beforeEach(() => paypal.reset());
afterAll(() => paypal.close());

const fresh = (details: Record<string, string> = {}) =>
  payment({ state: 'initiating', provider_reference: null, accepted_at: null, details });

describe('the access token', () => {
  it('is requested once, however many wait for it, and stored', async () => {
    paypal.answers(query, { status: 200, json: order('CREATED') });
    const { retrieveStatus } = provider(paypal.url).order;
    await Promise.all(Array.from({ length: 5 }, () => retrieveStatus(payment(), call)));
    await retrieveStatus(payment(), call);
    expect(paypal.tokensGiven()).toBe(1);
  });

  it('that is rejected is replaced once, and the call repeated', async () => {
    paypal.answers(query, denial(401, 'AUTHENTICATION_FAILURE'), { status: 200, json: order('CREATED') });
    expect(await provider(paypal.url).order.retrieveStatus(payment(), call)).toMatchObject({ kind: 'open' });
    expect(paypal.heard.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it('that is rejected twice means a fault of our account', async () => {
    paypal.answers(create, denial(401, 'AUTHENTICATION_FAILURE'));
    expect(await provider(paypal.url).order.initiate(fresh(), call)).toMatchObject({
      kind: 'refused',
      publicCode: 'PROVIDER_ACCOUNT_REFUSED',
    });
    expect(paypal.heard).toHaveLength(2);
  });

  it.each<[string, Reply, string]>([
    ['401', { status: 401, json: { error: 'invalid_client' } }, 'refused'],
    ['500', html(500), 'not_sent'],
    ['429', html(429), 'not_sent'],
    ['a token that is no text', { status: 200, json: { access_token: 7 } }, 'not_sent'],
    ['a token that would be two headers', { status: 200, json: { access_token: 'a\r\nb: c' } }, 'not_sent'],
  ])('rejected with %s leaves the order unsent', async (_what, reply, kind) => {
    paypal.answers('POST /v1/oauth2/token', reply);
    expect(await provider(paypal.url).order.initiate(fresh(), call)).toMatchObject({ kind });
    expect(paypal.heard).toEqual([]);
  });
});
