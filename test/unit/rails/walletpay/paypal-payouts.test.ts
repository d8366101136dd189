/** Sending a payout: the request to the provider, and the meaning of its answers, line by line. */
import {
  aged,
  batch,
  batchId,
  call,
  html,
  itemId,
  payout,
  provider,
  denial,
  senderId,
  startScriptedProvider,
  type Reply,
  type ScriptedProvider,
} from './paypal-support';

const create = 'POST /v1/payments/payouts';
const query = `GET /v1/payments/payouts/${batchId}`;
const cancel = `POST /v1/payments/payouts-item/${itemId}/cancel`;

let paypal: ScriptedProvider;

beforeAll(async () => {
  paypal = await startScriptedProvider();
});
beforeEach(() => paypal.reset());
afterAll(() => paypal.close());

const fresh = () => payout({ state: 'initiating', provider_reference: null, accepted_at: null });
const made: Reply = { status: 201, json: batch('PENDING') };
const accepted = { kind: 'accepted', providerReference: batchId };

/** The provider's answer to a known sender_batch_id. */
const twin = (
  href: string | undefined,
  issue = 'Batch with given sender_batch_id already exists',
): Reply => ({
  status: 400,
  json: {
    name: 'USER_BUSINESS_ERROR',
    message: 'User business error.',
    debug_id: 'f00',
    details: [{ field: 'SENDER_BATCH_ID', issue, ...(href === undefined ? {} : { link: [{ href }] }) }],
  },
});
const ours = `https://api.example.org/v1/payments/payouts/${batchId}`;

