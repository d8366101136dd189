import { openDatabase, type Database } from '../../../src/store/database';
import { differenceOf, grantsOf, readGrant } from '../../../src/store/account-grants';
import { schemaOf, withSchema } from '../../../src/store/database-address';
import { standingOf } from '../../../src/store/migrating/standing';
import { prepareSchema } from '../../../src/store/prepare-schema';
import { servicePrivileges } from '../../../src/store/service-privileges';
import { missingTriggers } from '../../../src/verify/ledger-checks';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/** What both servers say to an account that may not. */
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

  it('holds exactly what the table says', async () => {
    const held = await grantsOf(service, schemaOf(database.url));
    expect(differenceOf(held)).toEqual({ missing: [], excess: [], beyond: [] });
  });

  it('counts the ledger and every log among what it can only add to', () => {
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
    ['change what waits for an approval', "UPDATE approvals SET input = '{}'"],
    ['change who asked for an approval', "UPDATE approvals SET asked_by = 'mine'"],
    ['raise a limit', 'UPDATE outflow_limits SET amount = 1'],
    ['have a payout wait for another limit', 'UPDATE payout_holds SET limit_id = NULL'],
    ['count a payout as of another time', 'UPDATE outflows SET accepted_at = 0'],
    ['count a payout as to another recipient', 'UPDATE outflows SET recipient_hash = NULL'],
    ['count a payout under other limits', 'UPDATE outflows SET defaults_id = NULL'],
    ['change a fee', 'UPDATE fee_schedules SET fixed = 0'],
    ['change what a stop is about', 'UPDATE payout_stops SET rail = NULL'],
    ['change whose a batch of payouts is', 'UPDATE payout_batches SET made_by = decided_by, rows_hash = 0'],
    ['change the secret of an API key', 'UPDATE api_keys SET secret_hash = 0'],
    ['give an API key to another merchant', 'UPDATE api_keys SET merchant_id = 1'],
    ['send an endpoint elsewhere', "UPDATE webhook_endpoints SET url = 'https://evil.example'"],
    ['give a session to another user', 'UPDATE user_sessions SET user_id = 1'],
    ['change the address of a user', "UPDATE users SET email = 'mine@example.com'"],
    ['move a member to another merchant', 'UPDATE memberships SET merchant_id = 1'],
    ['change the key of a passkey', 'UPDATE passkeys SET public_key = 0'],
    ['change a line of the audit log', "UPDATE audit_log SET acted_by = 'mine'"],
    ['change what a line of the audit log has of a row', 'UPDATE audit_rows SET digest = NULL'],
    ['change a rate that was observed', 'UPDATE fx_rates SET rate = 1'],
    ['change what forgets old answers', 'DROP PROCEDURE forget_answers'],
    ['drop what refuses a change', 'DROP TRIGGER ledger_postings_no_update'],
    ['add a trigger', 'CREATE TRIGGER mine BEFORE INSERT ON payments FOR EACH ROW SET NEW.is_final = 1'],
    ['empty a table', 'TRUNCATE TABLE payments'],
    ['delete payments', 'DELETE FROM payments'],
    ['drop a table', 'DROP TABLE cases'],
    ['alter a table', 'ALTER TABLE ledger_accounts DROP COLUMN balance'],
    ['make a table', 'CREATE TABLE mine (a INT)'],
    ['drop the procedure that sees triggers', 'DROP PROCEDURE append_only_triggers'],
    ['call its own migration done', "INSERT INTO knex_migrations (name) VALUES ('999-mine')"],
    ['read accounts', 'SELECT * FROM mysql.user'],
    ['make an account', "CREATE USER mine IDENTIFIED BY 'x'"],
    ['give what it has', "GRANT SELECT ON payments TO 'root'@'localhost'"],
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

  it('sees all the same which migrations ran, and whether the ledger is append-only', async () => {
    expect((await standingOf(service)).pending).toEqual([]);
    expect(await missingTriggers(service)).toEqual([]);
    await database.db.raw('DROP TRIGGER payment_log_no_delete');
    expect(await missingTriggers(service)).toEqual([
      { id: 'payment_log', detail: 'no trigger refuses DELETE' },
    ]);
  });
});

describe('the migrator', () => {
  it('takes away what the service was given beside, and gives back what it lacks', async () => {
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

  it('takes nothing away that a newer version has given, and gives back what this one lacks', async () => {
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
    // Where nothing of it is newer, that is too much.
    await database.db('knex_migrations').where({ name: '999-newer-things' }).delete();
    await prepareSchema(accounts);
    expect(await difference()).toEqual({ missing: [], excess: [], beyond: [] });
    await service.destroy();
    await database.drop();
  });

  it('changes nothing while the books are looked at, and does so when that is over', async () => {
    const database = await createTestDatabase();
    const accounts = { migrateUrl: database.migrateUrl, serviceUrl: database.url };
    await database.db('knex_migrations').where({ name: '036-posting-sums' }).delete();
    const service = openDatabase(database.url, { poolMax: 1 });
    await service.transaction(async (looking) => {
      await looking.raw('SELECT COUNT(*) FROM payments');
      await expect(prepareSchema(accounts, { readersSeconds: 1 })).rejects.toThrow('nothing was changed');
    });
    expect(await prepareSchema(accounts, { readersSeconds: 1 })).toEqual({ applied: ['036-posting-sums'] });
    await service.destroy();
    await database.drop();
  });

  it('works with one account for both, which is told nothing about grants', async () => {
    const database = await createTestDatabase();
    const accounts = { migrateUrl: database.migrateUrl, serviceUrl: database.migrateUrl };
    expect(await prepareSchema(accounts)).toEqual({ applied: [] });
    await database.drop();
  });
});

describe('a grant as the servers spell it', () => {
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
      'GRANT SELECT ON `temporal`.* TO `malipo`@`%`',
      [{ kind: 'OTHER', on: 'temporal.*', privileges: ['SELECT'] }],
    ],
    ['GRANT `admins`@`%` TO `malipo`@`%`', [{ kind: 'OTHER', on: 'a role or a proxy', privileges: ['USE'] }]],
  ])('%s', (statement, grants) => {
    expect(readGrant(statement, 'malipo')).toEqual(grants);
  });
});
