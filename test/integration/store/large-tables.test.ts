/**
 * The cost of migrations of each kind on a table of many payments, and for payments meanwhile.
 * `MALIPO_MIGRATED_PAYMENTS=200000 npm test -- test/integration/store/large-tables` prints it.
 */
import { setImmediate as yielded } from 'node:timers/promises';
import { openDatabase } from '../../../src/store/database';
import { applyMigrations } from '../../../src/store/migrating/apply-migrations';
import { migrations } from '../../../src/store/migrations';
import type { Migration, Migrations, SchemaChange } from '../../../src/store/migrations/migration';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { insertOpenPayments, insertPayment } from '../../support/store/rows';

const payments = Number(process.env['MALIPO_MIGRATED_PAYMENTS'] ?? 2_500);

function migration(
  kind: 'expand' | 'migrate',
  up: (schema: SchemaChange) => PromiseLike<unknown>,
): Migration {
  return {
    kind,
    async up(schema) {
      await up(schema);
    },
    down: () => Promise.resolve(),
  };
}

const steps: Migrations = {
  'a column, INSTANT': migration('expand', (schema) =>
    schema.raw('ALTER TABLE payments ADD COLUMN loyalty INT NULL, ALGORITHM=INSTANT'),
  ),
  'an index, INPLACE, LOCK=NONE': migration('expand', (schema) =>
    schema.raw('ALTER TABLE payments ADD KEY by_loyalty (loyalty), ALGORITHM=INPLACE, LOCK=NONE'),
  ),
  'all rows, a thousand at a time': migration('migrate', (schema) =>
    schema.rewrite({ table: 'payments', key: 'payment_id', set: 'loyalty = 1', where: 'loyalty IS NULL' }),
  ),
  'no index, INPLACE, LOCK=NONE': migration('expand', (schema) =>
    schema.raw('ALTER TABLE payments DROP KEY by_loyalty, ALGORITHM=INPLACE, LOCK=NONE'),
  ),
  'no column, INPLACE, LOCK=NONE': migration('expand', (schema) =>
    schema.raw('ALTER TABLE payments DROP COLUMN loyalty, ALGORITHM=INPLACE, LOCK=NONE'),
  ),
};

describe('a table of many payments', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await insertOpenPayments(database.db, payments);
  });
  afterAll(() => database.drop());

  it('is migrated while payments are written', async () => {
    const owner = openDatabase(database.migrateUrl, { poolMax: 1, patienceMs: testPatienceMs });
    const service = openDatabase(database.url, { poolMax: 1, patienceMs: testPatienceMs });
    const isOver = { yes: false };
    const write = { count: 0, longestMs: 0 };
    const last = await insertPayment(database.db);
    async function pay(): Promise<void> {
      while (!isOver.yes) {
        const begun = performance.now();
        await insertPayment(service);
        await service('payments').where({ payment_id: last }).update({ updated_at: new Date() });
        write.longestMs = Math.max(write.longestMs, performance.now() - begun);
        write.count += 1;
        await yielded();
      }
    }
    const paying = pay();
    const lines: string[] = [];
    for (const [name, step] of Object.entries(steps)) {
      Object.assign(write, { count: 0, longestMs: 0 });
      const begun = performance.now();
      await applyMigrations(owner, { migrations: { ...migrations, [name]: step }, patienceSeconds: 120 });
      const took = performance.now() - begun;
      lines.push(
        `${name}: ${(took / 1_000).toFixed(2)} s; ${String(write.count)} payments written meanwhile, ` +
          `each in ${write.longestMs.toFixed(0)} ms at most`,
      );
    }
    isOver.yes = true;
    await paying;
    await Promise.all([owner.destroy(), service.destroy()]);
    if (process.env['MALIPO_MIGRATED_PAYMENTS'] !== undefined)
      process.stdout.write(`${[`${String(payments)} payments`, ...lines].join('\n  ')}\n`);
    const [applied] = (await database.db.raw(`SELECT COUNT(*) AS n FROM knex_migrations WHERE name IN (?)`, [
      Object.keys(steps),
    ] as never)) as unknown as [{ n: string }[]];
    expect(Number(applied[0]?.n)).toBe(Object.keys(steps).length);
    const [columns] = (await database.db.raw("SHOW COLUMNS FROM payments LIKE 'loyalty'")) as unknown as [
      unknown[],
    ];
    expect(columns).toEqual([]);
  });
});
