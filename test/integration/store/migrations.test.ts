/** The declarations of each migration, and the rules for new ones on large tables. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../src/store/database';
import { applyMigrations } from '../../../src/store/migrating/apply-migrations';
import { migrations } from '../../../src/store/migrations';
import type { Migration, Migrations } from '../../../src/store/migrations/migration';
import { createTestDatabase } from '../../support/database';

/** Tables with a row or more for each payment. */
const large = [
  ...['payments', 'payment_log', 'attempts', 'inbox', 'outbox', 'webhook_deliveries', 'mails', 'holds'],
  'events',
  ...['ledger_entries', 'ledger_postings', 'idempotency_keys', 'order_ids', 'paid_references', 'outflows'],
  ...['statement_lines', 'reconciliation_results', 'bulk_rows', 'fx_quotes', 'audit_log', 'vouchers'],
];

/** The baseline creates the tables, which are empty then. */
const isNew = (name: string) => name !== '001-baseline';
/** What is wrong with a statement of a new migration; reading statements are right. */
function faultOf(statement: string): string | undefined {
  const text = statement.replaceAll(/[\s`]+/g, ' ').trim();
  const { verb = '', table = '' } =
    /^(?<verb>ALTER TABLE|CREATE (?:UNIQUE |FULLTEXT )?INDEX [^(]*? ON|DROP INDEX \S+ ON|UPDATE|DELETE FROM) (?<table>\w+)/i.exec(
      text,
    )?.groups ?? {};
  if (!large.includes(table)) return undefined;
  if (/^(?:UPDATE|DELETE)/i.test(verb)) return 'rewrites a large table at once: use rewrite()';
  const isBrief = /\bALGORITHM ?= ?INSTANT\b/i.test(text);
  const isOpen = /\bALGORITHM ?= ?(?:INPLACE|NOCOPY)\b/i.test(text) && /\bLOCK ?= ?NONE\b/i.test(text);
  return isBrief || isOpen
    ? undefined
    : 'alters a large table without ALGORITHM=INSTANT, or ALGORITHM=INPLACE, LOCK=NONE';
}

/** The statements of each migration, as they ran. */
async function statementsOf(given: Migrations): Promise<[name: string, statement: string][]> {
  const run: [string, string][] = [];
  const recorded = Object.entries(given).map(([name, migration]): [string, Migration] => [
    name,
    {
      ...migration,
      up: (schema) =>
        migration.up({
          raw(sql, bindings) {
            run.push([name, sql]);
            return schema.raw(sql, bindings);
          },
          rewrite: (rows) => schema.rewrite(rows),
        }),
    },
  ]);
  const database = await createTestDatabase({ migrated: false });
  const db = openDatabase(database.migrateUrl, { poolMax: 1, patienceMs: 45_000 });
  await applyMigrations(db, { migrations: Object.fromEntries(recorded) });
  await db.destroy();
  await database.drop();
  return run;
}

describe('a migration', () => {
  const names = Object.keys(migrations);

  it('is listed under the name of its file', () => {
    const files = readdirSync(join(__dirname, '..', '..', '..', 'src', 'store', 'migrations'))
      .filter((file) => /^\d/.test(file))
      .map((file) => file.replace('.ts', ''));
    expect([...names].sort()).toEqual(files.sort());
  });

  it('comes last, and has its own number', () => {
    const later = names.filter(isNew);
    expect(names.slice(names.length - later.length)).toEqual([...later].sort());
    const numbers = later.map((name) => name.slice(0, 3));
    expect([...new Set(numbers)]).toEqual(numbers);
  });

  it('that removes something names an earlier one, which running code must know', () => {
    for (const [name, migration] of Object.entries(migrations)) {
      if (migration.kind === 'contract')
        expect(names.slice(0, names.indexOf(name))).toContain(migration.needs);
    }
  });

  it('blocks no large table for long', async () => {
    const faults = (await statementsOf(migrations))
      .filter(([name]) => isNew(name))
      .flatMap(([name, statement]) => {
        const fault = faultOf(statement);
        return fault === undefined ? [] : [`${name} ${fault}: ${statement}`];
      });
    expect(faults).toEqual([]);
  });

  it.each([
    ['ALTER TABLE payments ADD COLUMN a INT NULL', true],
    ['ALTER TABLE payments ADD COLUMN a INT NULL, ALGORITHM=INSTANT', false],
    ['ALTER TABLE `payments` ADD KEY by_a (a), ALGORITHM=INPLACE', true],
    ['ALTER TABLE payments\n  ADD KEY by_a (a),\n  ALGORITHM=INPLACE, LOCK=NONE', false],
    ['CREATE UNIQUE INDEX one_a ON outbox (a)', true],
    ['CREATE INDEX by_a ON outbox (a) ALGORITHM=INPLACE LOCK=NONE', false],
    ['UPDATE inbox SET state = 1', true],
    ['DELETE FROM mails WHERE a = 1', true],
    ['ALTER TABLE processes ADD COLUMN a INT NULL', false],
  ])('%s: %s', (statement, isWrong) => {
    expect(faultOf(statement) !== undefined).toBe(isWrong);
  });
});
