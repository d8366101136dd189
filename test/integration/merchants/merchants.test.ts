import {
  createMerchant,
  findMerchant,
  getMerchantOrThrow,
  listMerchants,
  rotateWebhookSecret,
  setMerchant,
  webhookSecretsOf,
} from '../../../src/merchants/merchants';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, codeOf, errorOf } from '../../support/merchants/merchant-support';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const sandbox = { environment: 'sandbox' } as const;

describe('creating a merchant', () => {
  it('fills in defaults', async () => {
    const { merchant_id } = await createMerchant(test.db, box, { name: 'Duka', ...sandbox });
    expect(await getMerchantOrThrow(test.db, merchant_id)).toMatchObject({
      name: 'Duka',
      status: 'active',
      callback_url: null,
      webhook_url: null,
      wallet_currency: 'USD',
      stk_cents: 'floor',
      permissions: [],
      ip_allow: [],
      checkout_hosts: [],
      stk_rate: 60,
      stk_burst: 100,
      api_rate: 600,
      api_burst: 1000,
    });
  });

  it('stores every setting', async () => {
    const { merchant_id } = await createMerchant(test.db, box, {
      ...sandbox,
      name: 'Duka la Mama 🥭',
      callbackUrl: 'http://127.0.0.1:4000/callback',
      webhookUrl: 'https://shop.example.com/webhook',
      returnUrl: 'https://shop.example.com/back',
      cancelUrl: 'https://shop.example.com/cancel',
      walletCurrency: 'UGX',
      stkCents: 'refuse',
      permissions: ['can_payout', 'is_admin'],
      ipAllow: ['41.90.0.0/16', '2c0f:fe38::7'],
      checkoutHosts: ['Shop.Example.com', 'localhost:8080'],
      stkRate: 600,
      stkBurst: 1000,
    });
    expect(await getMerchantOrThrow(test.db, merchant_id)).toMatchObject({
      name: 'Duka la Mama 🥭',
      callback_url: 'http://127.0.0.1:4000/callback',
      webhook_url: 'https://shop.example.com/webhook',
      return_url: 'https://shop.example.com/back',
      cancel_url: 'https://shop.example.com/cancel',
      wallet_currency: 'UGX',
      stk_cents: 'refuse',
      permissions: ['can_payout', 'is_admin'],
      ip_allow: ['41.90.0.0/16', '2c0f:fe38::7'],
      checkout_hosts: ['shop.example.com', 'localhost:8080'],
      stk_rate: 600,
      stk_burst: 1000,
    });
  });

  it('reports all faults at once', async () => {
    const denial = await errorOf(() =>
      createMerchant(test.db, box, {
        environment: 'live',
        name: '',
        callbackUrl: 'http://shop.example.com/callback',
        webhookUrl: 'https://10.0.0.1/webhook',
        walletCurrency: 'EUR',
        permissions: ['can_fly'],
        ipAllow: ['41.90.0.0/16', 'everywhere'],
        checkoutHosts: ['https://shop.example.com/'],
        stkRate: 0,
        stkBurst: 1.5,
        stkCents: 'up',
        status: 'retired',
      }),
    );
    expect(denial).toMatchObject({ code: 'VALIDATION_FAILED', status: 400 });
    expect(denial.options.details?.map(({ field }) => field).sort()).toEqual([
      'callbackUrl',
      'checkoutHosts.0',
      'ipAllow.1',
      'name',
      'permissions.0',
      'status',
      'stkBurst',
      'stkCents',
      'stkRate',
      'walletCurrency',
      'webhookUrl',
    ]);
    expect(denial.options.details).toContainEqual({
      field: 'callbackUrl',
      message: 'callbackUrl must be an https URL',
    });
  });

  it.each(['callbackUrl', 'webhookUrl', 'returnUrl', 'cancelUrl'])('validates %s', async (field) => {
    const input = { name: 'Duka', environment: 'live', [field]: 'https://169.254.169.254/' } as const;
    const denial = await errorOf(() => createMerchant(test.db, box, input));
    expect(denial.options.details?.map((fault) => fault.field)).toEqual([field]);
  });

  it('rejects control characters in the name', async () => {
    expect(await codeOf(() => createMerchant(test.db, box, { name: 'Duka\nINFO paid', ...sandbox }))).toBe(
      'VALIDATION_FAILED',
    );
  });

  it('stores no secret that a dump would reveal', async () => {
    const created = await createMerchant(test.db, box, { name: 'Duka', ...sandbox });
    const rows = [
      await test.db('merchants').where({ merchant_id: created.merchant_id }),
      await test.db('api_keys').where({ merchant_id: created.merchant_id }),
    ];
    const dump = JSON.stringify(rows, (_, value: unknown) => value);
    expect(dump).not.toContain(created.api_secret);
    expect(dump).not.toContain(created.webhook_secret);
    expect(dump).not.toContain(created.webhook_secret.slice(6));
  });
});

