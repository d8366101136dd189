/** What the API says about a likely mistake, beside the sentences that the specification gives. */
import Joi from 'joi';
import { ignoredFields } from '../../../src/api/ignored-fields';
import { depositBody } from '../../../src/rails/momo/requests';
import { amountField, validateInput } from '../../../src/rail-kit/fields';
import { echo, lookUp, merchant, serve, type Served } from '../../support/api/serve';

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

type Body = Record<string, unknown>;
const bodyOf = async (answer: Response) => (await answer.json()) as Body;

describe('an ignored field', () => {
  const input = Joi.object({ amount: Joi.any(), currency: Joi.any(), phone_number: Joi.any() });
  it.each([
    ['Currency', 'Currency was ignored: did you mean currency?'],
    ['phoneNumber', 'phoneNumber was ignored: did you mean phone_number?'],
    ['idempotency_key', 'idempotency_key was ignored: send it as the header Idempotency-Key'],
    ['callback_url', 'callback_url was ignored: webhooks go to the address in your settings'],
    ['note', 'note was ignored: this endpoint has no such field'],
    ['sk_test_1 is my secret', 'A field was ignored: its name is no name of a field'],
  ])('%s is named in the sandbox', (name, warning) => {
    expect(ignoredFields(input, { amount: 1, [name]: 'x' })).toEqual([warning]);
  });

  it('is none where the endpoint has it, or every endpoint', () => {
    expect(ignoredFields(input, { amount: 1, api_key: 'x', api_secret: 'x', merchant_id: 'x' })).toEqual([]);
  });

  it('is in the answer, and in its replay', async () => {
    const key = { 'Idempotency-Key': 'order-1' };
    const ask = async () =>
      bodyOf(await served.post('/api/v1/echo', { reference: 'a', Reference: 'b' }, key));
    const first = await ask();
    expect(first['warnings']).toEqual(['Reference was ignored: did you mean reference?']);
    expect(await ask()).toEqual(first);
  });

  it('is not mentioned where there is none, and never in live', async () => {
    expect(await bodyOf(await served.post('/api/v1/echo', { reference: 'a' }))).not.toHaveProperty(
      'warnings',
    );
    const config = {
      environment: 'live',
      publicUrl: 'http://127.0.0.1',
      timezone: 'UTC',
      trustedProxies: [],
    };
    const live = await serve({ config: config as never });
    expect(await bodyOf(await live.post('/api/v1/echo', { Reference: 'b' }))).not.toHaveProperty('warnings');
    await live.close();
  });
});

describe('a path that is not there', () => {
  it.each(['/api/v1/ecko', '/api/v1/Echo', '/v1/echo'])('%s names the one that was meant', async (path) => {
    const answer = await served.post(path, {});
    expect([answer.status, await bodyOf(answer)]).toEqual([
      404,
      expect.objectContaining({ error: 'Not found', message: 'Not found. Did you mean /api/v1/echo?' }),
    ]);
  });

  it('at the root names the description of all endpoints', async () => {
    expect(await bodyOf(await served.get('/'))).toMatchObject({
      ...{ code: 'NOT_FOUND', message: 'Not found. /openapi.json describes all endpoints.' },
    });
    expect((await served.get('/openapi.json')).status).toBe(200);
  });

  it('names nothing where nothing is near', async () => {
    expect(await bodyOf(await served.get('/wp-login.php'))).toMatchObject({ message: 'Not found' });
  });
});

describe('a refusal', () => {
  const faultOf = (schema: Joi.ObjectSchema, value: object, field: string) => {
    try {
      validateInput(schema, value);
    } catch (error) {
      const { details = [] } = (error as { options: { details?: { field: string; message: string }[] } })
        .options;
      return details.find((one) => one.field === field)?.message;
    }
    return undefined;
  };

  it.each([
    ['254712345678', 'KEN', 'phone_number must be a valid number in the form +254712123456'],
    [
      '0763456789',
      'ZMB',
      expect.stringMatching(/^phone_number must be a valid number in the form \+260\d+$/),
    ],
    [
      '\u202a+254712345678\u202c',
      'KEN',
      expect.stringContaining('contains a space or an invisible character'),
    ],
    ['+254 712 345 678', 'KEN', expect.stringContaining('contains a space or an invisible character')],
  ])('of the phone number %j has an example of its country', (phone, country, message) => {
    const body = { amount: '10.00', currency: 'KES', country, account_reference: 'a', phone_number: phone };
    expect(faultOf(depositBody, body, 'phone_number')).toEqual(message);
  });

  it.each([
    ['1,250.00', 'amount must be only digits and a decimal point, such as 1250.00'],
    ['1250.5', 'amount must have exactly 2 decimals'],
  ])('of the amount %s names what is wrong', (amount, message) => {
    const schema = Joi.object({ amount: amountField({ currency: 'KES', exactlyTwoDecimals: true }) });
    expect(faultOf(schema, { amount }, 'amount')).toBe(message);
  });

  it('of no credentials names the headers', async () => {
    const answer = await fetch(`${served.url}/api/v1/look_up`, { headers: { Authorization: 'Bearer x' } });
    expect([answer.status, await bodyOf(answer)]).toEqual([
      401,
      expect.objectContaining({
        error: 'API credentials required',
        message: 'API credentials required. Send them in the headers X-API-Key and X-API-Secret',
      }),
    ]);
  });

  it('of a merchant_id beside the right keys says that the keys are right', async () => {
    const named = { ...echo, access: 'merchant_id' as const, path: '/api/v2/order' };
    const own = await serve({ endpoints: [named, lookUp] });
    const ask = (id: string) => own.post('/api/v2/order', { merchant_id: id });
    expect(await bodyOf(await ask('wrong'))).toMatchObject({
      code: 'INVALID_CREDENTIALS',
      error: 'Invalid API credentials',
      message: 'Invalid API credentials. The keys are right, but merchant_id is not the id of their merchant',
    });
    expect((await ask(merchant.merchant_id)).status).toBe(200);
    await own.close();
  });
});
