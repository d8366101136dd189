import { v7 as uuid } from 'uuid';
import { createMerchant } from '../../../src/merchants/merchants';
import { literal, marksAt, momentOf, noMarks, listChanges } from '../../../src/verify/verified-state';
import { changesOf } from '../../../src/verify/check';
import { checks, runChecks } from '../../../src/verify/verify';
import type { Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, testContext } from '../../support/verify/books-support';

const payments = 3_000;
/** The most rows that a query may read of a table with thousands, by the server's own estimate. */
const rowsMax = 500;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await fill(test.db);
});
afterAll(() => test.drop());

const oldId = "CONCAT('00000000-0000-7000-8000-', LPAD(n, 12, '0'))";
const old = 'UTC_TIMESTAMP(3) - INTERVAL 2 DAY';

/** Deposits of two days ago with their related rows. */
async function fill(db: Database): Promise<void> {
  const { merchant_id: merchantId } = await createMerchant(db, box, { name: 'Duka', environment: 'sandbox' });
  const account = async (code: string, kind: string) => {
    const row = { code, class: kind, currency: 'KES', can_go_negative: 1, created_at: new Date() };
    const [id] = (await db('ledger_accounts').insert(row as never)) as [number];
    return id;
  };
  const [clearing, wallet] = [await account('clearing:loud:KES', 'clearing'), await account('w', 'wallet')];
  await db.raw('CREATE TABLE numbers (n INT AUTO_INCREMENT PRIMARY KEY)');
  const fifty = Array.from({ length: 50 }, () => '(NULL)').join(',');
  for (let filled = 0; filled < payments; filled += 50) await db.raw(`INSERT INTO numbers VALUES ${fifty}`);
  const rows: [table: string, values: Record<string, string>][] = [
    [
      'payments',
      {
        ...{ payment_id: oldId, merchant_id: `'${merchantId}'`, rail: "'loud'", kind: "'deposit'" },
        ...{ workflow_id: `CONCAT('test-payment/', ${oldId})`, state: "'succeeded'", is_final: '1' },
        ...{ currency: "'KES'", requested_minor: '1000', instructed_currency: "'KES'" },
        ...{ instructed_minor: '1000', confirmed_minor: '1000', provider: "'test'", details: "'{}'" },
        ...{ key_hash: `UNHEX(SHA2(${oldId}, 256))`, guard_hash: `UNHEX(SHA2(${oldId}, 256))` },
        ...{ created_at: old, updated_at: old, changed_at: old, next_check_at: 'NULL' },
        // Each has another parent, so that the estimate for a family is a few rows.
        parent_id: "CONCAT('00000000-0000-7000-9000-', LPAD(n, 12, '0'))",
      },
    ],
    ...[
      ['received', 'initiating'],
      ['initiating', 'pending'],
      ['pending', 'succeeded'],
    ].map(([from, to]): [string, Record<string, string>] => [
      'payment_log',
      { payment_id: oldId, from_state: `'${from}'`, to_state: `'${to}'`, cause: "'callback'", at: old },
    ]),
    [
      'attempts',
      {
        ...{ payment_id: oldId, n: '1', operation: "'initiate'", provider_key: oldId },
        ...{ state: "'accepted'", sent_at: old, changed_at: old },
      },
    ],
    [
      'inbox',
      {
        ...{ rail: "'loud'", event_key: `UNHEX(SHA2(${oldId}, 256))`, payment_id: oldId, body: "'{}'" },
        ...{ state: "'applied'", received_at: old, processed_at: old },
      },
    ],
    [
      'outbox',
      {
        ...{ webhook_id: oldId, payment_id: oldId, merchant_id: `'${merchantId}'`, to_state: "'succeeded'" },
        ...{ callback_type: "'Test'", endpoint: "'webhook_url'", body: "'{}'", state: "'delivered'" },
        ...{ next_at: old, created_at: old, changed_at: old },
      },
    ],
    ['webhook_deliveries', { webhook_id: oldId, n: '1', http_status: '200', duration_ms: '1', at: old }],
    [
      'idempotency_keys',
      {
        ...{ merchant_id: `'${merchantId}'`, key_hash: `UNHEX(SHA2(${oldId}, 256))`, payment_id: oldId },
        ...{ body_hash: `UNHEX(SHA2(${oldId}, 256))`, state: "'answered'", http_status: '200' },
        ...{ response: "'{}'", created_at: old },
      },
    ],
    [
      'ledger_entries',
      {
        ...{ entry_id: 'n', source_type: "'deposit'", source_id: oldId, leg: "'credit'" },
        ...{ payment_id: oldId, at: old },
      },
    ],
    ...[
      [clearing, -1000],
      [wallet, 1000],
    ].map(([id, amount]): [string, Record<string, string>] => [
      'ledger_postings',
      { entry_id: 'n', account_id: String(id), currency: "'KES'", amount: String(amount) },
    ]),
  ];
  for (const [table, values] of rows) {
    await db.raw(
      `INSERT INTO ${table} (${Object.keys(values).join(', ')}) SELECT ${Object.values(values).join(', ')} FROM numbers`,
    );
  }
  const tables = [...new Set(rows.map(([table]) => table))];
  await db.raw(`ANALYZE TABLE ${tables.join(', ')}`);
}

interface Step {
  table: string | null;
  rows: string | number | null;
}

describe('a run over the changes', () => {
  it('reads its rows through an index, however many other rows there are', async () => {
    const { db } = test;
    const [{ now }, { last }] = [
      await momentOf(db),
      await db.transaction((trx) => marksAt(trx, noMarks, new Date())),
    ];
    const marks = { changedSince: literal(new Date(now.getTime() - 3_600_000)), last };
    await db.raw(`UPDATE payments SET signals = 1 WHERE payment_id LIKE '%00000000010_'`);
    const asked: { sql: string; bindings: string[] }[] = [];
    const note = (query: { sql: string; bindings?: string[] }) =>
      asked.push({ sql: query.sql, bindings: query.bindings ?? [] });
    const runId = uuid();
    db.on('query', note);
    // These payments and their parents.
    expect(await listChanges(db, runId, marks)).toBe(20);
    await db.transaction((trx) => runChecks(trx, testContext(db).rails, changesOf(runId, marks), checks));
    db.removeListener('query', note);
    const statements = asked.filter(({ sql }) => /^\s*(\(|SELECT|INSERT)/i.test(sql));
    expect(statements.length).toBeGreaterThan(checks.length);
    const wide: string[] = [];
    for (const { sql, bindings } of statements) {
      const [steps] = (await db.raw(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, bindings)) as unknown as [Step[]];
      // A temporary table is as large as its source.
      const read = steps.filter(
        ({ table, rows }) => table && !table.startsWith('<') && Number(rows) > rowsMax,
      );
      wide.push(...read.map(({ table, rows }) => `${String(rows)} rows of ${String(table)}: ${sql}`));
    }
    expect(wide).toEqual([]);
  });
});
