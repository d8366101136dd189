import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  createMerchant,
  getMerchantOrThrow,
  rotateWebhookSecret,
  webhookSecretsOf,
} from '../../../src/merchants/merchants';
import { encryptedColumns, encryptedIn, secretBox } from '../../../src/merchants/secrets';
import { openDatabase } from '../../../src/store/database';
import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';

const older = { id: 'k2025', key: randomBytes(32) };
const newer = { id: 'k2026', key: randomBytes(32) };
const environment = 'sandbox';

let cli: TestCli;
beforeEach(async () => {
  cli = await createTestCli();
});
afterEach(() => cli.drop());

/** As a process that has these keys, the first of which seals. */
function withKeys(...keys: (typeof older)[]): void {
  const text = keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
  cli.session = { box: secretBox(keys), config: testConfig(cli.url, { MALIPO_SECRET_KEYS: text }) };
}

describe('malipo secrets re-encrypt', () => {
  it('seals every secret with the newest key, after which the older one is needed no more', async () => {
    const before = secretBox([older]);
    const created = await createMerchant(cli.db, before, { name: 'Duka', environment });
    const previous = created.webhook_secret;
    const current = await rotateWebhookSecret(cli.db, before, created.merchant_id);
    await createMerchant(cli.db, secretBox([newer]), { name: 'New', environment });
    // More of them than one batch.
    const row = await getMerchantOrThrow(cli.db, created.merchant_id);
    const columns = { permissions: '[]', ip_allow: '[]', checkout_hosts: '[]' };
    const ids = Array.from({ length: 210 }, () => randomUUID());
    const encryptedFor = (id: string) => before.encrypt('whsec_x', id);
    await cli.db('merchants').insert(
      ids.map((id) => ({
        ...row,
        ...columns,
        merchant_id: id,
        webhook_secret: encryptedFor(id),
        previous_webhook_secret: null,
      })) as never,
    );

    const now = new Date();
    const endpoint = { endpoint_id: randomUUID(), merchant_id: created.merchant_id };
    await cli.db('webhook_endpoints').insert({
      ...{ ...endpoint, url: 'https://books.example.org/', types: 'deposit.succeeded' },
      ...{ webhook_secret: before.encrypt('whsec_e', created.merchant_id), position: '0', event_id: '' },
      ...{ next_at: now, created_at: now },
    });

    withKeys(newer, older);
    // As the service's account may.
    const service = openDatabase(cli.url);
    cli.session.context = { ...cli.context, db: service };
    expect(await cli.json('secrets', 're-encrypt')).toEqual({
      key: 'k2026',
      re_encrypted: 213,
      current: 1,
      unreadable: [],
      unreadable_users: [],
    });
    expect(await cli.json('secrets', 're-encrypt')).toMatchObject({ re_encrypted: 0, current: 214 });
    await service.destroy();

    const shown = await getMerchantOrThrow(cli.db, created.merchant_id);
    expect(webhookSecretsOf(secretBox([newer]), shown)).toEqual([current, previous]);
    const kept = await cli.db('webhook_endpoints').where(endpoint).first();
    expect(kept && webhookSecretsOf(secretBox([newer]), kept)).toEqual(['whsec_e']);
  });

  it('names the merchants whose secret no key opens, and changes nothing of theirs', async () => {
    const otherBox = secretBox([{ id: 'lost', key: randomBytes(32) }]);
    const { merchant_id: id } = await createMerchant(cli.db, otherBox, { name: 'Duka', environment });
    const before = await getMerchantOrThrow(cli.db, id);
    withKeys(newer, older);
    const { code, json } = await cli.run('secrets', 're-encrypt', '--json');
    expect([code, json]).toEqual([
      1,
      { key: 'k2026', re_encrypted: 0, current: 0, unreadable: [id], unreadable_users: [] },
    ]);
    expect(await getMerchantOrThrow(cli.db, id)).toEqual(before);
  });

  it('knows every column that holds a secret', async () => {
    const [rows] = (await cli.db.raw(
      `SELECT CONCAT(TABLE_NAME, '.', COLUMN_NAME) AS name FROM information_schema.COLUMNS
       WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME LIKE '%secret%' AND COLUMN_NAME NOT LIKE '%hash'`,
    )) as unknown as [{ name: string }[]];
    expect(rows.map(({ name }) => name).sort()).toEqual(
      [
        ...Object.keys(encryptedIn).flatMap((table) =>
          encryptedColumns.map((column) => `${table}.${column}`),
        ),
        'users.totp_secret',
      ].sort(),
    );
  });
});

describe('malipo … | head', () => {
  it('ends in silence when nobody reads on, with its own exit code', async () => {
    const program = join(__dirname, '..', '..', '..', 'dist', 'bundle', 'cli.js');
    const child = spawn(process.execPath, [program, '--help']);
    // Long before it has anything to say.
    child.stdout.destroy();
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk.toString();
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, complaint]).toEqual([0, '']);
  });
});
