/** The developers pages: each form acts once, only on its own merchant, and writes audit lines. */
import { authenticate } from '../../../src/merchants/authenticate';
import { findMerchant } from '../../../src/merchants/merchants';
import { startReceiver, verifySignature, type WebhookReceiver } from '../../support/webhook-receiver';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import { aWebhook, call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
let receiver: WebhookReceiver;
beforeAll(async () => {
  portal = await startPortal();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await portal.stop();
});

let persons = 0;
async function aDeveloper() {
  const merchantId = await aMerchant(portal.db, portal.box);
  persons += 1;
  const email = `dev${String(persons)}@duka.example`;
  const person = await createPerson(portal.db, email, { merchantId, role: 'developer' });
  const token = await sessionOf(portal, person);
  const base = `/m/${merchantId}`;
  return {
    merchantId,
    base,
    get: (path: string) => call(portal, { method: 'GET', path: `${base}${path}`, token }),
    post: (path: string, form: Record<string, string> = {}) =>
      call(portal, { method: 'POST', path: `${base}${path}`, token, form }),
    keys: () =>
      portal
        .db('api_keys')
        .where({ merchant_id: merchantId })
        .orderBy('created_at')
        .select('api_key', 'name', 'revoked_at'),
    reported: () =>
      portal
        .db('audit_log')
        .where({ acted_by: `user:${person.userId}`, subject_id: merchantId })
        .orderBy('seq')
        .select('action', 'details'),
  };
}

const secretIn = (text: string, shape: RegExp) => shape.exec(text)?.[0] ?? '';

describe('API keys', () => {
  it('are two at most; a repeated form creates one key, and a revoked key fails at once', async () => {
    const { merchantId, post, keys, reported } = await aDeveloper();
    const newest = (await keys())[0]?.api_key ?? '';
    const form = { name: 'shop server', newest };
    const made = await post('/developers/keys', form);
    const credentials = {
      apiKey: secretIn(made.text, /pk_test_\w+/),
      apiSecret: secretIn(made.text, /sk_test_\w+/),
    };
    const comeIn = () => authenticate(portal.db, 'sandbox', { credentials, clientAddress: '127.0.0.1' });
    expect([made.status, (await comeIn()).merchant_id]).toEqual([200, merchantId]);
    expect(made.headers.get('cache-control')).toBe('no-store');

    const again = await post('/developers/keys', form);
    expect([again.status, again.text.includes('sk_test_')]).toEqual([422, false]);
    expect(again.text).toContain('The keys changed after this page loaded');
    const third = await post('/developers/keys', { name: 'third', newest: credentials.apiKey });
    expect([third.status, third.text.includes('You already have two active keys')]).toEqual([422, true]);

    expect((await post('/developers/keys/revoke', { key: newest })).to).toContain('?done=revoked');
    expect(await keys()).toMatchObject([
      { name: null, revoked_at: expect.any(Date) },
      { name: 'shop server', revoked_at: null },
    ]);
    expect((await post('/developers/keys/revoke', { key: credentials.apiKey })).status).toBe(303);
    await expect(comeIn()).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    const lines = await reported();
    expect(lines.map(({ action }) => action)).toEqual(['api_key.create', 'api_key.revoke', 'api_key.revoke']);
    expect(JSON.stringify(lines)).not.toContain('sk_test_');
  });

  it.each(['', '   ', 'x'.repeat(61), 'a\u0007b', '4111 1111 1111 1111'])(
    'cannot have the name %j',
    async (name) => {
      const { post, keys } = await aDeveloper();
      const refused = await post('/developers/keys', { name, newest: (await keys())[0]?.api_key ?? '' });
      expect([refused.status, (await keys()).length]).toEqual([422, 1]);
    },
  );

  it('of another merchant cannot be revoked', async () => {
    const [mine, theirs] = [await aDeveloper(), await aDeveloper()];
    const key = (await theirs.keys())[0]?.api_key ?? '';
    for (const name of [key, 'x', 'é'])
      expect((await mine.post('/developers/keys/revoke', { key: name })).status).toBe(404);
    expect((await theirs.keys())[0]?.revoked_at).toBeNull();
  });
});

describe('addresses', () => {
  it('are set as by the command line; a rejected form keeps the input', async () => {
    const { merchantId, post, get, reported } = await aDeveloper();
    const webhookUrl = 'https://shop.example.com/hook?key=<b>';
    const refused = await post('/developers/addresses', { webhookUrl: 'https://10.0.0.1/x"><i>' });
    expect([refused.status, refused.text.includes('public internet')]).toEqual([422, true]);
    expect(refused.text).not.toContain('<i>');
    expect(
      (await post('/developers/addresses', { webhookUrl: webhookUrl.replace(/<b>/, 'abc') })).to,
    ).toContain('?done=saved');
    expect((await get('/developers')).text).toContain('https://shop.example.com/hook?key=abc');
    expect(await findMerchant(portal.db, merchantId)).toMatchObject({
      webhook_url: 'https://shop.example.com/hook?key=abc',
      return_url: null,
    });
    expect(JSON.stringify(await reported())).not.toContain('abc');
  });

  it("limit the callers; the page shows the user's own address", async () => {
    const { merchantId, post, get } = await aDeveloper();
    const refused = await post('/developers/access', { ipAllow: '41.90.64.0/24\nx', checkoutHosts: '' });
    expect([refused.status, refused.text.includes('41.90.64.0/24\nx')]).toEqual([422, true]);
    await post('/developers/access', {
      ipAllow: '41.90.64.0/24, 10.1.1.1',
      checkoutHosts: 'shop.example.com',
    });
    expect(await findMerchant(portal.db, merchantId)).toMatchObject({
      ip_allow: ['41.90.64.0/24', '10.1.1.1'],
      checkout_hosts: ['shop.example.com'],
    });
    const page = await get('/developers');
    expect(page.text).toContain('<code>127.0.0.1</code> · not on the list');
  });
});

it('changes the webhook secret once for each loaded page', async () => {
  const { merchantId, get, post } = await aDeveloper();
  const before = await findMerchant(portal.db, merchantId);
  const seen = /name="seen" value="([^"]+)"/.exec((await get('/developers')).text)?.[1] ?? '';
  const made = await post('/developers/webhook-secret', { seen });
  expect([made.status, secretIn(made.text, /whsec_[\w+/=&;]+/).length > 40]).toEqual([200, true]);
  const again = await post('/developers/webhook-secret', { seen });
  expect([again.status, again.text.includes('whsec_')]).toEqual([422, false]);
  expect((await findMerchant(portal.db, merchantId))?.previous_webhook_secret).toBe(before?.webhook_secret);
});

