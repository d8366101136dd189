import { digestOf } from '../../../src/merchants/api-keys';
import { authenticate, credentialsOf } from '../../../src/merchants/authenticate';
import { createMerchant, setMerchant, type NewMerchant } from '../../../src/merchants/merchants';
import { rotateKey } from '../../../src/merchants/own-keys';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, codeOf, errorOf } from '../../support/merchants/merchant-support';

let test: TestDatabase;
let alpha: NewMerchant;
let beta: NewMerchant;

beforeAll(async () => {
  test = await createTestDatabase();
  alpha = await createMerchant(test.db, box, { name: 'Alpha', environment: 'sandbox' });
  beta = await createMerchant(test.db, box, { name: 'Beta', environment: 'sandbox' });
});
afterAll(() => test.drop());

function signIn(apiKey: string, apiSecret: string, clientAddress = '41.90.64.7') {
  return authenticate(test.db, 'sandbox', { credentials: { apiKey, apiSecret }, clientAddress });
}

async function queriesOf(work: () => Promise<unknown>): Promise<number> {
  let queries = 0;
  const count = (): void => {
    queries += 1;
  };
  test.db.on('query', count);
  await work().catch(() => undefined);
  test.db.removeListener('query', count);
  return queries;
}

describe('the valid key and secret', () => {
  it('return the merchant', async () => {
    const merchant = await signIn(alpha.api_key, alpha.api_secret);
    expect(merchant).toMatchObject({
      merchant_id: alpha.merchant_id,
      name: 'Alpha',
      permissions: [],
      ip_allow: [],
    });
    expect(merchant).not.toHaveProperty('secret_hash');
  });

  it('take one round trip to the database', async () => {
    expect(await queriesOf(() => signIn(alpha.api_key, alpha.api_secret))).toBe(1);
  });
});

describe('401', () => {
  const unknownKey = `pk_test_${'0'.repeat(24)}`;

  it.each([
    ['an unknown key', () => signIn(unknownKey, alpha.api_secret)],
    ['a wrong secret', () => signIn(alpha.api_key, 'sk_test_wrong')],
    ['the key of one merchant with the secret of another', () => signIn(alpha.api_key, beta.api_secret)],
    ['the secret with a character more', () => signIn(alpha.api_key, `${alpha.api_secret}0`)],
    ['the hash of the secret', () => signIn(alpha.api_key, digestOf(alpha.api_secret).toString('hex'))],
    ['the key in other letters', () => signIn(alpha.api_key.toUpperCase(), alpha.api_secret)],
    ['the key with a space', () => signIn(`${alpha.api_key} `, alpha.api_secret)],
    ['the merchant id as the key', () => signIn(alpha.merchant_id, alpha.api_secret)],
    ['SQL as the key', () => signIn("' OR 1=1 -- ", alpha.api_secret)],
    ['letters the database cannot compare', () => signIn('pk_test_ключ', 'секрет')],
    ['a header sent twice', () => signIn(`${alpha.api_key}, ${alpha.api_key}`, alpha.api_secret)],
  ])('INVALID_CREDENTIALS for %s', async (_, attempt) => {
    const denial = await errorOf(attempt);
    expect(denial).toMatchObject({
      code: 'INVALID_CREDENTIALS',
      status: 401,
      message: 'Invalid API credentials',
    });
  });

  it('logs what was wrong', async () => {
    const detailOf = async (attempt: () => unknown) => (await errorOf(attempt)).options.detail;
    expect(await detailOf(() => signIn(unknownKey, 's'))).toBe('no such API key');
    expect(await detailOf(() => signIn('k', 's'))).toBe('no such API key');
    expect(await detailOf(() => signIn(alpha.api_key, 's'))).toBe(`wrong secret for ${alpha.api_key}`);
    await test.db('api_keys').where({ api_key: beta.api_key }).update({ revoked_at: new Date() });
    expect(await detailOf(() => signIn(beta.api_key, beta.api_secret))).toBe(`revoked key ${beta.api_key}`);
    await test.db('api_keys').where({ api_key: beta.api_key }).update({ revoked_at: null });
  });

  it('KEY_OF_OTHER_ENVIRONMENT for a live key in sandbox', async () => {
    const denial = await errorOf(() => signIn(alpha.api_key.replace('pk_test', 'pk_live'), alpha.api_secret));
    expect(denial).toMatchObject({
      code: 'KEY_OF_OTHER_ENVIRONMENT',
      status: 401,
      message: 'API key not found',
    });
  });

  it('KEY_OF_OTHER_ENVIRONMENT for a sandbox key in live', async () => {
    const credentials = { apiKey: alpha.api_key, apiSecret: alpha.api_secret };
    const attempt = () => authenticate(test.db, 'live', { credentials, clientAddress: '41.90.64.7' });
    expect(await codeOf(attempt)).toBe('KEY_OF_OTHER_ENVIRONMENT');
  });

  it('takes as long for an unknown key as for a wrong secret', async () => {
    const work = [
      await queriesOf(() => signIn(unknownKey, alpha.api_secret)),
      await queriesOf(() => signIn(alpha.api_key, 'sk_test_wrong')),
    ];
    expect(work).toEqual([1, 1]);
  });

  it.each([0, true, [], {}, null])('never passes %j to the database', async (secret) => {
    const attempt = async () => {
      const { apiKey, apiSecret } = credentialsOf({}, { api_key: alpha.api_key, api_secret: secret });
      return signIn(apiKey, apiSecret);
    };
    expect(await queriesOf(attempt)).toBe(0);
    expect((await errorOf(attempt)).status).toBe(401);
  });
});

