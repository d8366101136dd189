/** Mails to the owners of a merchant when an operator changes its users or keys, and the scopes of new keys. */
import { inTransaction } from '../../../src/store/transaction';
import { makeBatch } from '../../../src/portal/payouts/batches';
import { createPerson } from '../../support/users/users-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

it('mails every owner which addresses and secrets of webhooks were changed, without secrets of a URL', async () => {
  const made = (await cli.json('merchant', 'create', '--name', 'Hooks')) as Record<string, string>;
  const merchantId = made['merchant_id'] ?? '';
  const owner = await createPerson(cli.db, 'owner@hooks.example', { merchantId, role: 'owner' });
  const address = ['merchant', 'set', merchantId, '--webhook-url', 'https://hooks.example/in?key=secret'];
  await cli.json(...address);
  // The same values again, and another setting, send no mail.
  await cli.json(...address);
  await cli.json('merchant', 'set', merchantId, '--api-rate', '30');
  await cli.json('merchant', 'rotate-webhook-secret', merchantId);
  const endpoint = ['merchant', 'endpoint'];
  const { endpoint_id: id = '' } = (await cli.json(
    ...[...endpoint, 'add', merchantId, '--url', 'https://books.example/in?key=secret'],
  )) as Record<string, string>;
  await cli.json(...endpoint, 'rotate', merchantId, id);
  await cli.json(...endpoint, 'remove', merchantId, id);
  const mails = await cli.db('mails').where({ recipient: owner.email }).orderBy('created_at').pluck('body');
  expect(mails.map((body) => body.split('\n')[4])).toEqual([
    'Addresses of your server were changed. They are now: webhook_url: hooks.example.',
    'Webhooks are signed with a new secret.',
    'An additional webhook address was added: books.example.',
    'Webhooks to the additional address books.example are signed with a new secret.',
    'The additional webhook address books.example was removed.',
  ]);
  expect(mails.join('\n')).not.toContain('key=secret');
});

it('mails every owner what was done, by which operator, and what ended with it', async () => {
  const { merchant_id: merchantId = '' } = (await cli.json('merchant', 'create', '--name', 'Duka')) as Record<
    string,
    string
  >;
  const of = (email: string, role: 'owner' | 'finance') => createPerson(cli.db, email, { merchantId, role });
  const [owner, finance] = [
    await of('owner@told.example', 'owner'),
    await of('finance@told.example', 'finance'),
  ];
  const made = { merchantId, rail: 'momo', name: 'May', rows: [], userId: finance.userId };
  const batchId = await inTransaction(cli.db, (trx) => makeBatch(trx, made));
  const { api_key: key = '' } = (await cli.json(
    ...['merchant', 'rotate-key', merchantId, '--scope', 'collect'],
  )) as Record<string, string>;
  const shown = await cli.json('merchant', 'show', merchantId);
  expect(shown['api_keys']).toMatchObject([
    { api_key: key, scopes: ['read', 'collect'] },
    { scopes: ['read', 'collect', 'payout'] },
  ]);
  expect((await cli.run('merchant', 'rotate-key', merchantId, '--scope', 'all')).code).toBe(2);
  await cli.json('merchant', 'revoke-key', merchantId, key);
  await cli.json('user', 'create', 'new@told.example', '--merchant', merchantId, '--role', 'finance');
  await cli.json('user', 'end', finance.email);
  await cli.json('merchant', 'set', merchantId, '--ip-allow', '41.90.64.0/24');
  const mails = await cli.db('mails').where({ recipient: owner.email }).orderBy('created_at').pluck('body');
  expect(mails.map((body) => body.split('\n').slice(4, 6).filter(Boolean))).toEqual([
    [`A new API key: ${key}. Its permissions: read, take payments.`],
    [`The API key ${key} was revoked.`],
    ['new@told.example is invited with the role “finance”.'],
    [
      `The account of ${finance.email} was closed permanently. The role was “finance”.`,
      'This also ended: payout lists that were not sent: 1; keys that were waiting for confirmation: 0.',
    ],
    ['The addresses that can use your API keys were changed. Allowed now: 41.90.64.0/24.'],
  ]);
  expect(mails.every((body) => /\nBy: \S+\nWhen: /.test(body))).toBe(true);
  expect(await cli.db('payout_batches').where({ batch_id: batchId }).first()).toMatchObject({
    ...{ state: 'rejected', ended_why: 'maker_ended' },
  });
});
