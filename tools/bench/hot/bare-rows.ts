/** The lower bound: the rows of a settlement, inserted and committed without any other work. */
import { v7 as uuid } from 'uuid';
import type { Database } from '../../../src/store/database';

const schema = 'malipo_bare';
const tables = ['payment_log', 'events', 'outbox', 'ledger_entries', 'ledger_postings'] as const;

/** @param sample a settled payment: its rows are repeated, in tables with the same columns and indexes. */
export async function bareRows(
  admin: Database,
  sample: string,
): Promise<{ insert(): Promise<void>; drop(): Promise<void> }> {
  await admin.raw(`DROP DATABASE IF EXISTS ${schema}`);
  await admin.raw(`CREATE DATABASE ${schema}`);
  for (const table of tables) await admin.raw(`CREATE TABLE ${schema}.${table} LIKE ${table}`);
  const log = await lastOf('payment_log', 'log_id');
  const event = await lastOf('events', 'event_id');
  const webhook = await lastOf('outbox', 'webhook_id');
  const entry = await lastOf('ledger_entries', 'entry_id');
  const postings = (await admin
    .table<Row>('ledger_postings')
    .where({ entry_id: entry['entry_id'] })) as Row[];
  return {
    insert: () =>
      admin.transaction(async (trx) => {
        const into = async (table: (typeof tables)[number], rows: Row | Row[]): Promise<number> => {
          const ids: unknown = await trx.withSchema(schema).table(table).insert(rows);
          return Array.isArray(ids) ? Number(ids[0]) : 0;
        };
        await into('payment_log', without(log, 'log_id'));
        await into('events', { ...without(event, 'event_seq'), event_id: uuid(), position: null });
        await into('outbox', { ...webhook, webhook_id: uuid() });
        const entryId = await into('ledger_entries', {
          ...without(entry, 'entry_id'),
          source_id: uuid(),
        });
        await into(
          'ledger_postings',
          postings.map((posting) => ({ ...without(posting, 'seq'), entry_id: entryId })),
        );
      }),
    async drop() {
      await admin.raw(`DROP DATABASE ${schema}`);
    },
  };

  async function lastOf(table: string, id: string): Promise<Row> {
    const row: unknown = await admin
      .table<Row>(table)
      .where({ payment_id: sample })
      .orderBy(id, 'desc')
      .first();
    if (!row) throw new Error(`the sample has no row in ${table}`);
    return row as Row;
  }
}

type Row = Record<string, unknown>;

function without({ ...row }: Row, column: string): Row {
  Reflect.deleteProperty(row, column);
  return row;
}
