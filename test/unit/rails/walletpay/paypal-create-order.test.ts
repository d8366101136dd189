/** Creating an order: the request to the provider, and the meaning of its answers, line by line. */
import {
  call,
  html,
  order,
  orderId,
  payment,
  paymentId,
  provider,
  denial,
  startScriptedProvider,
  type Logged,
  type Reply,
  type ScriptedProvider,
} from './paypal-support';

const create = 'POST /v2/checkout/orders';
const page = `https://pay.example.org/?token=${orderId}`;
let paypal: ScriptedProvider;

beforeAll(async () => {
  paypal = await startScriptedProvider();
});
beforeEach(() => paypal.reset());
afterAll(() => paypal.close());

const made = (status: number, json: unknown = order('PAYER_ACTION_REQUIRED')): Reply => ({ status, json });
const fresh = (details: Record<string, string> = {}) =>
  payment({ state: 'initiating', provider_reference: null, accepted_at: null, details });

describe('creating an order', () => {
  const initiate = (row = fresh()) => provider(paypal.url).order.initiate(row, call);

  it("contains our id twice, requires immediate payment, and has the buyer's return address", async () => {
    paypal.answers(create, made(200));
    await initiate(
      fresh({
        return_url: 'https://shop.example/ok',
        cancel_url: 'https://shop.example/no',
        description: `${'é'.repeat(124)}🙂🙂 and more`,
      }),
    );
    expect(paypal.heard).toHaveLength(1);
    expect(paypal.heard[0]).toMatchObject({
      method: 'POST',
      path: '/v2/checkout/orders',
      headers: {
        'paypal-request-id': `wp-order-${paymentId}`,
        'content-type': 'application/json',
        authorization: 'Bearer token-1',
        prefer: 'return=representation',
      },
    });
    expect(paypal.heard[0]?.body).toEqual({
      intent: 'CAPTURE',
      purchase_units: [
        {
          custom_id: paymentId,
          invoice_id: paymentId,
          description: `${'é'.repeat(124)}🙂`,
          amount: { currency_code: 'USD', value: '12.50' },
        },
      ],
      payment_source: {
        paypal: {
          experience_context: {
            return_url: 'https://shop.example/ok',
            cancel_url: 'https://shop.example/no',
            user_action: 'PAY_NOW',
            shipping_preference: 'NO_SHIPPING',
            payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
          },
        },
      },
    });
  });

  it.each([
    ['200 and a link called payer-action', 200, 'payer-action'],
    ['201 and a link called approve', 201, 'approve'],
  ])('is accepted with %s', async (_what, status, rel) => {
    const links = [
      { rel: 'self', href: 'https://api.example.org/self' },
      { rel, href: page },
    ];
    paypal.answers(create, made(status, { id: orderId, status: 'CREATED', links }));
    expect(await initiate()).toEqual({
      kind: 'accepted',
      providerReference: orderId,
      details: { approval_url: page },
    });
  });

  it.each<[string, Reply]>([
    ['a 500 in its own words', denial(500, 'INTERNAL_SERVER_ERROR')],
    ['a 503 page', html(503)],
    ['a connection that ends', 'close'],
    ['a 400 that is not in its words', html(400)],
    ['a 200 page', html(200)],
    ['no id', made(200, { status: 'CREATED', links: [{ rel: 'approve', href: page }] })],
    ['no link for the buyer', made(200, order('CREATED', undefined, { links: [] }))],
    [
      'a link that is no page',
      made(200, order('CREATED', undefined, { links: [{ rel: 'approve', href: 'javascript:alert(1)' }] })),
    ],
    [
      'another payment’s order',
      made(200, order('CREATED', undefined, { purchase_units: [{ custom_id: 'tx-2' }] })),
    ],
    ['an earlier request under way', denial(409, 'PREVIOUS_REQUEST_IN_PROGRESS')],
  ])('that is answered with %s is repeated once with the same key', async (_what, reply) => {
    paypal.answers(create, reply, made(200));
    expect(await initiate()).toMatchObject({ kind: 'accepted', providerReference: orderId });
    expect(paypal.heard.map(({ headers }) => headers['paypal-request-id'])).toEqual([
      `wp-order-${paymentId}`,
      `wp-order-${paymentId}`,
    ]);
    expect(paypal.heard[0]?.text).toBe(paypal.heard[1]?.text);
  });

  it('whose answers are all lost is unknown', async () => {
    paypal.answers(create, 'close');
    expect(await initiate()).toMatchObject({ kind: 'unknown' });
    expect(paypal.heard).toHaveLength(2);
  });

  it('that exceeds its time limit is unknown', async () => {
    const silent = await startScriptedProvider();
    silent.answers(create, 'hang');
    const answer = await provider(silent.url).order.initiate(fresh(), { ...call, timeoutMs: 300 });
    expect(answer).toMatchObject({ kind: 'unknown' });
    await silent.close();
  });

  it('is recovered by a repeat with the same key', async () => {
    paypal.answers(create, made(200));
    const { recover } = provider(paypal.url).order;
    expect(await recover(fresh(), call)).toMatchObject({ kind: 'accepted', providerReference: orderId });
    expect(paypal.heard[0]?.headers['paypal-request-id']).toBe(`wp-order-${paymentId}`);
  });

  it.each([
    [422, 'UNPROCESSABLE_ENTITY', 'CURRENCY_NOT_SUPPORTED', 'UNSUPPORTED_CURRENCY', 'CURRENCY_NOT_SUPPORTED'],
    [422, 'UNPROCESSABLE_ENTITY', 'DECIMAL_PRECISION', 'INVALID_AMOUNT', 'DECIMAL_PRECISION'],
    [
      422,
      'UNPROCESSABLE_ENTITY',
      'CANNOT_BE_ZERO_OR_NEGATIVE',
      'INVALID_AMOUNT',
      'CANNOT_BE_ZERO_OR_NEGATIVE',
    ],
    [422, 'UNPROCESSABLE_ENTITY', 'MAX_VALUE_EXCEEDED', 'AMOUNT_OUT_OF_RANGE', 'MAX_VALUE_EXCEEDED'],
    [
      422,
      'UNPROCESSABLE_ENTITY',
      'PAYEE_ACCOUNT_RESTRICTED',
      'PROVIDER_ACCOUNT_REFUSED',
      'PAYEE_ACCOUNT_RESTRICTED',
    ],
    [422, 'UNPROCESSABLE_ENTITY', 'NEVER_SEEN', 'PROVIDER_REJECTED_REQUEST', 'NEVER_SEEN'],
    [
      400,
      'INVALID_REQUEST',
      'MISSING_REQUIRED_PARAMETER',
      'PROVIDER_REJECTED_REQUEST',
      'MISSING_REQUIRED_PARAMETER',
    ],
    [400, 'INVALID_REQUEST', undefined, 'PROVIDER_REJECTED_REQUEST', 'INVALID_REQUEST'],
    [403, 'NOT_AUTHORIZED', 'PERMISSION_DENIED', 'PROVIDER_ACCOUNT_REFUSED', 'PERMISSION_DENIED'],
    [415, 'UNSUPPORTED_MEDIA_TYPE', undefined, 'PROVIDER_REJECTED_REQUEST', 'UNSUPPORTED_MEDIA_TYPE'],
  ])('%s %s %s is the error %s', async (status, name, issue, publicCode, providerCode) => {
    paypal.answers(create, denial(status, name, issue));
    expect(await initiate()).toMatchObject({ kind: 'refused', publicCode, providerCode });
    expect(paypal.heard).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['in its own words', denial(429, 'RATE_LIMIT_REACHED')],
    ['by a gateway', html(429)],
  ])('that is rejected by a rate limit, %s, was not sent', async (_what, reply) => {
    paypal.answers(create, reply);
    expect(await initiate()).toMatchObject({ kind: 'not_sent' });
  });

  it('without a connection was not sent', async () => {
    const { order: nowhere } = provider('http://127.0.0.1:1');
    expect(await nowhere.initiate(fresh(), call)).toMatchObject({ kind: 'not_sent' });
  });

  it('leads to a page over https in live', async () => {
    const links = [{ rel: 'approve', href: 'http://pay.example.org/' }];
    paypal.answers(create, made(200, order('CREATED', undefined, { links })));
    const live = provider(paypal.url, { rail: { environment: 'live' } });
    expect(await live.order.initiate(fresh(), call)).toMatchObject({ kind: 'unknown' });
    expect(await initiate()).toMatchObject({ kind: 'accepted' });
  });

  it('logs the debug id of an error', async () => {
    const logged: Logged[] = [];
    paypal.answers(create, denial(422, 'UNPROCESSABLE_ENTITY', 'MAX_VALUE_EXCEEDED'));
    await provider(paypal.url, { logged }).order.initiate(fresh(), call);
    expect(logged.map(({ fields }) => fields)).toEqual([
      {
        call: 'initiate',
        status: 422,
        name: 'UNPROCESSABLE_ENTITY',
        issue: 'MAX_VALUE_EXCEEDED',
        debug_id: 'f00',
        request_id: 'req-1',
      },
    ]);
  });
});
