import { webhookSecretsOf } from '../../src/merchants/merchants';
import { box } from '../verify/books-support';
import { createTestCli, testConfig, type TestCli } from './cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());
afterEach(() => {
  cli.session = {};
});

const create = async (...more: string[]) =>
  (await cli.json('merchant', 'create', '--name', 'Duka', ...more)) as Record<string, string>;

describe('malipo merchant create', () => {
  it('answers the id and the secrets, once', async () => {
    const created = await create(
      '--permission',
      'can_payout',
      '--permission',
      'is_admin',
      '--stk-rate',
      '120',
    );
    expect(Object.keys(created)).toEqual(['merchant_id', 'api_key', 'api_secret', 'webhook_secret']);
    const shown = await cli.run('merchant', 'show', created['merchant_id'] ?? '', '--json');
    expect(shown.json).toMatchObject({
      permissions: ['can_payout', 'is_admin'],
      stk_rate: 120,
      api_keys: [{ api_key: created['api_key'] }],
    });
    for (const secret of ['api_secret', 'webhook_secret']) expect(shown.out).not.toContain(created[secret]);
    expect(shown.out).not.toContain('webhook_secret":');
  });

  it('refuses settings that cannot be, all at once', async () => {
    const { code, err, out } = await cli.run(
      'merchant',
      'create',
      '--name',
      'Duka',
      '--webhook-url',
      'ftp://x',
      '--permission',
      'fly',
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/webhookUrl.*http/);
    expect(err).toContain('permissions');
  });

  it('keeps no card number that was typed into the name', async () => {
    const merchant = await create();
    const card = 'Duka 5555 5555 5555 4444';
    for (const command of [['create'], ['set', merchant['merchant_id'] ?? '']]) {
      const { code, err, out } = await cli.run('merchant', ...command, '--name', card);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain('name holds what reads as a payment card number, which is never kept here');
      expect(err).not.toContain('5555');
    }
    expect(await cli.db('merchants').where('name', 'like', '%5555%')).toEqual([]);
  });

  it('needs a name', async () => {
    expect(await cli.run('merchant', 'create')).toMatchObject({ code: 2, out: '' });
  });

  it('gives keys of its environment only', async () => {
    cli.session = {
      config: testConfig(cli.url, { MALIPO_ENV: 'live', MALIPO_PUBLIC_URL: 'https://pay.example.com' }),
    };
    expect((await create())['api_key']).toMatch(/^pk_live_/);
  });
});

describe('malipo merchant set', () => {
  it('changes what is given, and empties a list with ""', async () => {
    const { merchant_id: id = '' } = await create(
      '--ip-allow',
      '10.0.0.0/8',
      '--webhook-url',
      'https://shop.example.com/hook',
    );
    await cli.json('merchant', 'set', id, '--status', 'suspended');
    const changed = await cli.json('merchant', 'set', id, '--ip-allow', '', '--webhook-url', '');
    expect(changed).toMatchObject({ status: 'suspended', ip_allow: [], webhook_url: null, name: 'Duka' });
    expect(await cli.json('merchant', 'set', id, '--stk-cents', 'refuse')).toMatchObject({
      stk_cents: 'refuse',
    });
  });

  it('refuses to change nothing, and a merchant that does not exist', async () => {
    const { merchant_id: id = '' } = await create();
    expect(await cli.run('merchant', 'set', id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('at least one setting'),
    });
    const unknown = await cli.run(
      'merchant',
      'set',
      '00000000-0000-7000-8000-000000000000',
      '--status',
      'active',
    );
    expect(unknown).toMatchObject({ code: 1, err: 'Merchant account not found\n' });
  });
});

describe('malipo merchant show and list', () => {
  it('shows all merchants in a table', async () => {
    const { merchant_id: id = '' } = await create();
    const { code, out } = await cli.run('merchant', 'list');
    expect(code).toBe(0);
    expect(out).toContain(id);
    expect(await cli.json('merchant', 'list')).toMatchObject({
      merchants: expect.arrayContaining([expect.objectContaining({ merchant_id: id })]),
    });
  });

  it('refuses an id that is none', async () => {
    expect(await cli.run('merchant', 'show', 'Duka')).toMatchObject({
      code: 1,
      err: 'Merchant account not found\n',
    });
  });
});

describe('malipo merchant rotate-key', () => {
  it('adds a key, and says so in the list of keys', async () => {
    const { merchant_id: id = '', api_key: first } = await create();
    const { api_key: second, api_secret: secret } = await cli.json('merchant', 'rotate-key', id);
    expect(secret).toMatch(/^sk_test_/);
    const { out } = await cli.run('merchant', 'show', id);
    for (const key of [first, second]) expect(out).toMatch(new RegExp(`${String(key)} .*works`));
    expect(out).not.toContain(secret);
  });

  it('refuses an unknown merchant', async () => {
    expect(await cli.run('merchant', 'rotate-key', 'x')).toMatchObject({ code: 1, out: '' });
  });
});

describe('malipo merchant rotate-webhook-secret', () => {
  it('gives a new one, and signs with both', async () => {
    const { merchant_id: id = '', webhook_secret: old } = await create();
    const { webhook_secret: next } = await cli.json('merchant', 'rotate-webhook-secret', id);
    const row = await cli.db('merchants').where({ merchant_id: id }).first();
    expect(row && webhookSecretsOf(box, row)).toEqual([next, old]);
  });

  it('refuses an unknown merchant', async () => {
    expect(await cli.run('merchant', 'rotate-webhook-secret', 'x')).toMatchObject({ code: 1, out: '' });
  });
});
