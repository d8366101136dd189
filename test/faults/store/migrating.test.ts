/** Migrations are applied once, by one at a time, whatever is killed between any two statements. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../../tools/sandbox/services/child-process';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openDatabase } from '../../../src/store/database';
import { applyMigrations, type ApplyOptions } from '../../../src/store/migrating/apply-migrations';
import { migrations } from '../../../src/store/migrations';
import * as floatStops from '../../../src/store/migrations/050-float-stops';
import type { Migration, Migrations } from '../../../src/store/migrations/migration';
import { prepareSchema } from '../../../src/store/prepare-schema';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { appliesUntil } from './dying-migrator';
import { schemaOf } from './schema-of';

const all = Object.keys(migrations);

/** The statements of a run before its first step. */
const overhead = 8;

/** Adds a column and an index to a table, and counts in it. */
const further: Migration = {
  kind: 'expand',
  async up(schema) {
    await schema.raw('CREATE TABLE things (id BIGINT AUTO_INCREMENT PRIMARY KEY, a INT NOT NULL)');
    await schema.raw('INSERT INTO things (a) VALUES (1), (2), (3)');
    await schema.raw('ALTER TABLE things ADD COLUMN b INT NULL, ADD KEY by_b (b)');
    await schema.raw('UPDATE things SET a = a + 1');
    await schema.raw('ALTER TABLE things RENAME COLUMN b TO c');
    await schema.raw('ALTER TABLE things RENAME INDEX by_b TO by_c');
    await schema.raw('ALTER TABLE things DROP KEY by_c');
    await schema.raw('CREATE TABLE passing (a INT)');
    await schema.raw('DROP TABLE passing');
    await schema.rewrite({ table: 'things', key: 'id', set: 'c = COALESCE(c, 0) + a', batch: 2 });
  },
  async down() {},
};

describe('the migrations', () => {
  let fresh: TestDatabase;
  let whole: TestDatabase;
  beforeAll(async () => {
    [fresh, whole] = await Promise.all([createTestDatabase({ migrated: false }), createTestDatabase()]);
  });
  afterAll(() => Promise.all([fresh.drop(), whole.drop()]));

  it('come to the same schema when their process is killed again and again', async () => {
    // A step of rows takes four statements, and one that alters two.
    const lives = [1, 2, 3, 4, 5, 6, 7, 9, 11, 13];
    let deaths = 0;
    const isDone = () => appliesUntil(fresh.migrateUrl, overhead + (lives[deaths % lives.length] ?? 1));
    while (!(await isDone())) deaths += 1;
    expect(deaths).toBeGreaterThan(50);
    expect(await schemaOf(fresh.db)).toEqual(await schemaOf(whole.db));
    const kinds = (db: TestDatabase['db']) => db('knex_migrations').orderBy('id').select('name', 'kind');
    expect(await kinds(fresh.db)).toEqual(await kinds(whole.db));
  });
});