it('sends a test event signed with the new secret, and shows the answer', async () => {
  const { get, post } = await aDeveloper();
  expect((await post('/developers/test', { endpoint: 'webhook_url' })).status).toBe(422);
  await post('/developers/addresses', { webhookUrl: receiver.url });
  const seen = /name="seen" value="([^"]+)"/.exec((await get('/developers')).text)?.[1] ?? '';
  const made = await post('/developers/webhook-secret', { seen });
  const secret = secretIn(made.text, /whsec_[\w+/=]+/);
  const sent = await post('/developers/test', { endpoint: 'webhook_url' });
  expect([sent.status, sent.text.includes('Your server answered 200')]).toEqual([200, true]);
  const [heard] = receiver.received.slice(-1);
  if (!heard) throw new Error('nothing arrived');
  verifySignature(heard, secret);
});

describe('a webhook', () => {
  it('shows its answers, can be sent again after its end, and is invisible to other merchants', async () => {
    const [mine, theirs] = [await aDeveloper(), await aDeveloper()];
    const { merchantId } = mine;
    const { payment_id: paymentId } = await insertPayment(portal.db, { merchantId, rail: 'stk' });
    const id = await aWebhook(portal.db, { merchantId, paymentId });
    await portal
      .db('outbox')
      .where({ webhook_id: id })
      .update({ state: 'dead', tries: 9, settled_at: new Date() });
    await portal.db('webhook_deliveries').insert({
      webhook_id: id,
      n: 1,
      url: 'https://shop.example.com/hook',
      http_status: 500,
      duration_ms: 12,
      error: 'HTTP 500',
      response_excerpt: '<script>alert(1)</script>',
      at: new Date(),
    });
    const page = await mine.get(`/webhooks/${id}`);
    expect(page.text).toContain('Your server answered 500');
    expect(page.text).toContain('&lt;script&gt;alert(1)');
    expect(page.text).not.toContain('<script>alert');
    expect((await mine.get('/webhooks?state=dead')).text).toContain(id);
    expect((await mine.get('/webhooks?state=delivered')).text).not.toContain(id);
    for (const other of [id, 'x', 'é'].map(encodeURIComponent)) {
      expect((await theirs.get(`/webhooks/${other}`)).status).toBe(404);
      expect((await theirs.post(`/webhooks/${other}/resend`)).status).toBe(404);
    }

    expect((await mine.post(`/webhooks/${id}/resend`)).to).toContain('?done=resent');
    expect(await portal.db('outbox').where({ webhook_id: id }).first()).toMatchObject({
      state: 'pending',
      tries: 0,
    });
    expect([portal.signalled, (await mine.reported()).at(-1)?.action]).toEqual([
      [paymentId],
      'webhook.resend',
    ]);
  });

  it('without stored content says so', async () => {
    const { merchantId, post } = await aDeveloper();
    const { payment_id: paymentId } = await insertPayment(portal.db, { merchantId, rail: 'stk' });
    const id = await aWebhook(portal.db, { merchantId, paymentId });
    await portal
      .db('outbox')
      .where({ webhook_id: id })
      .update({ state: 'dead', settled_at: new Date(), body: '', body_pruned_at: new Date() });
    const refused = await post(`/webhooks/${id}/resend`);
    expect([refused.status, refused.text.includes('no longer stored')]).toEqual([409, true]);
  });
});

