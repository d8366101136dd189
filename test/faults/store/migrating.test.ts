/** Migrations are applied once, by one migrator at a time, whatever is killed between any two statements. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../../tools/sandbox/services/child-process';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openDatabase } from '../../../src/store/database';
import { applyMigrations, type ApplyOptions } from '../../../src/store/migrating/apply-migrations';
import { migrations } from '../../../src/store/migrations';
import type { Migration, Migrations } from '../../../src/store/migrations/migration';
import { prepareSchema } from '../../../src/store/prepare-schema';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { appliesUntil, overhead } from './dying-migrator';
import { schemaOf } from '../../support/store/schema-of';

const all = Object.keys(migrations);

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

  it('lead to the same schema when their process is killed again and again', async () => {
    // A step with rows takes four statements, and one that alters a table two.
    const lives = [1, 2, 3, 4, 5, 6, 7, 8];
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
    // Our database, without a migration: one with tables of another program is refused.
    await apply({});
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

  it('works alone: of two at once, one finds everything done', async () => {
    const done = await Promise.all([prepareSchema(accounts()), prepareSchema(accounts())]);
    expect(done.map(({ applied }) => applied.length).sort()).toEqual([0, all.length]);
  });

  it('treats an existing object as its own only if it was killed in the middle of creating it', async () => {
    await database.db.raw('CREATE TABLE things (of_an_operator INT)');
    for (const _ of [1, 2]) await expect(apply({ further })).rejects.toThrow(/already exists/);
    await database.db.raw('DROP TABLE things');
    expect(await apply({ further })).toEqual(['further']);
  });

  it('waits for users of a table, a short time each, and continues at the next run', async () => {
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
        /^adding waited over 1 s for .* others use/,
      );
      // Before the first attempt as before the others.
      expect(prepare.mock.calls.length).toBeGreaterThanOrEqual(3);
      const begun = apply({ adding });
      await waitFor(async () => (await waitsForTable()) > 0 || undefined, {
        what: 'the migrator to wait',
        timeoutMs: 60_000,
      });
      // Other statements do not wait behind it for long.
      await database.db.raw('INSERT INTO things (a) VALUES (1)');
      return [begun];
    });
    expect(await Promise.all(applying)).toEqual([['adding']]);
  });

  async function waitsForTable(): Promise<number> {
    const [rows] = (await database.db.raw(
      `SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE 'ALTER TABLE%'`,
    )) as unknown as [unknown[]];
    return rows.length;
  }

  it('continues after a migrator that was killed while the server altered a table for it', async () => {
    await database.db.raw('CREATE TABLE things (a INT)');
    const sql = 'ALTER TABLE things ADD COLUMN b INT NULL';
    const dist = (file: string) =>
      JSON.stringify(join(__dirname, '..', '..', '..', 'dist', 'src', 'store', file));
    const script = `
      const { openDatabase } = require(${dist('database.js')});
      const { applyMigrations } = require(${dist('migrating/apply-migrations.js')});
      const adding = { kind: 'expand', up: (schema) => schema.raw('${sql}'), down: async () => {} };
      void applyMigrations(openDatabase(process.env.DATABASE_URL, { poolMax: 1 }), { migrations: { adding } });`;
    const folder = await mkdtemp(join(tmpdir(), 'malipo-migrating-'));
    await database.db.transaction(async (trx) => {
      await trx.raw('SELECT COUNT(*) FROM things');
      const child = await startChild({
        name: 'the migrator',
        command: process.execPath,
        args: ['-e', script],
        env: { PATH: process.env.PATH, DATABASE_URL: database.migrateUrl },
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
    const adding: Migration = {
      kind: 'expand',
      async up(schema) {
        await schema.raw(sql);
      },
      async down() {},
    };
    expect(await apply({ adding })).toEqual(['adding']);
    expect((await schemaOf(database.db)).tables['things']).toContain('`b`');
    await rm(folder, { recursive: true, force: true });
  });
});