describe('a migrator', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
  });
  afterEach(() => database.drop());

  const accounts = () => ({ migrateUrl: database.migrateUrl, serviceUrl: database.url });
  const apply = async (given: Migrations, options: ApplyOptions = {}) => {
    const db = openDatabase(database.migrateUrl, { poolMax: 1, patienceMs: testPatienceMs });
    try {
      return (await applyMigrations(db, { migrations: given, ...options })).applied;
    } finally {
      await db.destroy();
    }
  };

  it('counts each row once, whatever statement it was killed after', async () => {
    const given = { migrations: { further } };
    for (let n = 0; n < 40; n += 1) {
      await appliesUntil(database.migrateUrl, overhead + n, given);
      await appliesUntil(database.migrateUrl, overhead + 2, given);
      await apply({ further });
      const [rows] = (await database.db.raw('SELECT a, c FROM things ORDER BY id')) as unknown as [unknown[]];
      expect([n, rows]).toEqual([n, [2, 3, 4].map((a) => ({ a, c: a }))]);
      expect(Object.keys((await schemaOf(database.db)).tables)).not.toContain('passing');
      await database.db.raw('DROP TABLE things');
      await database.db('knex_migrations').delete();
    }
  });

  it('works alone: of two at once, one finds all of it done', async () => {
    const done = await Promise.all([prepareSchema(accounts()), prepareSchema(accounts())]);
    expect(done.map(({ applied }) => applied.length).sort()).toEqual([0, all.length]);
  });

  it('takes what another hand has made for its own only where it was killed in the midst of it', async () => {
    await database.db.raw('CREATE TABLE things (of_an_operator INT)');
    for (const _ of [1, 2]) await expect(apply({ further })).rejects.toThrow(/already exists/);
    await database.db.raw('DROP TABLE things');
    expect(await apply({ further })).toEqual(['further']);
  });

  it('waits for who uses a table, never long at once, and goes on when told again', async () => {
    await database.db.raw('CREATE TABLE things (a INT)');
    const adding: Migration = {
      ...further,
      async up(schema) {
        await schema.raw('ALTER TABLE things ADD COLUMN b INT NULL');
      },
    };
    const applying = await database.db.transaction(async (trx) => {
      await trx.raw('SELECT COUNT(*) FROM things');
      const prepare = jest.fn(() => Promise.resolve());
      await expect(apply({ adding }, { patienceSeconds: 1, prepare })).rejects.toThrow(
        /^adding waits .* others use for longer than 1 s/,
      );
      // Before the first try as before the others.
      expect(prepare.mock.calls.length).toBeGreaterThanOrEqual(3);
      const begun = apply({ adding });
      await waitFor(async () => (await waitsForTable()) > 0 || undefined, {
        what: 'the migrator to wait',
        timeoutMs: 60_000,
      });
      // Somebody else does not stand behind it for good.
      await database.db.raw('INSERT INTO things (a) VALUES (1)');
      return [begun];
    });
    expect(await Promise.all(applying)).toEqual([['adding']]);
  });

  it('has nobody stand behind it for long who reads the list of a version without kinds', async () => {
    await database.db.raw(
      `CREATE TABLE knex_migrations (
        id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(255), batch INT, migration_time TIMESTAMP NULL
      )`,
    );
    await database.db.transaction(async (trx) => {
      await trx.raw('SELECT COUNT(*) FROM knex_migrations');
      const reader = openDatabase(database.migrateUrl, { poolMax: 1, patienceMs: testPatienceMs });
      await reader.raw('SET SESSION lock_wait_timeout = 20');
      const reads = async () => {
        await waitFor(async () => (await waitsForTable()) > 0 || undefined, {
          what: 'the migrator to wait',
          timeoutMs: 60_000,
        });
        await reader.raw('SELECT COUNT(*) FROM knex_migrations');
      };
      const begun = apply({ further }, { patienceSeconds: 1 });
      await Promise.all([expect(begun).rejects.toThrow(/^the list of migrations waits/), reads()]).finally(
        () => reader.destroy(),
      );
    });
    expect(await apply({ further })).toEqual(['further']);
  });

  async function waitsForTable(): Promise<number> {
    const [rows] = (await database.db.raw(
      `SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE 'ALTER TABLE%'`,
    )) as unknown as [unknown[]];
    return rows.length;
  }

  it('goes on after one of before, which made the list without kinds and left its own lock behind', async () => {
    await prepareSchema(accounts());
    await database.db.raw('ALTER TABLE knex_migrations DROP COLUMN kind, DROP COLUMN needs');
    await database.db.raw('CREATE TABLE knex_migrations_lock (`index` INT PRIMARY KEY, is_locked INT)');
    await database.db.raw('INSERT INTO knex_migrations_lock VALUES (1, 1)');
    expect(await apply({ ...migrations, further })).toEqual(['further']);
    const row = await database.db('knex_migrations').where({ name: 'further' }).first();
    expect(row).toMatchObject({ kind: 'expand', needs: null });
  });

  it('goes on after one that was killed while the server altered a table for it', async () => {
    await prepareSchema(accounts());
    await floatStops.down(database.db);
    await database.db('knex_migrations').where({ name: '050-float-stops' }).delete();
    const folder = await mkdtemp(join(tmpdir(), 'malipo-migrating-'));
    await database.db.transaction(async (trx) => {
      await trx.raw('SELECT COUNT(*) FROM float_wallets');
      const child = await startChild({
        name: 'the migrator',
        command: process.execPath,
        args: [join(__dirname, '..', '..', '..', 'dist', 'src', 'migrate.js')],
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: database.url,
          MALIPO_MIGRATE_DATABASE_URL: database.migrateUrl,
        },
        logFile: join(folder, 'migrate.log'),
        graceMs: 1_000,
      });
      await waitFor(async () => (await waitsForTable()) > 0 || undefined, {
        what: 'the table to be altered',
        timeoutMs: 60_000,
      });
      process.kill(-child.pid, 'SIGKILL');
      await child.exited;
    });
    expect(await prepareSchema(accounts())).toEqual({ applied: ['050-float-stops'] });
    expect((await schemaOf(database.db)).tables['float_wallets']).toContain('`stopped_for_minor`');
    await rm(folder, { recursive: true, force: true });
  });
});
