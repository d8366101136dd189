import { fault, ok } from '../../domain/diagnosis';
import type { Database } from '../../store/database';
import { databaseAheadMs } from '../../store/database-clock';
import { missingTriggers } from '../../verify/ledger-checks';
import { faultInLive, type Checkup } from './checkup';

const skewMaxMs = 2_000;

/** Tables, and the columns on which the database itself refuses what must not be. */
const constrainedColumns: Record<string, string[]> = {
  payments: ['requested_minor', 'instructed_minor', 'confirmed_minor'],
  ledger_accounts: ['balance'],
  ledger_postings: ['amount'],
  holds: ['amount', 'state'],
  attempts: ['state'],
  inbox: ['state'],
  outbox: ['endpoint'],
};

/** Whether the database keeps what it has acknowledged, refuses what it must, and agrees with us on the time. */
export const databaseCheckups: Checkup[] = [
  {
    name: 'database',
    async examine({ db }) {
      const { version } = await firstRow(db, 'SELECT VERSION() AS version');
      return ok(`The database answers; it is ${String(version)}.`);
    },
  },
  {
    name: 'durable commits',
    async examine(patient) {
      const { flush, binlog, sync } = await firstRow(
        patient.db,
        'SELECT @@innodb_flush_log_at_trx_commit AS flush, @@log_bin AS `binlog`, @@sync_binlog AS sync',
      );
      const faults = [
        Number(flush) !== 1 && `innodb_flush_log_at_trx_commit is ${String(flush)} and must be 1`,
        Number(binlog) === 1 && Number(sync) !== 1 && `sync_binlog is ${String(sync)} and must be 1`,
      ].filter((one) => one !== false);
      if (faults.length === 0) return ok('What is committed survives a power cut.');
      return faultInLive(patient, `A power cut can lose acknowledged payments: ${faults.join('; ')}.`);
    },
  },
  {
    name: 'strict mode',
    async examine({ db }) {
      const { mode } = await firstRow(db, 'SELECT @@SESSION.sql_mode AS mode');
      if (String(mode).includes('STRICT_ALL_TABLES'))
        return ok('Values that do not fit are refused, not cut.');
      return fault('Our sessions are not in strict mode: values that do not fit would be cut silently.');
    },
  },
  {
    name: 'storage engine',
    async examine({ db }) {
      const rows = await allRows(
        db,
        `SELECT TABLE_NAME AS name FROM information_schema.TABLES
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' AND ENGINE <> 'InnoDB'`,
      );
      if (rows.length === 0) return ok('Every table is transactional (InnoDB).');
      return fault(
        `These tables are not InnoDB and know no transactions: ${rows.map(({ name }) => String(name)).join(', ')}.`,
      );
    },
  },
  {
    name: 'append-only ledger',
    async examine({ db }) {
      const missing = await missingTriggers(db);
      if (missing.length === 0) return ok('The database refuses to change or delete what is booked.');
      return fault(
        `What is booked can be changed: ${missing.map(({ id, detail }) => `${id}: ${detail}`).join('; ')}.`,
      );
    },
  },
  {
    name: 'constraints',
    async examine({ db }) {
      const missing: string[] = [];
      for (const [table, columns] of Object.entries(constrainedColumns)) {
        const definition = String((await firstRow(db, `SHOW CREATE TABLE ${table}`))['Create Table']);
        const constraints = definition
          .split('\n')
          .filter((line) => line.includes('CONSTRAINT ') && line.includes(' CHECK '));
        for (const column of columns) {
          const isChecked = constraints.some(
            (line) => line.includes(`\`${column}\``) && !line.includes('NOT ENFORCED'),
          );
          if (!isChecked) missing.push(`${table}.${column}`);
        }
      }
      if (missing.length === 0) return ok('The database refuses impossible amounts and states.');
      return fault(`CHECK constraints are missing on ${missing.join(', ')}.`);
    },
  },
  {
    name: 'clock',
    async examine({ db }) {
      const skewMs = Math.round(await databaseAheadMs(db));
      if (Math.abs(skewMs) < skewMaxMs)
        return ok(`The database's clock and ours differ by ${String(Math.abs(skewMs))} ms.`);
      return fault(
        `The database's clock is ${String(Math.abs(skewMs))} ms ${skewMs > 0 ? 'ahead of' : 'behind'} ours; synchronise both.`,
      );
    },
  },
];

type Row = Record<string, unknown>;

async function allRows(db: Database, statement: string): Promise<Row[]> {
  const [rows] = (await db.raw(statement)) as unknown as [Row[]];
  return rows;
}

async function firstRow(db: Database, statement: string): Promise<Row> {
  return (await allRows(db, statement))[0] ?? {};
}
