import { credentialsOf } from '../../../src/merchants/authenticate';
import { codeOf, errorOf } from '../../support/merchants/merchant-support';

const headers = { 'x-api-key': 'pk_test_a', 'x-api-secret': 'sk_test_a' };
const body = { api_key: 'pk_test_a', api_secret: 'sk_test_a' };
const both = { apiKey: 'pk_test_a', apiSecret: 'sk_test_a' };

describe('finding credentials', () => {
  it('in the headers', () => {
    expect(credentialsOf(headers, undefined)).toEqual(both);
  });

  it('in the body', () => {
    expect(credentialsOf({}, { ...body, amount: '10.00' })).toEqual(both);
  });

  it('in both, when they agree', () => {
    expect(credentialsOf(headers, body)).toEqual(both);
  });

  it('partly in each', () => {
    expect(credentialsOf({ 'x-api-key': 'pk_test_a' }, { api_secret: 'sk_test_a' })).toEqual(both);
  });
});

describe('401 CREDENTIALS_REQUIRED', () => {
  it.each([
    ['nothing at all', {}, undefined],
    ['only a key', { 'x-api-key': 'pk_test_a' }, {}],
    ['only a secret', {}, { api_secret: 'sk_test_a' }],
    ['empty texts', { 'x-api-key': '', 'x-api-secret': '' }, { api_key: '', api_secret: '' }],
    ['a body that is no object', {}, 'pk_test_a'],
    ['a body that is null', {}, null],
  ])('%s', async (_, sentHeaders, sentBody) => {
    expect(await codeOf(() => credentialsOf(sentHeaders, sentBody))).toBe('CREDENTIALS_REQUIRED');
  });

  it('credentials in the body of an endpoint that accepts only headers', async () => {
    expect(await codeOf(() => credentialsOf({}, body, { headersOnly: true }))).toBe('CREDENTIALS_REQUIRED');
  });

  it('ignores credentials in the prototype of the body', async () => {
    expect(await codeOf(() => credentialsOf({}, Object.create(body)))).toBe('CREDENTIALS_REQUIRED');
  });
});

describe('401 INVALID_CREDENTIALS', () => {
  it.each([0, 1, true, false, null, [], ['sk_test_a'], {}, { $ne: '' }, Number.NaN])(
    'a secret that is not a text: %j',
    async (secret) => {
      expect(await codeOf(() => credentialsOf({}, { ...body, api_secret: secret }))).toBe(
        'INVALID_CREDENTIALS',
      );
      expect(await codeOf(() => credentialsOf({}, { ...body, api_key: secret }))).toBe('INVALID_CREDENTIALS');
    },
  );

  it.each([
    ['another key', { ...body, api_key: 'pk_test_b' }],
    ['another secret', { ...body, api_secret: 'sk_test_b' }],
    ['a secret that is no text', { ...body, api_secret: 0 }],
  ])('headers and a body with %s', async (_, sentBody) => {
    expect(await codeOf(() => credentialsOf(headers, sentBody))).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(() => credentialsOf(headers, sentBody, { headersOnly: true }))).toBe(
      'INVALID_CREDENTIALS',
    );
  });

  it('a repeated header, even with the same value', async () => {
    const repeated = { ...headers, 'x-api-key': ['pk_test_a', 'pk_test_a'] };
    expect(await codeOf(() => credentialsOf(repeated, undefined))).toBe('INVALID_CREDENTIALS');
  });

  it('logs what was wrong, and not what was sent', async () => {
    const detailOf = async (...sent: Parameters<typeof credentialsOf>) =>
      (await errorOf(() => credentialsOf(...sent))).options.detail;
    expect(await detailOf({ 'x-api-key': ['a', 'b'] }, {})).toBe('x-api-key is not a single text');
    expect(await detailOf({ 'x-api-key': 'a' }, { api_secret: 7 })).toBe('api_secret is not a single text');
    expect(await detailOf(headers, { ...body, api_key: 'other' })).toBe('x-api-key and api_key differ');
    expect(await detailOf(headers, { ...body, api_secret: 'other' })).toBe(
      'x-api-secret and api_secret differ',
    );
  });
});
