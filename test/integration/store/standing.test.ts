/** Which database which code can work with. */
import { misfitOf, standingOf, type Standing } from '../../../src/store/migrating/standing';
import type { Migration, Migrations } from '../../../src/store/migrations/migration';
import { openDatabase } from '../../../src/store/database';
import { findRunningProcesses } from '../../../src/store/processes';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';

const nothing = { up: () => Promise.resolve(), down: () => Promise.resolve() };
const adds: Migration = { kind: 'expand', ...nothing };
const rewrites: Migration = { kind: 'migrate', ...nothing };
const takes: Migration = { kind: 'contract', needs: '001-adds', ...nothing };
const known: Migrations = { '001-adds': adds, '002-rewrites': rewrites, '003-takes': takes };

const fitting = (given: Partial<Standing>) =>
  misfitOf({ applied: [], pending: [], unknown: [], ...given }, known);

describe('code', () => {
  it('needs what is to be added, and goes on before rows are rewritten or something is taken away', () => {
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
    ['takes what only code without 001 needs', 'contract', '001-adds', true],
    ['takes what code without 004 needs', 'contract', '004-more', false],
    ['takes, for all it says', 'contract', null, false],
    ['says nothing', null, null, false],
    ['is of a kind that comes later', 'rename', null, false],
  ])('beside one it does not know, which %s', (_what, kind, needs, fits) => {
    const misfit = fitting({ unknown: [{ name: '009-newer', kind, needs }] });
    expect(misfit).toEqual(
      fits
        ? undefined
        : 'the database is newer than this version, and 009-newer took away what it needs; run a newer version',
    );
  });
});

it('code works with no database that has migrations, but not the first of its own', () => {
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

  it('that is empty is far behind, and nothing is made in it', async () => {
    const standing = await standingOf(database.db);
    expect(misfitOf(standing)).toMatch(
      /^the database is older than this version: 001-foundation, 002-vouchers and \d+ more are not applied/,
    );
    const [tables] = (await database.db.raw('SHOW TABLES')) as unknown as [unknown[]];
    expect(tables).toEqual([]);
  });

  it('of which the account of the service may see nothing yet, is empty to it', async () => {
    const service = openDatabase(database.url, { poolMax: 1, patienceMs: testPatienceMs });
    expect(misfitOf(await standingOf(service))).toMatch(/run malipo migrate up$/);
    expect(await findRunningProcesses(service)).toEqual([]);
    await service.destroy();
  });

  it('of before kinds were written down says nothing of them', async () => {
    await database.db.raw('CREATE TABLE knex_migrations (id INT PRIMARY KEY, name VARCHAR(255))');
    await database.db.raw("INSERT INTO knex_migrations VALUES (1, '001-adds'), (2, '009-newer')");
    expect(await standingOf(database.db, known)).toEqual({
      applied: ['001-adds', '009-newer'],
      pending: [
        { name: '002-rewrites', kind: 'migrate' },
        { name: '003-takes', kind: 'contract' },
      ],
      unknown: [{ name: '009-newer', kind: null, needs: null }],
    });
  });
});
