import { readFile, stat } from 'node:fs/promises';
import { fault, ok, attention, type Diagnosis } from '../../domain/diagnosis';
import { differenceOf, grantsOf, type Grant } from '../../store/account-grants';
import type { Database } from '../../store/database';
import { databaseAheadMs } from '../../store/database-clock';
import { misfitOf, standingOf } from '../../store/migrating/standing';
import { newestMigration } from '../../store/migrations';
import { findRunningProcesses, toldRunning } from '../../store/processes';
import { missingTriggers } from '../../verify/ledger-checks';
import { ageText } from '../table';
import { faultInLive, type Checkup, type Patient } from './checkup';

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

/** Whether database, this version and the processes that run are of one age. */
export const schemaCheckups: Checkup[] = [
  {
    name: 'schema',
    async examine({ db }) {
      const standing = await standingOf(db);
      const misfit = misfitOf(standing);
      if (misfit !== undefined) return fault(`${capital(misfit)}.`);
      const { pending, unknown } = standing;
      if (unknown.length > 0)
        return attention(
          `The database is newer than this version, which goes on: it has ${namesOf(unknown)}.`,
        );
      if (pending.length > 0)
        return attention(`To be applied, while all goes on: ${namesOf(pending)}.`, 'malipo migrate up');
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
          `Processes of another version run: ${toldRunning(others)}. This one is at ${newestMigration}.`,
        );
      return ok(
        running.length > 0 ? `Running: ${toldRunning(running)}.` : 'No process has said that it runs.',
      );
    },
  },
];

function namesOf(migrations: { name: string }[]): string {
  return migrations.map(({ name }) => name).join(', ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Whether what is committed outlives the database's disk; see docs/restore.md.

/** One each night, and two hours for it. */
const backupAgeMaxMs = 26 * 3_600_000;

export const backupCheckups: Checkup[] = [
  { name: 'binary log', examine: examineBinaryLog },
  { name: 'backup', examine: examineBackup },
];

async function examineBinaryLog({ config, db }: Patient): Promise<Diagnosis> {
  const [[row]] = (await db.raw('SELECT @@log_bin AS is_on')) as unknown as [[{ is_on: number | string }]];
  if (Number(row.is_on) === 1) return ok('What was committed after a backup is in the binary log.');
  if (config.environment !== 'live') return ok('No binary log is written, which a sandbox does not need.');
  return attention(
    'No binary log is written: with the disk, all that came after the last backup is lost, unless the storage below keeps it.',
  );
}

async function examineBackup({ config, backupStamp }: Patient): Promise<Diagnosis> {
  if (backupStamp === undefined) {
    return config.environment === 'live'
      ? attention(
          'Nobody says when the last backup was: have each one write a file, and name it in MALIPO_BACKUP_STAMP.',
        )
      : ok('A sandbox needs no backup.');
  }
  const at = await momentOf(backupStamp).catch(() => undefined);
  if (at === undefined) return attention('The file that MALIPO_BACKUP_STAMP names cannot be read.');
  const ageMs = Date.now() - at.getTime();
  const sentence = `The last backup was ${ageText(ageMs)} ago.`;
  return ageMs > backupAgeMaxMs
    ? attention(`${sentence} One is due each night: see why none succeeds.`)
    : ok(sentence);
}

/** The moment that is written in it, or when it was written. */
async function momentOf(file: string): Promise<Date> {
  const text = (await readFile(file, 'utf8')).trim();
  const told = /^\d{4}-\d{2}-\d{2}T/.test(text) ? new Date(text) : undefined;
  return told && !Number.isNaN(told.getTime()) ? told : (await stat(file)).mtime;
}

/** What whoever takes one of our processes over could do to the database. */
export const accountCheckups: Checkup[] = [
  {
    name: 'database account',
    async examine({ db }) {
      const [[row]] = (await db.raw('SELECT DATABASE() AS name')) as unknown as [[{ name: string }]];
      const held = await grantsOf(db, row.name);
      const { missing, excess, beyond } = differenceOf(held);
      const powers = [...excess, ...beyond];
      // Who may do everything lacks nothing; each grant of its own is not looked for.
      const isBroad = powers.some(
        ({ kind, privileges }) => kind !== 'TABLE' && privileges.includes('ALL PRIVILEGES'),
      );
      if (missing.length > 0 && !isBroad) {
        return fault(`The account lacks ${tell(missing)}; run the migration, which grants it.`);
      }
      if (powers.length === 0) return ok('The account can do what the service needs, and no more.');
      return attention(
        `The account can do more than the service needs: ${tell(powers)}. Give the migration an account of its own (MALIPO_MIGRATE_DATABASE_URL).`,
      );
    },
  },
];

const placeOf = { TABLE: '', PROCEDURE: 'procedure ', SCHEMA: 'the whole schema', OTHER: '' } as const;

function tell(grants: readonly Grant[]): string {
  return grants
    .map(({ kind, on, privileges }) => `${privileges.join(', ')} on ${placeOf[kind]}${on}`)
    .join('; ');
}
