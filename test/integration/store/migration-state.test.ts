/** Which code can work with which database. */
import {
  misfitOf,
  migrationStateOf,
  type MigrationState,
} from '../../../src/store/migrating/migration-state';
import { applyMigrations } from '../../../src/store/migrating/apply-migrations';
import type { Migration, Migrations } from '../../../src/store/migrations/migration';
import { openDatabase } from '../../../src/store/database';
import { findRunningProcesses } from '../../../src/store/processes';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';

const nothing = { up: () => Promise.resolve(), down: () => Promise.resolve() };
const adds: Migration = { kind: 'expand', ...nothing };
const rewrites: Migration = { kind: 'migrate', ...nothing };
const takes: Migration = { kind: 'contract', needs: '001-adds', ...nothing };
const known: Migrations = { '001-adds': adds, '002-rewrites': rewrites, '003-takes': takes };

const fitting = (given: Partial<MigrationState>) =>
  misfitOf({ applied: [], pending: [], unknown: [], ...given }, known);

describe('code', () => {
  it('needs pending additions, and works before rows are rewritten or columns are removed', () => {
    expect(
      fitting({
        pending: [
          { name: '002-rewrites', kind: 'migrate' },
          { name: '003-takes', kind: 'contract' },
        ],
      }),
    ).toBeUndefined();
    expect(fitting({ pending: [{ name: '001-adds', kind: 'expand' }] })).toBe(
      'the database is older than this version: 001-adds is not applied; run malipo migrate up',
    );
  });

  it.each([
    ['adds', 'expand', null, true],
    ['rewrites', 'migrate', null, true],
    ['removes what only code without 001 needs', 'contract', '001-adds', true],
    ['removes what code without 004 needs', 'contract', '004-more', false],
    ['may remove anything, as it does not say', 'contract', null, false],
    ['says nothing', null, null, false],
    ['is of an unknown kind', 'rename', null, false],
  ])('beside an unknown migration, which %s', (_what, kind, needs, fits) => {
    const misfit = fitting({ unknown: [{ name: '009-newer', kind, needs }] });
    expect(misfit).toEqual(
      fits
        ? undefined
        : 'the database is newer than this version, and 009-newer removed what it needs; run a newer version',
    );
  });
});

describe('a database with tables of another program', () => {
  let shop: TestDatabase;
  beforeAll(async () => {
    shop = await createTestDatabase({ migrated: false });
  });
  afterAll(() => shop.drop());

  const tables = async () => {
    const [rows] = (await shop.db.raw('SHOW TABLES')) as unknown as [Record<string, string>[]];
    return rows.flatMap((row) => Object.values(row));
  };

  it('is refused by the migrations, and stays as it was', async () => {
    await shop.db.raw('CREATE TABLE orders (id INT PRIMARY KEY)');
    await expect(applyMigrations(shop.db, { migrations: known })).rejects.toThrow(
      /^the database test_\w+ has tables of another program \(orders\); nothing was changed: name an empty database$/,
    );
    expect(await tables()).toEqual(['orders']);
    await shop.db.raw('CREATE TABLE customers (id INT PRIMARY KEY)');
    await expect(applyMigrations(shop.db, { migrations: known })).rejects.toThrow('(customers and 1 more)');
  });

  it('is not one that a dead migrator left: it continues', async () => {
    await shop.db.raw('DROP TABLE orders, customers');
    const dies = { ...adds, up: () => Promise.reject(new Error('killed')) };
    const first = applyMigrations(shop.db, { migrations: { '001-adds': dies } });
    await expect(first).rejects.toThrow('killed');
    await shop.db.raw('CREATE TABLE orders (id INT PRIMARY KEY)');
    await expect(applyMigrations(shop.db, { migrations: { '001-adds': adds } })).resolves.toEqual({
      applied: ['001-adds'],
    });
  });
});

it('code works with no database whose migrations lack the first of its own', () => {
  expect(fitting({ applied: ['001-other'] })).toMatch(
    /^this database has migrations \(001-other\), but not 001-adds/,
  );
  expect(fitting({ applied: ['001-adds', '009-newer'] })).toBeUndefined();
});

describe('a database', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ migrated: false });
  });
  afterEach(() => database.drop());

  it('that is empty is far behind, and nothing is created in it', async () => {
    const standing = await migrationStateOf(database.db);
    expect(misfitOf(standing)).toMatch(
      /^the database is older than this version: 001-baseline is not applied/,
    );
    const [tables] = (await database.db.raw('SHOW TABLES')) as unknown as [unknown[]];
    expect(tables).toEqual([]);
  });

  it('looks empty to the service’s account before its first grant', async () => {
    const service = openDatabase(database.url, { poolMax: 1, patienceMs: testPatienceMs });
    expect(misfitOf(await migrationStateOf(service))).toMatch(/run malipo migrate up$/);
    expect(await findRunningProcesses(service)).toEqual([]);
    await service.destroy();
  });

  it('from before kinds were stored has none of them', async () => {
    await database.db.raw('CREATE TABLE knex_migrations (id INT PRIMARY KEY, name VARCHAR(255))');
    await database.db.raw("INSERT INTO knex_migrations VALUES (1, '001-adds'), (2, '009-newer')");
    expect(await migrationStateOf(database.db, known)).toEqual({
      applied: ['001-adds', '009-newer'],
      pending: [
        { name: '002-rewrites', kind: 'migrate' },
        { name: '003-takes', kind: 'contract' },
      ],
      unknown: [{ name: '009-newer', kind: null, needs: null }],
    });
  });
});
