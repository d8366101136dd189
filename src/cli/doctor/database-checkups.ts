import { readFile, stat } from 'node:fs/promises';
import { fault, ok, attention, type Diagnosis } from '../../domain/diagnosis';
import { differenceOf, grantsOf, type Grant } from '../../store/account-grants';
import { textOf } from '../../operator-actions/errors';
import { isReadOnly, type Database } from '../../store/database';
import { databaseAheadMs } from '../../store/database-clock';
import { misfitOf, migrationStateOf } from '../../store/migrating/migration-state';
import { newestMigration } from '../../store/migrations';
import { findRunningProcesses, runningText } from '../../store/processes';
import { missingTriggers } from '../../verify/ledger-checks';
import { ageText } from '../table';
import { faultInLive, type Checkup, type Patient } from './checkup';

const skewMaxMs = 2_000;

/** A full disk makes a write wait without an end. */
const writtenWithinMs = 10_000;
/** Nothing reads this row, and it is deleted with other full buckets. */
const writeSomething = `
  INSERT INTO rate_limit_buckets (bucket, tokens, spent, recent, refilled_at, forget_at)
  VALUES ('doctor', 0, 0, '', UTC_TIMESTAMP(6), UTC_TIMESTAMP())
  ON DUPLICATE KEY UPDATE refilled_at = UTC_TIMESTAMP(6)`;

/** Tables, and the columns that must have a CHECK constraint. */
const constrainedColumns: Record<string, string[]> = {
  payments: ['requested_minor', 'instructed_minor', 'confirmed_minor'],
  ledger_accounts: ['balance'],
  ledger_postings: ['amount'],
  holds: ['amount', 'state'],
  attempts: ['state'],
  inbox: ['state'],
  outbox: ['endpoint'],
};

export const takesNoWrites = 'The database takes no writes, merchants get 503, and no payment is settled';