describe('sending a payout', () => {
  const initiate = () => provider(paypal.url).payout.initiate(fresh(), call);

  it("is one item in a batch, both with the payment's id", async () => {
    paypal.answers(create, made);
    expect(await initiate()).toEqual(accepted);
    expect(paypal.heard).toHaveLength(1);
    expect(paypal.heard[0]?.body).toEqual({
      sender_batch_header: { sender_batch_id: senderId, email_subject: 'You have a payment' },
      items: [
        {
          recipient_type: 'EMAIL',
          receiver: 'ana@example.org',
          amount: { currency: 'USD', value: '40.00' },
          note: 'Order 77',
          sender_item_id: senderId,
        },
      ],
    });
  });

  it('adopts the batch that the provider already has', async () => {
    paypal.answers(create, twin(ours));
    expect(await initiate()).toEqual(accepted);
    expect(paypal.heard).toHaveLength(1);
  });

  it('never calls the address in an answer', async () => {
    paypal.answers(create, twin(`${paypal.url}/elsewhere/v1/payments/payouts/${batchId}`));
    expect(await initiate()).toEqual(accepted);
    expect(paypal.heard.map(({ path }) => path)).toEqual(['/v1/payments/payouts']);
  });

  const lost: [string, Reply][] = [
    ['500', denial(500, 'INTERNAL_SERVER_ERROR')],
    ['503 of a page', html(503)],
    ['a connection that ends', 'close'],
    ['a page of 200', html(200)],
    ['a page of 400', html(400)],
    [
      'an answer about another payment',
      {
        status: 201,
        json: batch('PENDING', undefined, { sender_batch_header: { sender_batch_id: 'po-2' } }),
      },
    ],
    ['an answer without a batch', { status: 201, json: {} }],
    ['REQUEST_TIMEOUT_EXCEEDED', denial(400, 'REQUEST_TIMEOUT_EXCEEDED')],
    ['PREVIOUS_REQUEST_IN_PROGRESS', denial(400, 'PREVIOUS_REQUEST_IN_PROGRESS')],
    ['409', denial(409, 'NEVER_SEEN')],
    ['a twin without its address', twin(undefined)],
    ['a twin whose address is no batch’s', twin('https://api.example.org/v1/payments/payouts/a%2Fb')],
  ];

  it.each(lost)('answered with %s is sent again with the same id', async (_what, reply) => {
    paypal.answers(create, reply, twin(ours));
    expect(await initiate()).toEqual(accepted);
    expect(paypal.heard).toHaveLength(2);
    expect(paypal.heard[0]?.text).toBe(paypal.heard[1]?.text);
  });

  it.each(lost)('answered with %s twice is unknown', async (_what, reply) => {
    paypal.answers(create, reply);
    expect(await initiate()).toMatchObject({ kind: 'unknown' });
  });

  it('that exceeds its time limit is unknown', async () => {
    const silent = await startScriptedProvider();
    silent.answers(create, 'hang');
    const answer = await provider(silent.url).payout.initiate(fresh(), { ...call, timeoutMs: 300 });
    expect(answer).toMatchObject({ kind: 'unknown' });
    await silent.close();
  });

  it.each([
    [422, 'INSUFFICIENT_FUNDS', 'PROVIDER_ACCOUNT_REFUSED'],
    [403, 'SENDER_RESTRICTED', 'PROVIDER_ACCOUNT_REFUSED'],
    [403, 'SENDER_EMAIL_UNCONFIRMED', 'PROVIDER_ACCOUNT_REFUSED'],
    [403, 'AUTHORIZATION_ERROR', 'PROVIDER_ACCOUNT_REFUSED'],
    [400, 'NON_HOLDING_CURRENCY', 'PROVIDER_ACCOUNT_REFUSED'],
    [400, 'VALIDATION_ERROR', 'PROVIDER_REJECTED_REQUEST'],
    [400, 'INVALID_REQUEST', 'PROVIDER_REJECTED_REQUEST'],
    [422, 'NEVER_SEEN', 'PROVIDER_REJECTED_REQUEST'],
  ])('rejected with %s %s is %s', async (status, name, publicCode) => {
    paypal.answers(create, denial(status, name, 'A sentence about it'));
    expect(await initiate()).toMatchObject({ kind: 'refused', publicCode, providerCode: name });
    expect(paypal.heard).toHaveLength(1);
  });

  it('uses the issue of a rejection if it is more precise', async () => {
    paypal.answers(create, denial(422, 'UNPROCESSABLE_ENTITY', 'INSUFFICIENT_FUNDS'));
    expect(await initiate()).toMatchObject({
      publicCode: 'PROVIDER_ACCOUNT_REFUSED',
      providerCode: 'INSUFFICIENT_FUNDS',
    });
  });

  it.each<[string, Reply]>([
    ['RATE_LIMIT_VALIDATION', denial(429, 'RATE_LIMIT_VALIDATION')],
    ['RATE_LIMIT_VALIDATION as a 400', denial(400, 'RATE_LIMIT_VALIDATION')],
    ['a page of 429', html(429)],
  ])('rejected with %s was not sent', async (_what, reply) => {
    paypal.answers(create, reply);
    expect(await initiate()).toMatchObject({ kind: 'not_sent' });
  });

  it('without a connection was not sent', async () => {
    const { payout: nowhere } = provider('http://127.0.0.1:1');
    expect(await nowhere.initiate(fresh(), call)).toMatchObject({ kind: 'not_sent' });
  });
});

