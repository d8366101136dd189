/** A database of an unreleased version: every process rejects it and changes nothing. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepareSchema } from '../../../src/store/prepare-schema';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { sharedStack } from '../../support/shared-stack';
import type { Stack } from '../../support/stack';

const bundles = join(__dirname, '..', '..', '..', 'dist', 'bundle');
const sentence =
  'this database has migrations (001-first, 002-second), but not 001-baseline, the first of this version: an unreleased ' +
  'version created it, or its list of migrations is damaged; name another database, or in the sandbox run ' +
  'npm start -- --fresh';

describe('a database of an unreleased version', () => {
  let stack: Stack;
  let database: TestDatabase;
  beforeAll(async () => {
    stack = await sharedStack();
    database = await createTestDatabase({ migrated: false });
    // In the form of those versions: the list of migrations without today's columns, and a table with money in it.
    await database.db.raw('CREATE TABLE knex_migrations (id INT PRIMARY KEY, name VARCHAR(255))');
    await database.db.raw("INSERT INTO knex_migrations VALUES (1, '001-first'), (2, '002-second')");
    await database.db.raw('CREATE TABLE payments (payment_id INT PRIMARY KEY, amount INT)');
    await database.db.raw('INSERT INTO payments VALUES (1, 1000)');
  });
  afterAll(async () => {
    await database.drop();
    await stack.stop();
  });

  /** Every table with its columns and rows. */
  async function everything(): Promise<unknown> {
    const [tables] = (await database.db.raw('SHOW TABLES')) as unknown as [object[]];
    return Promise.all(
      tables.map(async (row) => {
        const name = String(Object.values(row)[0]);
        return [await database.db.raw('SHOW CREATE TABLE ??', [name]), await database.db(name)].map((part) =>
          JSON.stringify(part),
        );
      }),
    );
  }

  async function run(bundle: string, ...words: string[]): Promise<{ code: number | null; output: string }> {
    const env = {
      PATH: process.env['PATH'],
      ...stack.env,
      // As the account of those versions, which had its grants.
      DATABASE_URL: database.migrateUrl,
      MALIPO_MIGRATE_DATABASE_URL: database.migrateUrl,
      // The stack's own worker uses the other ports.
      MALIPO_WORKER_METRICS: '127.0.0.1:0',
      MALIPO_WORKER_HEALTH: '127.0.0.1:0',
    };
    const child = spawn(process.execPath, [join(bundles, `${bundle}.js`), ...words], { env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (output += data.toString()));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, output };
  }

  it.each([
    ['the API', 'api'],
    ['the worker', 'worker'],
    ['the portal', 'portal'],
    ['malipo payment list', 'cli', 'payment', 'list'],
    ['malipo migrate up', 'cli', 'migrate', 'up'],
  ])('is rejected by %s in one sentence, and unchanged', async (_who, bundle, ...words) => {
    const before = await everything();
    const { code, output } = await run(bundle, ...words);
    expect(output.toLowerCase()).toContain(sentence.toLowerCase());
    expect(output).not.toContain('    at ');
    expect(code).toBe(1);
    expect(await everything()).toEqual(before);
  });

  it('is rejected by what npm start does with it', async () => {
    const before = await everything();
    const { url, migrateUrl } = database;
    await expect(prepareSchema({ migrateUrl, serviceUrl: url })).rejects.toThrow(
      `${sentence}; nothing was changed`,
    );
    expect(await everything()).toEqual(before);
  });
});