describe('403', () => {
  const closed = { status: 'suspended', ipAllow: ['41.90.0.0/16'] };
  let gamma: NewMerchant;

  beforeAll(async () => {
    gamma = await createMerchant(test.db, box, { name: 'Gamma', environment: 'sandbox' });
  });

  it('ACCOUNT_SUSPENDED', async () => {
    await setMerchant(test.db, gamma.merchant_id, { status: 'suspended' }, { environment: 'sandbox' });
    const denial = await errorOf(() => signIn(gamma.api_key, gamma.api_secret));
    expect(denial).toMatchObject({ code: 'ACCOUNT_SUSPENDED', status: 403, message: 'Account suspended' });
  });

  it('ACCOUNT_INACTIVE', async () => {
    await setMerchant(test.db, gamma.merchant_id, { status: 'inactive' }, { environment: 'sandbox' });
    expect(await codeOf(() => signIn(gamma.api_key, gamma.api_secret))).toBe('ACCOUNT_INACTIVE');
  });

  it('IP_NOT_ALLOWED', async () => {
    const changes = { status: 'active', ipAllow: ['41.90.0.0/16', '2c0f:fe38::/32'] };
    await setMerchant(test.db, gamma.merchant_id, changes, { environment: 'sandbox' });
    const denial = await errorOf(() => signIn(gamma.api_key, gamma.api_secret, '1.2.3.4'));
    expect(denial).toMatchObject({
      code: 'IP_NOT_ALLOWED',
      status: 403,
      message: 'IP address not whitelisted',
      options: { detail: `${gamma.merchant_id} called from 1.2.3.4` },
    });
    await expect(signIn(gamma.api_key, gamma.api_secret, '41.90.1.1')).resolves.toBeDefined();
    await expect(signIn(gamma.api_key, gamma.api_secret, '::ffff:41.90.1.1')).resolves.toBeDefined();
    await expect(signIn(gamma.api_key, gamma.api_secret, '2c0f:fe38::7')).resolves.toBeDefined();
  });

  it('is reported only after the secret is verified', async () => {
    await setMerchant(test.db, gamma.merchant_id, closed, { environment: 'sandbox' });
    expect(await codeOf(() => signIn(gamma.api_key, 'sk_test_wrong', '1.2.3.4'))).toBe('INVALID_CREDENTIALS');
    expect(await codeOf(() => signIn(gamma.api_key, 'sk_test_wrong'))).toBe('INVALID_CREDENTIALS');
  });

  it('does not reveal a suspension to a foreign address', async () => {
    await setMerchant(test.db, gamma.merchant_id, closed, { environment: 'sandbox' });
    expect(await codeOf(() => signIn(gamma.api_key, gamma.api_secret, '1.2.3.4'))).toBe('IP_NOT_ALLOWED');
  });
});

describe('rotating the API key', () => {
  it('keeps the old key working', async () => {
    const merchant = await createMerchant(test.db, box, { name: 'Rotates', environment: 'sandbox' });
    const second = await rotateKey(test.db, merchant.merchant_id, { environment: 'sandbox' });
    await expect(signIn(merchant.api_key, merchant.api_secret)).resolves.toBeDefined();
    await expect(signIn(second.api_key, second.api_secret)).resolves.toBeDefined();
  });

  it('revokes the older of two', async () => {
    const merchant = await createMerchant(test.db, box, { name: 'Rotates twice', environment: 'sandbox' });
    const second = await rotateKey(test.db, merchant.merchant_id, { environment: 'sandbox' });
    const third = await rotateKey(test.db, merchant.merchant_id, { environment: 'sandbox' });
    expect(await codeOf(() => signIn(merchant.api_key, merchant.api_secret))).toBe('INVALID_CREDENTIALS');
    await expect(signIn(second.api_key, second.api_secret)).resolves.toBeDefined();
    await expect(signIn(third.api_key, third.api_secret)).resolves.toBeDefined();
  });

  it('never leaves more than two, however many rotations run at once', async () => {
    const merchant = await createMerchant(test.db, box, { name: 'Rotates a lot', environment: 'sandbox' });
    const rotate = () => rotateKey(test.db, merchant.merchant_id, { environment: 'sandbox' });
    await Promise.all(Array.from({ length: 6 }, rotate));
    const live = await test.db('api_keys').where({ merchant_id: merchant.merchant_id, revoked_at: null });
    expect(live).toHaveLength(2);
  });

  it('rejects an unknown merchant', async () => {
    const rotate = () =>
      rotateKey(test.db, '00000000-0000-7000-8000-000000000000', { environment: 'sandbox' });
    expect(await codeOf(rotate)).toBe('MERCHANT_NOT_FOUND');
  });
});
