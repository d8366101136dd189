/**
 * Bodies and credentials that no correct client sends. None is stored, none reaches the provider, none breaks anything.
 */
import { simulatorControl } from '../../support/rails/simulator-control';
import { request } from '../../support/described-request';
import { expectClean } from '../../support/expect-clean';
import { stkPush } from '../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';

const path = '/api/v1/stk_push';
const notTexts: unknown[] = [0, 1, -1, true, false, [], {}, [''], { $ne: null }, ['a', 'b'], 1e21];

/** A valid body as text, with one field as the attacker writes it. */
function written(field: string, text: string): string {
  const { [field]: _, ...rest } = stkPush();
  return `{${JSON.stringify(rest).slice(1, -1)},${JSON.stringify(field)}:${text}}`;
}

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** The attack, its body, and the allowed status codes. */
const corpus: [string, string | Buffer, number[]][] = [
  ['an empty body', '', [400]],
  ['a single quote', '"', [400]],
  ['an array', '[]', [400]],
  ['null', 'null', [400]],
  ['a number', '1250', [400]],
  ['two objects', `${JSON.stringify(stkPush())}{}`, [400]],
  ['a trailing comma', `${JSON.stringify(stkPush()).slice(0, -1)},}`, [400]],
  ['a comment', `/* */${JSON.stringify(stkPush())}`, [400]],
  ['a byte order mark', `\uFEFF${JSON.stringify(stkPush())}`, [400]],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), [400]],
  ['UTF-16', Buffer.from(JSON.stringify(stkPush()), 'utf16le'), [400]],
  ['the same key twice', written('amount', '1250,"amount":1'), [400]],
  ['the same key twice, once escaped', written('amount', '1250,"\\u0061mount":1'), [400]],
  ['__proto__', written('__proto__', '{"amount":1}'), [400]],
  ['an escaped __proto__', `{"\\u005f_proto__":{},${JSON.stringify(stkPush()).slice(1)}`, [400]],
  ['constructor', written('constructor', '{"prototype":{"polluted":true}}'), [400]],
  ['__proto__ in the metadata', written('metadata', '{"__proto__":{"polluted":true}}'), [400]],
  ['20,000 levels', written('metadata', deep(20_000)), [400]],
  ['21 levels', written('metadata', `{"a":${deep(20)}}`), [400]],
  ['more than 64 kB', written('metadata', JSON.stringify({ a: 'x'.repeat(70_000) })), [413]],
  ['more than 4 kB of metadata', written('metadata', JSON.stringify({ a: 'x'.repeat(5_000) })), [400]],
  ['half a surrogate pair', written('account_reference', '"\\ud800"'), [400]],
  ['a NUL', written('account_reference', '"INV\\u00001"'), [400]],
  ['a reference of 501 characters', written('account_reference', JSON.stringify('x'.repeat(501))), [400]],
  ['an object for a reference', written('account_reference', '{"merchant_id":1}'), [400]],
  ['an array for a phone number', written('phone_number', '["254708374149"]'), [400]],
  ['an object for an order id', written('order_id', '{"$gt":""}'), [400]],
  ['a text for the metadata', written('metadata', '"{}"'), [400]],
];

const amounts = [
  ...[
    '-1',
    '-0',
    '0',
    '0.001',
    '9.99',
    '150000.01',
    '1e3',
    '1E3',
    '1e21',
    '1e-2',
    '1250.005',
    '99999999999999999999',
  ],
  ...[
    '"NaN"',
    '"Infinity"',
    '"1e3"',
    '"0x4E2"',
    '"1,250.00"',
    '"10,00"',
    '" 1250.00"',
    '"+1250.00"',
    '"1250.0"',
  ],
  ...[
    '"١٢٥٠.٠٠"',
    '"1250.00\\u0000"',
    'true',
    'null',
    '[]',
    '[1250]',
    '{}',
    '{"value":1250}',
    '"1250.00; DROP TABLE payments"',
  ],
];
const notJson = ['NaN', 'Infinity', '+1250', '.5', '01250', '1250.', '0x4E2', "'1250'"];

describe('POST /api/v1/stk_push', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20, without: ['worker'] });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });
  afterEach(async () => {
    expect(await stack.db('payments')).toEqual([]);
    expect(await stack.db('idempotency_keys')).toEqual([]);
    expect(await simulatorControl(stack.simulatorUrl, 'stk').exchanges()).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  const keys = () => ({ 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret });

  async function send(body: string | Buffer, headers: Record<string, string>) {
    const answer = await request(`${stack.apiUrl}${path}`, { method: 'POST', body, headers });
    return { status: answer.statusCode, body: JSON.parse(answer.text) as Record<string, unknown> };
  }

  it.each(corpus)('refuses %s', async (_, body, statuses) => {
    const answer = await send(body, { ...keys(), 'content-type': 'application/json' });
    expect(statuses).toContain(answer.status);
    expect(answer.body).toMatchObject({ success: false, code: expect.any(String) });
  });

  it.each([...amounts, ...notJson])('rejects the amount %s', async (amount) => {
    const answer = await send(written('amount', amount), { ...keys(), 'content-type': 'application/json' });
    expect(answer.status).toBe(400);
  });

  it.each([
    ['none', {}],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['text that claims to be JSON', { 'content-type': 'application/jsonp' }],
    ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('rejects a body with the type %s', async (_, headers) => {
    const answer = await send(JSON.stringify(stkPush()), { ...keys(), ...headers });
    expect(answer.status).toBe(415);
  });

  describe('401', () => {
    const sendJson = (body: unknown, headers: Record<string, string> = {}) =>
      send(JSON.stringify(body), { 'content-type': 'application/json', ...headers });

    it.each(notTexts)('rejects the API secret %j in the body', async (secret) => {
      const answer = await sendJson(stkPush({ api_key: merchant.apiKey, api_secret: secret }));
      expect(answer.status).toBe(401);
    });

    it.each(notTexts)('rejects the API key %j in the body', async (key) => {
      const answer = await sendJson(stkPush({ api_key: key, api_secret: merchant.apiSecret }));
      expect(answer.status).toBe(401);
    });

    it('rejects credentials that are repeated, differ, or belong to two merchants', async () => {
      const other = await stack.createMerchant('Other');
      const mixed = { 'x-api-key': merchant.apiKey, 'x-api-secret': other.apiSecret };
      expect((await sendJson(stkPush(), mixed)).status).toBe(401);
      expect((await sendJson(stkPush({ api_secret: other.apiSecret }), keys())).status).toBe(401);
      const twice = {
        'x-api-key': `${merchant.apiKey}, ${merchant.apiKey}`,
        'x-api-secret': merchant.apiSecret,
      };
      expect((await sendJson(stkPush(), twice)).status).toBe(401);
    });

    it('rejects SQL in the place of a key', async () => {
      const answer = await sendJson(stkPush(), { 'x-api-key': "' OR 1=1 -- ", 'x-api-secret': "' OR ''='" });
      expect(answer.status).toBe(401);
    });
  });

  it.each(['payment_id=a&payment_id=b', 'payment_id[]=a', '__proto__=a', 'payment_id=%ff', 'payment_id=%00'])(
    'GET status rejects the query %s',
    async (query) => {
      const answer = await request(`${stack.apiUrl}/api/v1/stk_push/status?${query}`, { headers: keys() });
      expect(answer.statusCode).toBe(400);
    },
  );
});
