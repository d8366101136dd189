/**
 * Changes of additional endpoints by a key: users who approve money movements get a mail, and the audit log has the
 * key.
 */
import { randomBytes } from 'node:crypto';
import { webhookEndpointEndpoints } from '../../../src/api/webhook-endpoints';
import { getMerchantOrThrow } from '../../../src/merchants/merchants';
import { secretBox } from '../../../src/merchants/secrets';
import { endpointChange, mailDecidersOf } from '../../../src/portal/mails';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const apiKey = 'pk_test_of_the_shop';

async function aShop(name: string) {
  const { db } = test;
  const box = secretBox([{ id: 'test', key: randomBytes(32) }]);
  const merchantId = await aMerchant(db, box);
  const owner = await createPerson(db, `${name}@keys.example`, { merchantId, role: 'owner' });
  const endpoints = webhookEndpointEndpoints({
    ...{ db, box, environment: 'sandbox' },
    notify: (trx, id, { what, url, apiKey: who }) =>
      mailDecidersOf(
        trx,
        { url: 'https://portal.example', sendsMail: true, timezone: 'UTC', merchantId: id, who },
        endpointChange(what, url),
      ),
  });
  const ask = async (id: string, input: Record<string, unknown>) => {
    const merchant = await getMerchantOrThrow(db, merchantId);
    const endpoint = endpoints.find(({ about }) => about.id === id);
    return endpoint?.handle({ merchant, apiKey, input, requestId: 'r' });
  };
  return {
    ask,
    async add(): Promise<string> {
      const url = 'https://books.example.org/malipo?key=secret';
      const answer = await ask('addWebhookEndpoint', { url });
      return (answer?.body['endpoint'] as { endpoint_id: string }).endpoint_id;
    },
    mails: () => db('mails').where({ recipient: owner.email }).orderBy('created_at').pluck('body'),
    lines: () =>
      db('audit_log')
        .where({ subject_id: merchantId, acted_by: `key:${apiKey}` })
        .orderBy('seq'),
  };
}

it('is mailed to the users who approve money movements, and logged with the key', async () => {
  const shop = await aShop('told');
  const endpoint = { endpoint_id: await shop.add() };
  await shop.ask('changeWebhookEndpointSecret', endpoint);
  await shop.ask('endWebhookEndpoint', endpoint);
  const mails = await shop.mails();
  expect(mails.map((body) => body.split('\n')[4])).toEqual([
    'An additional webhook address was added: books.example.org.',
    'Webhooks to the additional address books.example.org are signed with a new secret.',
    'The additional webhook address books.example.org was removed.',
  ]);
  expect(mails.every((body) => body.includes(`By: ${apiKey}`) && !body.includes('key=secret'))).toBe(true);
  const lines = await shop.lines();
  expect(lines.map(({ action, details }) => [action, JSON.parse(details) as unknown])).toEqual(
    ['add', 'change_secret', 'end'].map((what) => [`webhook_endpoint.${what}`, endpoint]),
  );
  const changed = await test.db('audit_rows').whereIn(
    'seq',
    lines.map(({ seq }) => seq),
  );
  expect(changed.map(({ table_name: table }) => table)).toEqual(Array<string>(3).fill('webhook_endpoints'));
});

it('is limited, because each change writes a permanent line', async () => {
  const shop = await aShop('often');
  const endpoint = { endpoint_id: await shop.add() };
  for (let n = 1; n < 30; n += 1) await shop.ask('changeWebhookEndpointSecret', endpoint);
  for (const [id, input] of [
    ['changeWebhookEndpointSecret', endpoint],
    ['addWebhookEndpoint', { url: 'https://more.example.org' }],
  ] as const)
    await expect(shop.ask(id, input)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(await shop.lines()).toHaveLength(30);
  // Ending an endpoint is not limited.
  expect((await shop.ask('endWebhookEndpoint', endpoint))?.status).toBe(200);
});
