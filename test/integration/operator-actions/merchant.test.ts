import { webhookSecretsOf } from '../../../src/merchants/merchants';
import { box } from '../../support/verify/books-support';
import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';

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
  it('prints the id and the secrets once', async () => {
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

  it('rejects invalid settings, and reports all of them', async () => {
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

  it('stores no card number that was typed into the name', async () => {
    const merchant = await create();
    const card = 'Duka 5555 5555 5555 4444';
    for (const command of [['create'], ['set', merchant['merchant_id'] ?? '']]) {
      const { code, err, out } = await cli.run('merchant', ...command, '--name', card);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain('name looks like a payment card number, which is never stored here');
      expect(err).not.toContain('5555');
    }
    expect(await cli.db('merchants').where('name', 'like', '%5555%')).toEqual([]);
  });

  it('requires a name', async () => {
    expect(await cli.run('merchant', 'create')).toMatchObject({ code: 2, out: '' });
  });

  it('creates keys of its environment only', async () => {
    cli.session = {
      config: testConfig(cli.url, { MALIPO_ENV: 'live', MALIPO_PUBLIC_URL: 'https://pay.example.com' }),
    };
    expect((await create())['api_key']).toMatch(/^pk_live_/);
  });
});

describe('malipo merchant set', () => {
  it('changes the given settings, and empties a list with ""', async () => {
    const { merchant_id: id = '' } = await create(
      '--ip-allow',
      '10.0.0.0/8',
      '--webhook-url',
      'https://shop.example.com/hook',
    );
    await cli.json('merchant', 'set', id, '--status', 'suspended');
    const changed = await cli.json('merchant', 'set', id, '--ip-allow', '', '--webhook-url', '');
    expect(changed).toMatchObject({ status: 'suspended', ip_allow: [], webhook_url: null, name: 'Duka' });
    expect(await cli.json('merchant', 'set', id, '--time-zone', 'Africa/Lagos')).toMatchObject({
      time_zone: 'Africa/Lagos',
    });
    expect(await cli.json('merchant', 'set', id, '--stk-cents', 'refuse')).toMatchObject({
      stk_cents: 'refuse',
    });
  });

  it('fails without a change, and for an unknown merchant', async () => {
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

  it('rejects an invalid id', async () => {
    expect(await cli.run('merchant', 'show', 'Duka')).toMatchObject({
      code: 1,
      err: 'Merchant account not found\n',
    });
  });
});

describe('malipo merchant rotate-key', () => {
  it('adds a key and lists it', async () => {
    const { merchant_id: id = '', api_key: first } = await create();
    const { api_key: second, api_secret: secret } = await cli.json('merchant', 'rotate-key', id);
    expect(secret).toMatch(/^sk_test_/);
    const { out } = await cli.run('merchant', 'show', id);
    for (const key of [first, second]) expect(out).toMatch(new RegExp(`${String(key)} .*works`));
    expect(out).not.toContain(secret);
  });

  it('fails for an unknown merchant', async () => {
    expect(await cli.run('merchant', 'rotate-key', 'x')).toMatchObject({ code: 1, out: '' });
  });
});

describe('malipo merchant rotate-webhook-secret', () => {
  it('creates a new secret, and webhooks are signed with both', async () => {
    const { merchant_id: id = '', webhook_secret: old } = await create();
    const { webhook_secret: next } = await cli.json('merchant', 'rotate-webhook-secret', id);
    const row = await cli.db('merchants').where({ merchant_id: id }).first();
    expect(row && webhookSecretsOf(box, row)).toEqual([next, old]);
  });

  it('fails for an unknown merchant', async () => {
    expect(await cli.run('merchant', 'rotate-webhook-secret', 'x')).toMatchObject({ code: 1, out: '' });
  });
});

describe('malipo merchant endpoint', () => {
  const url = 'http://127.0.0.1:8009/books';

  it('adds, lists, rotates and removes an endpoint, and prints each secret once', async () => {
    const { merchant_id: id = '' } = await create();
    const types = 'deposit.succeeded,payout.failed';
    const added = await cli.json('merchant', 'endpoint', 'add', id, '--url', url, '--types', types);
    expect(added).toEqual({
      endpoint_id: expect.any(String),
      ...{ url, types, webhook_secret: expect.stringMatching(/^whsec_/) },
    });
    const endpointId = String(added['endpoint_id']);
    const { webhook_secret: next } = await cli.json('merchant', 'endpoint', 'rotate', id, endpointId);
    const row = await cli.db('webhook_endpoints').where({ endpoint_id: endpointId }).first();
    expect(row && webhookSecretsOf(box, row)).toEqual([next, added['webhook_secret']]);
    const listed = await cli.run('merchant', 'endpoint', 'list', id, '--json');
    expect(listed.json).toMatchObject({
      endpoints: [{ endpoint_id: endpointId, types, webhook_secret_is_rotating: true }],
    });
    expect(listed.out).not.toContain('webhook_secret"');
    expect((await cli.run('merchant', 'endpoint', 'list', id)).out).toContain(url);
    await cli.json('merchant', 'endpoint', 'remove', id, endpointId);
    expect(await cli.json('merchant', 'endpoint', 'list', id)).toEqual({ endpoints: [] });
    expect(await cli.run('merchant', 'endpoint', 'remove', id, endpointId)).toMatchObject({ code: 1 });
    const lines = await cli.db('audit_log').where('action', 'like', 'merchant.endpoint.%').select('action');
    // The second removal was denied: nothing was done, and no audit line was written.
    expect(lines).toHaveLength(3);
  });

  it('receives every event type by default, and rejects an unknown type', async () => {
    const { merchant_id: id = '' } = await create();
    const { types } = await cli.json('merchant', 'endpoint', 'add', id, '--url', url);
    expect(String(types).split(',')).toEqual(expect.arrayContaining(['refund.succeeded', 'payout.returned']));
    const { code, err } = await cli.run(
      'merchant',
      'endpoint',
      'add',
      id,
      '--url',
      url,
      '--types',
      'deposit.won',
    );
    expect([code, err]).toEqual([2, expect.stringContaining('"deposit.won" has an unknown event type')]);
    expect(await cli.run('merchant', 'endpoint', 'list', 'x')).toMatchObject({ code: 1, out: '' });
  });
});