describe('additional webhook addresses', () => {
  const url = 'https://books.example.org/malipo?key=abc';
  const idIn = (text: string) => /endpoints\/([\da-f-]{36})\/end/.exec(text)?.[1] ?? '';
  const seenIn = (text: string, form: RegExp) =>
    new RegExp(`${form.source}[^]*?name="seen" value="([^"]+)"`).exec(text)?.[1] ?? '';

  it('are added once with the chosen events, show their secret once, and can be removed', async () => {
    const { merchantId, get, post, reported } = await aDeveloper();
    const form = { url, payout: '1', 'deposit.succeeded': '1', seen: 'none' };
    const made = await post('/endpoints', form);
    const secret = secretIn(made.text, /whsec_[\w+/]+/);
    expect([made.status, secret.length > 40]).toEqual([200, true]);
    const again = await post('/endpoints', form);
    expect([again.status, again.text.includes('changed after this page loaded')]).toEqual([422, true]);
    const rows = () => portal.db('webhook_endpoints').where({ merchant_id: merchantId });
    const [row, ...more] = await rows();
    const types = row?.types.split(',') ?? [];
    expect([row?.url, more, types.includes('payout.failed'), types.includes('deposit.succeeded')]).toEqual([
      url,
      [],
      true,
      true,
    ]);
    expect(types.filter((type) => type.startsWith('deposit.'))).toEqual(['deposit.succeeded']);
    const page = await get('/endpoints');
    expect([page.text.includes('Payouts, deposit.succeeded'), page.text.includes(secret)]).toEqual([
      true,
      false,
    ]);

    const id = idIn(page.text);
    const seen = seenIn(page.text, /\/secret"/);
    const changed = await post(`/endpoints/${id}/secret`, { seen });
    expect([changed.status, changed.text.includes('whsec_')]).toEqual([200, true]);
    expect((await post(`/endpoints/${id}/secret`, { seen })).status).toBe(422);
    expect((await rows())[0]?.previous_webhook_secret).toBe(row?.webhook_secret);
    expect((await post(`/endpoints/${id}/end`)).to).toContain('?done=ended');
    expect((await post(`/endpoints/${id}/end`)).status).toBe(404);
    expect((await get('/endpoints')).text).toContain('No additional addresses yet');
    const lines = await reported();
    expect(lines.map(({ action }) => action)).toEqual([
      ...['webhook_endpoint.add', 'webhook_endpoint.change_secret', 'webhook_endpoint.end'],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/books\.example|whsec_/);
  });

  it.each<[string, Record<string, string>, string]>([
    ['no kind of event', { url }, 'Choose at least one kind'],
    [
      'an address within',
      { url: 'https://10.0.0.1/"><i>', deposit: '1' },
      'Address: it must lead to a server on the public internet.',
    ],
    ['no address', { url: '', deposit: '1' }, 'Address: write the whole address'],
  ])('are rejected with %s', async (_what, form, reported) => {
    const { merchantId, post } = await aDeveloper();
    const refused = await post('/endpoints', { ...form, seen: 'none' });
    expect([refused.status, refused.text.includes(reported), refused.text.includes('<i>')]).toEqual([
      422,
      true,
      false,
    ]);
    expect(await portal.db('webhook_endpoints').where({ merchant_id: merchantId })).toEqual([]);
  });

  it('show failed deliveries, and are invisible to other merchants', async () => {
    const [mine, theirs] = [await aDeveloper(), await aDeveloper()];
    await mine.post('/endpoints', { url, deposit: '1', seen: 'none' });
    const row = () => portal.test.db('webhook_endpoints').where({ merchant_id: mine.merchantId });
    const { endpoint_id: id = '' } = (await row().first('endpoint_id')) ?? {};
    await row().update({ tries: 3, last_status: 500, last_error: 'HTTP 500 <b>', skipped: '2' });
    const page = await mine.get('/endpoints');
    expect([page.text.includes('does not accept events'), page.text.includes('HTTP 500 &lt;b&gt;')]).toEqual([
      true,
      true,
    ]);
    expect((await theirs.get('/endpoints')).text).not.toContain('books.example.org');
    for (const other of [id, 'x', 'é'].map(encodeURIComponent))
      for (const below of ['secret', 'end'])
        expect((await theirs.post(`/endpoints/${other}/${below}`)).status).toBe(404);
    expect((await row().first())?.ended_at).toBeNull();
  });
});
