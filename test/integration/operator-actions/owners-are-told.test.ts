/** What operators do to a merchant's people and keys: its owners are told by mail, and keys have what they are made with. */
import { inTransaction } from '../../../src/store/transaction';
import { makeBatch } from '../../../src/portal/payouts/batches';
import { createPerson } from '../../support/users/people-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
beforeAll(async () => {
  cli = await createTestCli();
});
afterAll(() => cli.drop());

it('tells every owner what was done, by whom, and what has ended with it', async () => {
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
    [`A new API key: ${key}. It may: look, take payments.`],
    [`The API key ${key} was ended.`],
    ['new@told.example is invited with the role “finance”.'],
    [
      `The account of ${finance.email} was ended for good. The role was “finance”.`,
      'This has ended with it: lists of payouts that nobody had sent yet: 1; keys that waited: 0.',
    ],
    ['From where your API keys may be used was changed. Allowed now: 41.90.64.0/24.'],
  ]);
  expect(mails.every((body) => /\nBy: \S+\nWhen: /.test(body))).toBe(true);
  expect(await cli.db('payout_batches').where({ batch_id: batchId }).first()).toMatchObject({
    ...{ state: 'rejected', ended_why: 'maker_ended' },
  });
});