describe('a payout that was sent before without an answer', () => {
  const recover = () => provider(paypal.url).payout.recover(fresh(), call);

  it.each<[string, Reply]>([
    ['is taken now', made],
    ['was taken then', twin(ours)],
  ])('%s', async (_what, reply) => {
    paypal.answers(create, reply);
    expect(await recover()).toEqual(accepted);
  });

  it.each(['VALIDATION_ERROR', 'INVALID_REQUEST'])('was rejected then, if it is now for %s', async (name) => {
    paypal.answers(create, denial(400, name));
    expect(await recover()).toMatchObject({ kind: 'refused', providerCode: name });
  });

  it.each<[string, Reply]>([
    ['our balance', denial(422, 'INSUFFICIENT_FUNDS')],
    ['our account', denial(403, 'SENDER_RESTRICTED')],
    ['a reason nobody has seen', denial(422, 'NEVER_SEEN')],
    ['its rate', denial(429, 'RATE_LIMIT_REACHED')],
  ])(
    'stays unknown when it is rejected now for %s: the first submission may have been accepted',
    async (_what, reply) => {
      paypal.answers(create, reply);
      expect(await recover()).toMatchObject({ kind: 'unknown' });
      paypal.answers(create, 'close', reply);
      expect(await provider(paypal.url).payout.initiate(fresh(), call)).toMatchObject({ kind: 'unknown' });
    },
  );

  it('stays unknown without a connection', async () => {
    const { payout: nowhere } = provider('http://127.0.0.1:1');
    expect(await nowhere.recover(fresh(), call)).toMatchObject({ kind: 'unknown' });
  });

  describe('is found by its own id when its status is queried', () => {
    const status = (changes = {}) =>
      provider(paypal.url).payout.retrieveStatus(payout({ provider_reference: null, ...changes }), call);

    it('and returned with its batch', async () => {
      paypal.answers(create, twin(ours));
      paypal.answers(query, { status: 200, json: batch('SUCCESS', { transaction_status: 'SUCCESS' }) });
      expect(await status()).toMatchObject({ kind: 'succeeded', providerReference: batchId });
    });

    it('and failed when its content is rejected', async () => {
      paypal.answers(create, denial(400, 'VALIDATION_ERROR'));
      expect(await status()).toMatchObject({ kind: 'failed', code: 'VALIDATION_ERROR' });
    });

    it('and is never sent again once it has ended, or is older than the provider’s memory', async () => {
      paypal.answers(create, made);
      expect(await status({ state: 'failed', is_final: 1 })).toMatchObject({ kind: 'unknown' });
      expect(await status(aged(29 * 24 + 1))).toMatchObject({ kind: 'unknown' });
      expect(paypal.heard).toEqual([]);
    });
  });
});

describe('cancelling a payout', () => {
  const row = (details: Record<string, string> = { payout_item_id: itemId }) =>
    payout({ state: 'queued', details });
  const answered = (reply: Reply, of = row()) => {
    paypal.answers(cancel, reply);
    return provider(paypal.url).payout.cancel(of, call);
  };

  it.each<[string, Reply, string]>([
    ['RETURNED', { status: 200, json: { transaction_status: 'RETURNED' } }, 'taken'],
    ['ITEM_ALREADY_CANCELLED', denial(400, 'ITEM_ALREADY_CANCELLED'), 'taken'],
    ['ITEM_INCORRECT_STATUS', denial(400, 'ITEM_INCORRECT_STATUS'), 'too_late'],
    ['another status', { status: 200, json: { transaction_status: 'SUCCESS' } }, 'unknown'],
    ['another error', denial(400, 'NEVER_SEEN'), 'unknown'],
    ['404', denial(404, 'RESOURCE_NOT_FOUND'), 'unknown'],
    ['500', denial(500, 'INTERNAL_SERVER_ERROR'), 'unknown'],
    ['a page', html(200), 'unknown'],
    ['no answer', 'close', 'unknown'],
  ])('answered with %s', async (_what, reply, means) => {
    expect(await answered(reply)).toBe(means);
    expect(paypal.heard).toMatchObject([{ path: `/v1/payments/payouts-item/${itemId}/cancel` }]);
  });

  it('queries its item first if its id is unknown', async () => {
    paypal.answers(query, { status: 200, json: batch('SUCCESS', { transaction_status: 'UNCLAIMED' }) });
    const returned: Reply = { status: 200, json: { transaction_status: 'RETURNED' } };
    expect(await answered(returned, row({}))).toBe('taken');
  });

  it('is unknown without an item', async () => {
    paypal.answers(query, html(500));
    expect(await answered(denial(400, 'ITEM_ALREADY_CANCELLED'), row({}))).toBe('unknown');
    expect(paypal.heard).toHaveLength(1);
  });
});