describe('changing a merchant', () => {
  it('changes the given settings and leaves the rest', async () => {
    const { merchant_id } = await createMerchant(test.db, box, {
      ...sandbox,
      name: 'Duka',
      callbackUrl: 'http://localhost:4000/',
      stkRate: 90,
    });
    const changed = await setMerchant(
      test.db,
      merchant_id,
      { permissions: ['can_payout'], name: undefined },
      sandbox,
    );
    expect(changed).toMatchObject({
      name: 'Duka',
      callback_url: 'http://localhost:4000/',
      stk_rate: 90,
      permissions: ['can_payout'],
    });
  });

  it.each([null, ''])('removes an address with %j', async (nothing) => {
    const { merchant_id } = await createMerchant(test.db, box, {
      ...sandbox,
      name: 'Duka',
      webhookUrl: 'http://localhost:4000/',
    });
    expect(await setMerchant(test.db, merchant_id, { webhookUrl: nothing }, sandbox)).toMatchObject({
      webhook_url: null,
    });
  });

  it('rejects unknown settings', async () => {
    const { merchant_id } = await createMerchant(test.db, box, { name: 'Duka', ...sandbox });
    const changes = { merchant_id: 'x', balance: 1 } as object;
    expect(await codeOf(() => setMerchant(test.db, merchant_id, changes, sandbox))).toBe('VALIDATION_FAILED');
  });

  it('rejects an unknown merchant', async () => {
    const id = '00000000-0000-7000-8000-000000000000';
    expect(await codeOf(() => setMerchant(test.db, id, { name: 'Duka' }, sandbox))).toBe(
      'MERCHANT_NOT_FOUND',
    );
  });
});

describe('finding a merchant', () => {
  it.each(['', 'nobody', '00000000-0000-7000-8000-000000000000', 'ключ', "' OR 1=1 -- "])(
    'not by %j',
    async (id) => {
      expect(await findMerchant(test.db, id)).toBeUndefined();
      expect(await codeOf(() => getMerchantOrThrow(test.db, id))).toBe('MERCHANT_NOT_FOUND');
    },
  );

  it('lists them all, oldest first', async () => {
    const first = await createMerchant(test.db, box, { name: 'First', ...sandbox });
    const second = await createMerchant(test.db, box, { name: 'Second', ...sandbox });
    const ids = (await listMerchants(test.db)).map((merchant) => merchant.merchant_id);
    expect(ids.slice(-2)).toEqual([first.merchant_id, second.merchant_id]);
  });
});

describe('rotating the webhook secret', () => {
  it('still signs with the previous one, and with no older one', async () => {
    const created = await createMerchant(test.db, box, { name: 'Duka', ...sandbox });
    const secretsNow = async () =>
      webhookSecretsOf(box, await getMerchantOrThrow(test.db, created.merchant_id));
    expect(await secretsNow()).toEqual([created.webhook_secret]);
    const second = await rotateWebhookSecret(test.db, box, created.merchant_id);
    expect(await secretsNow()).toEqual([second, created.webhook_secret]);
    const third = await rotateWebhookSecret(test.db, box, created.merchant_id);
    expect(await secretsNow()).toEqual([third, second]);
  });

  it('cannot be decrypted in the row of another merchant', async () => {
    const one = await createMerchant(test.db, box, { name: 'One', ...sandbox });
    const other = await createMerchant(test.db, box, { name: 'Other', ...sandbox });
    const row = await getMerchantOrThrow(test.db, one.merchant_id);
    expect(() => webhookSecretsOf(box, { ...row, merchant_id: other.merchant_id })).toThrow();
  });
});