/** Checks that the database commits durably, enforces its constraints, and has the same time as this machine. */
export const databaseCheckups: Checkup[] = [
  {
    name: 'database',
    async examine({ db }) {
      const { version } = await firstRow(db, 'SELECT VERSION() AS version');
      return ok(`The database answers; it is ${String(version)}.`);
    },
  },
  {
    name: 'writes',
    async examine({ db }) {
      // A database that does not answer is another fault.
      await db.raw('SELECT 1');
      try {
        await db.raw(writeSomething).timeout(writtenWithinMs, { cancel: true });
        return ok('The database takes writes.');
      } catch (error) {
        const why = isReadOnly(error) ? 'it is read-only' : textOf(error);
        return fault(`${takesNoWrites}: ${why}.`, 'docs/connections.md');
      }
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
      if (faults.length === 0) return ok('Committed data survives a power cut.');
      return faultInLive(patient, `A power cut can lose confirmed payments: ${faults.join('; ')}.`);
    },
  },
  {
    name: 'strict mode',
    async examine({ db }) {
      const { mode } = await firstRow(db, 'SELECT @@SESSION.sql_mode AS mode');
      if (String(mode).includes('STRICT_ALL_TABLES'))
        return ok('The database rejects values that do not fit.');
      return fault(
        'Our sessions are not in strict mode: the database would cut values that do not fit, without an error.',
      );
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
        `These tables are not InnoDB and have no transactions: ${rows.map(({ name }) => String(name)).join(', ')}.`,
      );
    },
  },
  {
    name: 'append-only ledger',
    async examine({ db }) {
      const missing = await missingTriggers(db);
      if (missing.length === 0) return ok('The database rejects changes and deletions of ledger entries.');
      return fault(
        `Ledger entries can be changed: ${missing.map(({ id, detail }) => `${id}: ${detail}`).join('; ')}.`,
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
      if (missing.length === 0) return ok('The database rejects impossible amounts and states.');
      return fault(`CHECK constraints are missing on ${missing.join(', ')}.`);
    },
  },
  {
    name: 'clock',
    async examine({ db }) {
      const skewMs = Math.round(await databaseAheadMs(db));
      if (Math.abs(skewMs) < skewMaxMs)
        return ok(`The clocks of the database and of this machine differ by ${String(Math.abs(skewMs))} ms.`);
      return fault(
        `The database's clock is ${String(Math.abs(skewMs))} ms ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's; synchronise both.`,
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

/** Checks that the schema, this version and the running processes fit together. */
export const schemaCheckups: Checkup[] = [
  {
    name: 'schema',
    async examine({ db }) {
      const standing = await migrationStateOf(db);
      const misfit = misfitOf(standing);
      if (misfit !== undefined) return fault(`${capital(misfit)}.`);
      const { pending, unknown } = standing;
      if (unknown.length > 0)
        return attention(
          `The database is newer than this version, which still works: it has ${namesOf(unknown)}.`,
        );
      if (pending.length > 0)
        return attention(
          `Pending migrations, which you can apply while processes run: ${namesOf(pending)}.`,
          'malipo migrate up',
        );
      return ok('The schema is current.');
    },
  },
  {
    name: 'processes',
    async examine({ db }) {
      const running = await findRunningProcesses(db);
      const others = running.filter(({ knows }) => knows !== newestMigration);
      if (others.length > 0)
        return attention(
          `Processes of another version run: ${runningText(others)}. The newest migration of this version is ${newestMigration}.`,
        );
      return ok(running.length > 0 ? `Running: ${runningText(running)}.` : 'No process runs.');
    },
  },
];

function namesOf(migrations: { name: string }[]): string {
  return migrations.map(({ name }) => name).join(', ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Checks that committed data survives the loss of the database's disk; see docs/restore.md.

/** One backup each night, and two hours for it. */
const backupAgeMaxMs = 26 * 3_600_000;

export const backupCheckups: Checkup[] = [
  { name: 'binary log', examine: examineBinaryLog },
  { name: 'backup', examine: examineBackup },
];

async function examineBinaryLog({ config, db }: Patient): Promise<Diagnosis> {
  const [[row]] = (await db.raw('SELECT @@log_bin AS is_on')) as unknown as [[{ is_on: number | string }]];
  if (Number(row.is_on) === 1) return ok('The binary log has the transactions after the last backup.');
  if (config.environment !== 'live')
    return ok('The database writes no binary log; a sandbox does not need one.');
  return attention(
    'The database writes no binary log: if the disk is lost, everything after the last backup is lost, unless the storage itself keeps a copy.',
  );
}

async function examineBackup({ config, backupStamp }: Patient): Promise<Diagnosis> {
  if (backupStamp === undefined) {
    return config.environment === 'live'
      ? attention(
          'The time of the last backup is unknown: let each backup write a file, and set MALIPO_BACKUP_STAMP to it.',
        )
      : ok('A sandbox needs no backup.');
  }
  const at = await momentOf(backupStamp).catch(() => undefined);
  if (at === undefined) return attention('The file of MALIPO_BACKUP_STAMP cannot be read.');
  const ageMs = Date.now() - at.getTime();
  const sentence = `The last backup was ${ageText(ageMs)} ago.`;
  return ageMs > backupAgeMaxMs
    ? attention(`${sentence} One is due each night: find out why none succeeds.`)
    : ok(sentence);
}

/** The time in the file, or else the time when the file was written. */
async function momentOf(file: string): Promise<Date> {
  const text = (await readFile(file, 'utf8')).trim();
  const reported = /^\d{4}-\d{2}-\d{2}T/.test(text) ? new Date(text) : undefined;
  return reported && !Number.isNaN(reported.getTime()) ? reported : (await stat(file)).mtime;
}

/** Checks the privileges of our account: an attacker who controls a process has them, too. */
export const accountCheckups: Checkup[] = [
  {
    name: 'database account',
    async examine({ db }) {
      const [[row]] = (await db.raw('SELECT DATABASE() AS name')) as unknown as [[{ name: string }]];
      const held = await grantsOf(db, row.name);
      const { missing, excess, beyond } = differenceOf(held);
      const powers = [...excess, ...beyond];
      if (missing.length > 0) {
        return fault(`The account lacks ${grantsText(missing)}; run the migration, which grants it.`);
      }
      if (powers.length === 0)
        return ok('The account has the privileges that the service needs, and no more.');
      return attention(
        `The account has more privileges than the service needs: ${grantsText(powers)}. Use a separate account for the migration (MALIPO_MIGRATE_DATABASE_URL).`,
      );
    },
  },
];

const placeOf = { TABLE: '', PROCEDURE: 'procedure ', SCHEMA: 'the whole schema', OTHER: '' } as const;

function grantsText(grants: readonly Grant[]): string {
  return grants
    .map(({ kind, on, privileges }) => `${privileges.join(', ')} on ${placeOf[kind]}${on}`)
    .join('; ');
}
