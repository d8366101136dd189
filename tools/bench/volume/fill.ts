/** Fills the database with copies of a few real payments that are equally consistent: `malipo verify` finds nothing. */
import { step } from '../../sandbox/services/progress';
import type { Database } from '../../../src/store/database';
import { copyOf, notCopied, tableCopies, type Column, type TableCopy } from './columns';
import { columnsOf, helpers, listCopies, type Plan } from './copies';
import type { Template } from './templates';
import { hurried } from './hurried';

/** Copies per transaction. */
const batch = 20_000;

export async function fill(admin: Database, templates: readonly Template[], plan: Plan): Promise<void> {
  await step('listing the copies', () => listCopies(admin, templates, plan));
  await assertNothingForgotten(admin);
  const [[last]] = (await admin.raw('SELECT MAX(seq) AS seq FROM ledger_postings')) as unknown as [
    [{ seq: string }],
  ];
  await hurried(admin, plan.payments, async () => {
    for (const copied of tableCopies) {
      await step(`copying ${copied.table.replaceAll('_', ' ')}`, () => copyTable(admin, copied, plan));
    }
    await admin.raw(
      `UPDATE ledger_accounts a
       JOIN (SELECT account_id, SUM(amount) AS moved FROM ledger_postings WHERE seq > ? GROUP BY account_id) p
         ON p.account_id = a.account_id
       SET a.balance = a.balance + p.moved
       WHERE a.balance IS NOT NULL`,
      [last.seq],
    );
  });
  await admin.raw(`DROP DATABASE ${helpers}`);
}

async function copyTable(admin: Database, copied: TableCopy, plan: Plan): Promise<void> {
  const { table, through, columns: own } = copied;
  const all = await columnsOf(admin, table);
  const order = all.find(({ isGenerated }) => isGenerated)?.name ?? all[0]?.name ?? '';
  // By name, because `*` omits invisible columns.
  const every = all.map(({ name }) => `t.\`${name}\``).join(', ');
  const source = through
    ? `SELECT ${every}, o.of_payment, o.nth FROM ${table} t
       JOIN ${helpers}.of_${through.table} o ON o.${through.column} = t.${through.column}`
    : `SELECT ${every}, t.payment_id AS of_payment,
              ROW_NUMBER() OVER (PARTITION BY t.payment_id ORDER BY t.${order}) - 1 AS nth
       FROM ${table} t JOIN ${helpers}.templates m ON m.source_id = t.payment_id`;
  await admin.raw(`CREATE TABLE ${helpers}.of_${table} ${source}`);
  await admin.raw(`ALTER TABLE ${helpers}.of_${table} ADD KEY (of_payment)`);

  // New rows get the server's own time of change.
  const columns = all.filter(
    ({ name, isGenerated }) =>
      (!isGenerated || own[name] !== undefined) && !(name === 'changed_at' && plan.beside !== undefined),
  );
  const [[{ most }]] = (await admin.raw(`SELECT MAX(k) AS most FROM ${helpers}.copies`)) as unknown as [
    [{ most: number | null }],
  ];
  const { beside = 0 } = plan;
  for (let after = beside; after < (most ?? 0); after += batch) {
    await admin.raw(insertion(table, columns, own, order), [after, after + batch]);
  }
}

function insertion(
  table: string,
  columns: readonly Column[],
  own: Record<string, string>,
  order: string,
): string {
  return `INSERT INTO ${table} (${columns.map(({ name }) => `\`${name}\``).join(', ')})
    SELECT ${columns.map((column) => copyOf(column, own)).join(', ')}
    FROM ${helpers}.copies c JOIN ${helpers}.of_${table} s ON s.of_payment = c.source_id
    WHERE c.k > ? AND c.k <= ?
    ORDER BY c.k, s.${order}`;
}

/** A newer table with rows of these payments must be copied as well. */
async function assertNothingForgotten(admin: Database): Promise<void> {
  const [tables] = (await admin.raw(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = DATABASE() AND column_name = 'payment_id'`,
  )) as unknown as [{ name: string }[]];
  const known = new Set([...tableCopies.map(({ table }) => table), ...notCopied]);
  for (const { name } of tables.filter((each) => !known.has(each.name))) {
    const [[{ n }]] = (await admin.raw(
      `SELECT COUNT(*) AS n FROM ?? t JOIN ${helpers}.templates m ON m.source_id = t.payment_id`,
      [name],
    )) as unknown as [[{ n: number | string }]];
    if (Number(n) > 0) throw new Error(`tools/bench/volume/columns.ts does not say how ${name} is copied`);
  }
}
