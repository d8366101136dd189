/** The adapter with a processor that gives scripted answers. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RailSettings } from '../../../../src/rail-kit/rail';
import { pesapalProvider } from '../../../../src/rails/cardproc/providers/pesapal';
import type { PaymentRow } from '../../../../src/store/tables';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';

type Reply = { status?: number; json?: unknown; text?: string } | 'hang' | 'drop';

const addressId = '1d2e3f40-0000-4000-8000-000000000001';
const notificationUrl = 'https://api.example.org/listen_cardproc.php';
const token = '/api/Auth/RequestToken';
const list = '/api/URLSetup/GetIpnList';
const register = '/api/URLSetup/RegisterIPN';
const submit = '/api/Transactions/SubmitOrderRequest';
const call = { timeoutMs: 5_000, requestId: 'request-1', attempt: 1 };
const payment = {
  payment_id: '0b9a2c61-5f44-7a3e-9c1d-7d2e8f60a111',
  callback_token: 'cp-ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  provider_reference: null,
  instructed_currency: 'KES',
  instructed_minor: '150000',
  details: { description: 'Order 881', billing_address: '{"email_address":"ana@example.org"}' },
} as unknown as PaymentRow;

const soon = () => new Date(Date.now() + 300_000).toISOString();
const issued = (name: string, expiryDate: unknown = soon()): Reply => ({
  json: { token: name, expiryDate, error: null, status: '200', message: 'ok' },
});
const known: Reply = { json: [{ url: notificationUrl, ipn_id: addressId, error: null, status: '200' }] };
const fault = (code: string, message = '', status = 200): Reply => ({
  status,
  json: { error: { error_type: 'api_error', code, message }, status: '500' },
});
const madeAs = (attempt: number): Reply => ({
  json: {
    order_tracking_id: 'tracking-1',
    merchant_reference: `cp-ABCDEFGHIJKLMNOPQRSTUVWXYZ-${String(attempt)}`,
    redirect_url: 'https://pay.example.org/iframe',
    error: null,
    status: '200',
  },
});
const made = madeAs(1);

describe('the Pesapal adapter', () => {
  let url: string;
  let heard: { path: string; authorization: string | undefined; body: unknown }[];
  let script: Map<string, Reply[]>;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [path = ''] = (request.url ?? '').split('?');
      const text = Buffer.concat(chunks).toString();
      heard.push({
        path,
        authorization: request.headers.authorization,
        body: text === '' ? undefined : JSON.parse(text),
      });
      const replies = script.get(path) ?? [];
      const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 404 };
      if (reply === 'hang') return;
      if (reply === 'drop') return void request.socket.destroy();
      const { status = 200, json } = reply;
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(reply.text ?? JSON.stringify(json));
    });
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  beforeEach(() => {
    heard = [];
    script = new Map([
      [token, [issued('token-1')]],
      [list, [known]],
      [submit, [made]],
    ]);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const adapter = () =>
    pesapalProvider(
      { baseUrl: url, consumerKey: 'key', consumerSecret: 'secret' },
      { log: silentLog, tokens: ownTokens(), observe: () => undefined } as unknown as RailSettings,
      { callbackUrl: 'https://api.example.org/cardproc/callback.php', notificationUrl },
    );
  const heardAt = (path: string) => heard.filter((request) => request.path === path);

  describe('its token', () => {
    it('is requested once, however many orders wait for it, and stored', async () => {
      const { initiate } = adapter();
      await Promise.all(Array.from({ length: 6 }, () => initiate(payment, call)));
      await initiate(payment, call);
      expect(heardAt(token).map(({ body }) => body)).toEqual([
        { consumer_key: 'key', consumer_secret: 'secret' },
      ]);
      expect(new Set(heardAt(submit).map(({ authorization }) => authorization))).toEqual(
        new Set(['Bearer token-1']),
      );
    });

    it.each([
      ['without a date that can be read', null],
      ['with a date that does not say that it is UTC', soon().slice(0, -1)],
      ['with a date that our clock says is over', new Date(Date.now() - 1_000).toISOString()],
    ])('has a lifetime of %s', async (_what, expiryDate) => {
      script.set(token, [issued('token-1', expiryDate)]);
      const { initiate } = adapter();
      await initiate(payment, call);
      await initiate(payment, call);
      expect(heardAt(token)).toHaveLength(1);
    });

    it.each([
      ['401', { status: 401, json: {} }],
      ['an error in a 200', fault('invalid_access_token')],
    ])('that is rejected with %s is renewed once, and the order is submitted', async (_how, denial) => {
      script.set(token, [issued('token-1'), issued('token-2')]);
      script.set(submit, [denial, made]);
      expect(await adapter().initiate(payment, call)).toMatchObject({ kind: 'accepted' });
      expect(heardAt(submit).map(({ authorization }) => authorization)).toEqual([
        'Bearer token-1',
        'Bearer token-2',
      ]);
    });

    it('that is rejected twice means a fault of our account', async () => {
      script.set(submit, [{ status: 401, json: {} }]);
      expect(await adapter().initiate(payment, call)).toMatchObject({
        publicCode: 'PROVIDER_ACCOUNT_REFUSED',
      });
      expect(heardAt(submit)).toHaveLength(2);
    });

    it.each<[string, Reply, object]>([
      [
        'wrong keys',
        fault('invalid_consumer_key_or_secret_provided'),
        { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED' },
      ],
      ['a server error', { status: 500, text: 'oops' }, { kind: 'not_sent' }],
      ['no answer', 'drop', { kind: 'not_sent' }],
      ['too many requests', { status: 429, json: {} }, { kind: 'not_sent' }],
    ])('%s: no order was sent', async (_what, reply, submissionResult) => {
      script.set(token, [reply]);
      expect(await adapter().initiate(payment, call)).toMatchObject(submissionResult);
      expect(heardAt(submit)).toEqual([]);
    });
  });

  describe('the notification address', () => {
    it('is looked up, and not registered if it exists', async () => {
      const { initiate } = adapter();
      await Promise.all([initiate(payment, call), initiate(payment, call)]);
      expect([heardAt(list).length, heardAt(register).length]).toEqual([1, 0]);
      expect(heardAt(submit)[0]?.body).toMatchObject({ notification_id: addressId });
    });

    it('is registered once if it does not exist', async () => {
      script.set(list, [{ json: [{ url: 'https://other.example.org', ipn_id: 'x' }] }]);
      script.set(register, [{ json: { ipn_id: 'new', url: notificationUrl, error: null, status: '200' } }]);
      const { initiate } = adapter();
      await Promise.all([initiate(payment, call), initiate(payment, call)]);
      expect(heardAt(register).map(({ body }) => body)).toEqual([
        { url: notificationUrl, ipn_notification_type: 'POST' },
      ]);
      expect(heardAt(submit).map(({ body }) => body)).toMatchObject([
        { notification_id: 'new' },
        { notification_id: 'new' },
      ]);
    });

    it('is the newest that is notified by POST; others are not used', async () => {
      const entry = (ipn_id: string, changes: object) => ({ url: notificationUrl, ipn_id, ...changes });
      const byPost = { ipn_notification_type_description: 'POST', ipn_status: 1 };
      const listed = [
        entry('by-get', { ipn_notification_type_description: 'GET', ipn_status: 1 }),
        entry('older', { ...byPost, created_date: '2026-01-05T12:00:01.75Z' }),
        entry('newest', { ...byPost, created_date: '2026-01-05T12:00:02Z' }),
        entry('at-rest', { ...byPost, created_date: '2026-01-06T12:00:02Z', ipn_status: 0 }),
      ];
      script.set(list, [{ json: listed }]);
      await adapter().initiate(payment, call);
      expect(heardAt(submit)[0]?.body).toMatchObject({ notification_id: 'newest' });
      expect(heardAt(register)).toEqual([]);
    });

    it('is registered again, once, when orders with it are rejected, even if it is still listed', async () => {
      script.set(submit, [fault('InvalidIpnId'), madeAs(2)]);
      script.set(register, [{ json: { ipn_id: 'new', url: notificationUrl, error: null, status: '200' } }]);
      const { initiate } = adapter();
      expect(await initiate(payment, call)).toMatchObject({ kind: 'not_sent' });
      expect(await initiate(payment, { ...call, attempt: 2 })).toMatchObject({ kind: 'accepted' });
      expect([heardAt(list).length, heardAt(register).length]).toEqual([2, 1]);
      expect(heardAt(submit)[1]?.body).toMatchObject({ notification_id: 'new' });

      script.set(submit, [fault('InvalidIpnId')]);
      expect(await initiate(payment, { ...call, attempt: 3 })).toMatchObject({ kind: 'not_sent' });
      expect(await initiate(payment, { ...call, attempt: 4 })).toMatchObject({
        kind: 'refused',
        publicCode: 'PROVIDER_ACCOUNT_REFUSED',
      });
      expect(heardAt(register)).toHaveLength(1);
    });

    it('is tried again minutes after its rejection, although no other may be registered for an hour', async () => {
      const real = performance.now.bind(performance);
      let laterMs = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => real() + laterMs);
      script.set(submit, [fault('InvalidIpnId')]);
      script.set(register, [{ json: { ipn_id: 'new', url: notificationUrl, error: null, status: '200' } }]);
      const { initiate } = adapter();
      for (const attempt of [1, 2]) await initiate(payment, { ...call, attempt });
      expect(await initiate(payment, { ...call, attempt: 3 })).toMatchObject({ kind: 'refused' });

      laterMs = 4 * 60_000;
      script.set(submit, [madeAs(4)]);
      expect(await initiate(payment, { ...call, attempt: 4 })).toMatchObject({ kind: 'accepted' });
      expect(heardAt(submit).at(-1)?.body).toMatchObject({ notification_id: addressId });
      expect(heardAt(register)).toHaveLength(1);
    });

    it.each<[string, Reply, Reply, object]>([
      ['cannot be looked up now', { status: 503, text: '' }, made, { kind: 'not_sent' }],
      ['cannot be registered now', { json: [] }, 'drop', { kind: 'not_sent' }],
      [
        'is refused',
        { json: [] },
        fault('invalid_url', 'not public'),
        { kind: 'refused', publicCode: 'PROVIDER_ACCOUNT_REFUSED' },
      ],
    ])('that %s: no order was sent', async (_what, listed, registered, submissionResult) => {
      script.set(list, [listed]);
      script.set(register, [registered]);
      expect(await adapter().initiate(payment, call)).toMatchObject(submissionResult);
      expect(heardAt(submit)).toEqual([]);
    });
  });

  it('each attempt has an id of its own', async () => {
    const { initiate } = adapter();
    for (const attempt of [1, 2, 3]) await initiate(payment, { ...call, attempt });
    expect(heardAt(submit).map(({ body }) => (body as { id: string }).id.slice(-3))).toEqual([
      'Z-1',
      'Z-2',
      'Z-3',
    ]);
  });

  it('18 a used id created no second order: another attempt is safe', async () => {
    script.set(submit, [fault('duplicate_order_id', 'id was used by an order before')]);
    expect(await adapter().initiate(payment, call)).toMatchObject({ kind: 'not_sent' });
  });

  it.each<[string, Reply]>([
    ['drops the connection', 'drop'],
    ['never answers', 'hang'],
    ['answers with a page', { status: 502, text: '<html>' }],
  ])('a processor that %s may have the order', async (_what, reply) => {
    script.set(submit, [reply]);
    expect(await adapter().initiate(payment, { ...call, timeoutMs: 2_000 })).toMatchObject({
      kind: 'unknown',
    });
  });

  it('an order without enough time left is not sent, so that it may be sent again', async () => {
    const real = Date.now.bind(Date);
    const slow = () => real() + (heardAt(list).length > 0 ? 4_000 : 0);
    jest.spyOn(Date, 'now').mockImplementation(slow);
    expect(await adapter().initiate(payment, call)).toMatchObject({ kind: 'not_sent' });
    expect(heardAt(submit)).toEqual([]);
  });

  it.each<[string, Reply]>([
    ['500', { status: 500, json: {} }],
    ['429', { status: 429, json: {} }],
    ['nothing', 'drop'],
    ['a page', { text: '<html>' }],
    ['an order that it does not know', fault('invalid_order_tracking_id')],
  ])('a query answered with %s proves nothing', async (_what, reply) => {
    script.set('/api/Transactions/GetTransactionStatus', [reply]);
    const asked = { ...payment, provider_reference: 'tracking 1' };
    expect(await adapter().retrieveStatus(asked, call)).toMatchObject({ kind: 'unknown' });
  });
});
