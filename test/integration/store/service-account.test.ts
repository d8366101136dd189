import { openDatabase, type Database } from '../../../src/store/database';
import { differenceOf, grantsOf, readGrant } from '../../../src/store/account-grants';
import { schemaOf, withSchema } from '../../../src/store/database-address';
import { migrationStateOf } from '../../../src/store/migrating/migration-state';
import { migrations } from '../../../src/store/migrations';
import { prepareSchema } from '../../../src/store/prepare-schema';
import { servicePrivileges } from '../../../src/store/service-privileges';
import { missingTriggers } from '../../../src/verify/ledger-checks';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/** Both servers' answers to an account without the right. */
const denied = /command denied|[Aa]ccess denied/;

const logs = Object.entries(servicePrivileges)
  .filter(([, privileges]) => privileges.includes('INSERT'))
  .filter(([, privileges]) => !privileges.some((privilege) => /^(UPDATE|DELETE)/.test(privilege)))
  .map(([table]) => table);

describe('the account of the service', () => {
  let database: TestDatabase;
  let service: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = openDatabase(database.url, { poolMax: 1 });
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  it('has an entry for every table in src/store/service-privileges.ts, and for no other', async () => {
    const [tables] = (await database.db.raw(
      `SELECT TABLE_NAME AS name FROM information_schema.TABLES
       WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'`,
    )) as unknown as [{ name: string }[]];
    const names = tables.map(({ name }) => name);
    const withoutEntry = names.filter((name) => !(name in servicePrivileges));
    expect(withoutEntry.map((name) => `${name}: say in servicePrivileges what the service may do`)).toEqual(
      [],
    );
    expect(Object.keys(servicePrivileges).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('has exactly the privileges of the table', async () => {
    const held = await grantsOf(service, schemaOf(database.url));
    expect(differenceOf(held)).toEqual({ missing: [], excess: [], beyond: [] });
  });

  it('may only insert into the ledger and every log', () => {
    expect(logs).toEqual(
      expect.arrayContaining(['ledger_entries', 'ledger_postings', 'payment_log', 'webhook_deliveries']),
    );
  });

  it.each(logs)('can neither change nor delete nor empty %s', async (table) => {
    const column = (await service.raw(`SHOW COLUMNS FROM ${table}`)) as unknown as [{ Field: string }[]];
    const field = column[0][0]?.Field ?? '';
    await expect(service.raw(`UPDATE ${table} SET ${field} = ${field}`)).rejects.toThrow(denied);
    await expect(service.raw(`DELETE FROM ${table}`)).rejects.toThrow(denied);
    await expect(service.raw(`TRUNCATE ${table}`)).rejects.toThrow(denied);
  });

  it.each([
    ['make an auditor an operator', "UPDATE operators SET role = 'operator'"],
    ['give an operator another name', "UPDATE operators SET name = 'mine'"],
    ['change a pending approval', "UPDATE approvals SET input = '{}'"],
    ['change who requested an approval', "UPDATE approvals SET asked_by = 'mine'"],
    ['raise a limit', 'UPDATE outflow_limits SET amount = 1'],
    ['change the limit that a payout is on hold for', 'UPDATE payout_holds SET limit_id = NULL'],
    ['change the time of a counted payout', 'UPDATE outflows SET accepted_at = 0'],
    ['change the recipient of a counted payout', 'UPDATE outflows SET recipient_hash = NULL'],
    ['change the limits of a counted payout', 'UPDATE outflows SET defaults_id = NULL'],
    ['change a fee', 'UPDATE fee_schedules SET fixed = 0'],
    ['change the scope of a pause', 'UPDATE payout_pauses SET rail = NULL'],
    [
      'change the merchant of a batch of payouts',
      'UPDATE payout_batches SET made_by = decided_by, rows_hash = 0',
    ],
    ['change the secret of an API key', 'UPDATE api_keys SET secret_hash = 0'],
    ['give an API key to another merchant', 'UPDATE api_keys SET merchant_id = 1'],
    ['change the address of an endpoint', "UPDATE webhook_endpoints SET url = 'https://evil.example'"],
    ['give a session to another user', 'UPDATE user_sessions SET user_id = 1'],
    ['change the address of a user', "UPDATE users SET email = 'mine@example.com'"],
    ['move a member to another merchant', 'UPDATE memberships SET merchant_id = 1'],
    ['change the key of a passkey', 'UPDATE passkeys SET public_key = 0'],
    ['change a line of the audit log', "UPDATE audit_log SET acted_by = 'mine'"],
    ['change the row of a line of the audit log', 'UPDATE audit_rows SET digest = NULL'],
    ['change an exchange rate', 'UPDATE fx_rates SET rate = 1'],
    ['change the procedure that forgets answers', 'DROP PROCEDURE forget_answers'],
    ['drop a trigger of an append-only table', 'DROP TRIGGER ledger_postings_no_update'],
    ['add a trigger', 'CREATE TRIGGER mine BEFORE INSERT ON payments FOR EACH ROW SET NEW.is_final = 1'],
    ['empty a table', 'TRUNCATE TABLE payments'],
    ['delete payments', 'DELETE FROM payments'],
    ['drop a table', 'DROP TABLE cases'],
    ['alter a table', 'ALTER TABLE ledger_accounts DROP COLUMN balance'],
    ['create a table', 'CREATE TABLE mine (a INT)'],
    ['drop the procedure that shows triggers', 'DROP PROCEDURE append_only_triggers'],
    ['mark its own migration as done', "INSERT INTO knex_migrations (name) VALUES ('999-mine')"],
    ['read accounts', 'SELECT * FROM mysql.user'],
    ['create an account', "CREATE USER mine IDENTIFIED BY 'x'"],
    ['grant its own rights', "GRANT SELECT ON payments TO 'root'@'localhost'"],
    ['write files', "SELECT 1 INTO OUTFILE '/tmp/malipo-outfile'"],
    ['read files', "LOAD DATA INFILE '/etc/hostname' INTO TABLE cases"],
  ])('cannot %s', async (_what, statement) => {
    await expect(service.raw(statement)).rejects.toThrow(denied);
  });

  it("cannot read another deployment's schema on the same server", async () => {
    const other = await createTestDatabase();
    await expect(service.raw(`SELECT * FROM ${schemaOf(other.url)}.merchants`)).rejects.toThrow(denied);
    const lost = openDatabase(withSchema(database.url, schemaOf(other.url)));
    await expect(lost.raw('SELECT 1')).rejects.toThrow(denied);
    await lost.destroy();
    await other.drop();
  });

  it('can still see which migrations were applied, and whether the ledger is append-only', async () => {
    expect((await migrationStateOf(service)).pending).toEqual([]);
    expect(await missingTriggers(service)).toEqual([]);
    await database.db.raw('DROP TRIGGER payment_log_no_delete');
    expect(await missingTriggers(service)).toEqual([
      { id: 'payment_log', detail: 'no trigger rejects DELETE' },
    ]);
  });
});

describe('the migrator', () => {
  it('revokes extra rights of the service, and grants missing ones', async () => {
    const database = await createTestDatabase();
    const schema = schemaOf(database.url);
    const account = decodeURIComponent(new URL(database.url).username);
    await database.db.raw('GRANT ALL PRIVILEGES ON ??.* TO ?@? WITH GRANT OPTION', [
      schema.replace('_', '\\_'),
      account,
      '%',
    ]);
    await database.db.raw('GRANT ALL PRIVILEGES ON ??.ledger_postings TO ?@?', [schema, account, '%']);
    await database.db.raw('REVOKE SELECT ON ??.merchants FROM ?@?', [schema, account, '%']);
    await prepareSchema({ migrateUrl: database.migrateUrl, serviceUrl: database.url });
    const service = openDatabase(database.url, { poolMax: 1 });
    expect(differenceOf(await grantsOf(service, schema))).toEqual({ missing: [], excess: [], beyond: [] });
    await service.destroy();
    await database.drop();
  });

  it('revokes nothing that a newer version has granted, and grants what this one lacks', async () => {
    const database = await createTestDatabase();
    const accounts = { migrateUrl: database.migrateUrl, serviceUrl: database.url };
    const schema = schemaOf(database.url);
    const account = decodeURIComponent(new URL(database.url).username);
    await database.db.raw('CREATE TABLE newer_things (a INT)');
    await database.db.raw('GRANT SELECT, INSERT ON ??.newer_things TO ?@?', [schema, account, '%']);
    await database.db.raw('GRANT DELETE ON ??.merchants TO ?@?', [schema, account, '%']);
    await database.db.raw('REVOKE SELECT ON ??.cases FROM ?@?', [schema, account, '%']);
    await database.db('knex_migrations').insert({ name: '999-newer-things', batch: 99, kind: 'expand' });
    const service = openDatabase(database.url, { poolMax: 1 });
    const difference = async () => differenceOf(await grantsOf(service, schema));
    await prepareSchema(accounts);
    const { missing, excess } = await difference();
    expect(missing).toEqual([]);
    expect(excess).toHaveLength(2);
    expect(excess).toEqual(
      expect.arrayContaining([
        { kind: 'TABLE', on: 'newer_things', privileges: ['SELECT', 'INSERT'] },
        { kind: 'TABLE', on: 'merchants', privileges: ['DELETE'] },
      ]),
    );
    // Without a newer migration, it is too much.
    await database.db('knex_migrations').where({ name: '999-newer-things' }).delete();
    await prepareSchema(accounts);
    expect(await difference()).toEqual({ missing: [], excess: [], beyond: [] });
    await service.destroy();
    await database.drop();
  });

  it('changes nothing while the books are being read, and does so afterwards', async () => {
    const database = await createTestDatabase();
    const accounts = { migrateUrl: database.migrateUrl, serviceUrl: database.url };
    const up = () => Promise.resolve();
    const given = { migrations: { ...migrations, '999-more': { kind: 'expand' as const, up, down: up } } };
    const service = openDatabase(database.url, { poolMax: 1 });
    await service.transaction(async (checking) => {
      await checking.raw('SELECT COUNT(*) FROM payments');
      await expect(prepareSchema(accounts, { ...given, readersSeconds: 1 })).rejects.toThrow(
        'nothing was changed',
      );
    });
    expect(await prepareSchema(accounts, { ...given, readersSeconds: 1 })).toEqual({ applied: ['999-more'] });
    await service.destroy();
    await database.drop();
  });

  it('works with one account for both, without any grant', async () => {
    const database = await createTestDatabase();
    const accounts = { migrateUrl: database.migrateUrl, serviceUrl: database.migrateUrl };
    expect(await prepareSchema(accounts)).toEqual({ applied: [] });
    await database.drop();
  });
});

it('a privilege on the schema, or on the server, counts for each table', () => {
  const privileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'EXECUTE'];
  for (const grant of [
    { kind: 'SCHEMA' as const, on: '' },
    { kind: 'OTHER' as const, on: '*.*' },
  ])
    expect(differenceOf([{ ...grant, privileges }]).missing).toEqual([]);
  const reading = differenceOf([{ kind: 'SCHEMA', on: '', privileges: ['SELECT'] }]).missing;
  expect(reading.find(({ on }) => on === 'payments')?.privileges).not.toContain('SELECT');
  expect(reading.find(({ on }) => on === 'payments')?.privileges).toContain('INSERT');
  const elsewhere = differenceOf([{ kind: 'OTHER', on: 'temporal.*', privileges }]).missing;
  expect(elsewhere.find(({ on }) => on === 'payments')?.privileges).toContain('SELECT');
});

describe('a grant in the servers’ spellings', () => {
  it.each([
    ["GRANT USAGE ON *.* TO `malipo`@`%` IDENTIFIED BY PASSWORD '*A'", []],
    ['GRANT USAGE ON *.* TO `malipo`@`%`', []],
    [
      'GRANT SELECT, INSERT ON `malipo`.`payment_log` TO `malipo`@`%`',
      [{ kind: 'TABLE', on: 'payment_log', privileges: ['SELECT', 'INSERT'] }],
    ],
    [
      'GRANT SELECT, UPDATE (`a`, `b`) ON `malipo`.`payments` TO `malipo`@`%` WITH GRANT OPTION',
      [{ kind: 'TABLE', on: 'payments', privileges: ['SELECT', 'UPDATE (a)', 'UPDATE (b)', 'GRANT OPTION'] }],
    ],
    [
      'GRANT EXECUTE ON PROCEDURE `malipo`.`append_only_triggers` TO `malipo`@`%`',
      [{ kind: 'PROCEDURE', on: 'append_only_triggers', privileges: ['EXECUTE'] }],
    ],
    [
      'GRANT ALL PRIVILEGES ON `malipo`.* TO `malipo`@`%`',
      [{ kind: 'SCHEMA', on: '', privileges: ['ALL PRIVILEGES'] }],
    ],
    [
      'GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION',
      [{ kind: 'OTHER', on: '*.*', privileges: ['ALL PRIVILEGES', 'GRANT OPTION'] }],
    ],
    [
      'GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, RELOAD, SHUTDOWN, ALTER, CREATE TABLESPACE, EXECUTE ON *.* TO `root`@`%` WITH GRANT OPTION',
      [{ kind: 'OTHER', on: '*.*', privileges: ['ALL PRIVILEGES', 'GRANT OPTION'] }],
    ],
    [
      'GRANT SELECT ON `temporal`.* TO `malipo`@`%`',
      [{ kind: 'OTHER', on: 'temporal.*', privileges: ['SELECT'] }],
    ],
    ['GRANT `admins`@`%` TO `malipo`@`%`', [{ kind: 'OTHER', on: 'a role or a proxy', privileges: ['USE'] }]],
  ])('%s', (statement, grants) => {
    expect(readGrant(statement, 'malipo')).toEqual(grants);
  });
});
