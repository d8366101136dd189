import type { Command } from 'commander';
import { ConfigError } from '../config';
import { ActionError, InputError } from '../operator-actions/errors';
import { readSecretFiles } from '../secret-files';
import { openDatabase, type Database } from '../store/database';
import type { Applied, Held } from '../store/migrating/apply-migrations';
import { readProgress, type Progress } from '../store/migrating/journal';
import { NotMigrated } from '../store/migrating/not-migrated';
import { misfitOf, migrationStateOf, type MigrationState } from '../store/migrating/migration-state';
import { migrations } from '../store/migrations';
import { prepareSchema, type SchemaAccounts } from '../store/prepare-schema';
import {
  findRunningProcesses,
  runningText,
  withoutKnowledgeOf,
  type RunningProcesses,
} from '../store/processes';
import { inTransaction } from '../store/transaction';
import { recordAction } from '../users/audit-log';
import { hasRight, noOperator, recordDenial } from '../users/operators';
import { authenticateActor, complain, printReport, whoActs, type Report } from './report';
import type { Io } from './session';
import { settingsOf } from './settings';
import { table } from './table';

/** Opens no session, because it must work before there is a schema. */
export function migrateCommands(program: Command, io: Io, exit: (code: number) => void): void {
  const migrate = program
    .command('migrate')
    .description('show and apply the migrations of the database schema');
  const run = (command: Command, history: (deployment: Deployment) => Promise<Report>) =>
    command.action(async () => {
      const wantsJson = command.opts<{ json?: true }>().json === true;
      try {
        const report = await history(await deploymentOf(io));
        printReport(io, wantsJson, report);
        exit(report.ok === false ? 1 : 0);
      } catch (error) {
        exit(complain(io, wantsJson, actionErrorOf(error)));
      }
    });
  run(
    migrate
      .command('status')
      .description(
        'list the applied and pending migrations, the processes that a pending one would break, and the running processes',
      ),
    ({ accounts }) => withDatabase(accounts.serviceUrl, status),
  );
  const up = migrate
    .command('up')
    .description('apply pending migrations, with the account that owns the schema')
    .option('--to <migration>', 'only up to this migration (a name or a number)')
    .option('--expand-only', 'only up to the first migration that does more than add')
    .option('--force', 'also remove what running processes still need')
    .option('--reason <reason>', 'with --force: the reason, for the audit log')
    .option('--as <name>', whoActs);
  run(up, (deployment) => applyPending(deployment, up, io));
}

interface Deployment {
  accounts: SchemaAccounts;
}

/** A migration job needs the database URL, and no other setting. */
async function deploymentOf(io: Io): Promise<Deployment> {
  const own = readSecretFiles(io.env);
  const env = own.DATABASE_URL === undefined ? readSecretFiles(await settingsOf(io.env, io.folder)) : own;
  const serviceUrl = env.DATABASE_URL ?? '';
  if (serviceUrl === '') throw new ConfigError('DATABASE_URL is not set');
  const given = env['MALIPO_MIGRATE_DATABASE_URL'] ?? '';
  return {
    accounts: { serviceUrl, migrateUrl: given === '' ? serviceUrl : given },
  };
}

async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(url, { poolMax: 1 });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** MySQL's error numbers for a missing privilege: on the schema, table, server or routine. */
const denied = new Set([1044, 1142, 1227, 1370]);

function actionErrorOf(error: unknown): unknown {
  if (error instanceof NotMigrated) return new ActionError(`${capital(error.message)}.`);
  if (!denied.has((error as { errno?: number }).errno ?? 0)) return error;
  return new ActionError(
    'This account cannot change the schema: MALIPO_MIGRATE_DATABASE_URL names the account that owns it (docs/production.md).',
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The table of progress is missing or not granted until a version that writes it has migrated. */
const notYet = new Set([1146, 1044, 1142]);

async function underWayIn(db: Database): Promise<Map<string, Progress>> {
  try {
    return await readProgress(db);
  } catch (error) {
    if (!notYet.has((error as { errno?: number }).errno ?? 0)) throw error;
    return new Map();
  }
}

async function status(db: Database): Promise<Report> {
  const standing = await migrationStateOf(db);
  const running = await findRunningProcesses(db);
  const underWay = await underWayIn(db);
  const misfit = misfitOf(standing);
  const pending = standing.pending.map(({ name, kind }) => ({
    name,
    kind,
    /** How many steps of it were started. */
    steps_begun: underWay.get(name)?.step ?? 0,
    breaks: brokenBy(name, running),
  }));
  const json = {
    fits: misfit === undefined,
    reason: misfit ?? null,
    applied: standing.applied,
    pending,
    unknown: standing.unknown,
    running,
  };
  return { json, ok: misfit === undefined, text: textOf(standing, pending, running, misfit) };
}

/** The running processes that the migration would break. */
function brokenBy(name: string, running: RunningProcesses[]): RunningProcesses[] {
  const migration = migrations[name];
  return migration?.kind === 'contract' ? withoutKnowledgeOf(migration.needs, running, migrations) : [];
}

function textOf(
  { applied, unknown }: MigrationState,
  pending: { name: string; kind: string; steps_begun: number; breaks: RunningProcesses[] }[],
  running: RunningProcesses[],
  misfit: string | undefined,
): string {
  const rows = [
    ...unknown.map(({ name, kind }) => [name, kind ?? 'unknown', 'applied by a newer version']),
    ...pending.map(({ name, kind, steps_begun: steps, breaks }) => {
      const half = steps > 0 ? `, ${String(steps)} steps started` : '';
      return [name, kind, `pending${half}${breaks.length > 0 ? `; ${runningText(breaks)} need it` : ''}`];
    }),
  ];
  return [
    `${String(applied.length)} migrations are applied${applied.length > 0 ? `, the last is ${applied.at(-1) ?? ''}` : ''}.`,
    rows.length > 0 ? table(['migration', 'kind', ''], rows) : 'Nothing is pending.',
    `Running: ${running.length > 0 ? runningText(running) : 'no process'}.`,
    misfit === undefined
      ? 'This version can work with the database.'
      : `This version cannot work with the database: ${misfit}.`,
  ].join('\n');
}

interface Given {
  to?: string;
  expandOnly?: true;
  force?: true;
  reason?: string;
}

async function applyPending({ accounts }: Deployment, command: Command, io: Io): Promise<Report> {
  const { to, expandOnly, force, reason } = command.opts<Given>();
  if (force && reason === undefined) throw new InputError('--force needs a --reason.');
  const choice = { ...(to !== undefined && { to }), ...(expandOnly && { expandOnly }) };
  const applied: string[] = [];
  for (;;) {
    const { applied: now, held } = await prepareSchema(accounts, choice);
    applied.push(...now);
    if (!held || !force) return reportOf({ applied, ...(held && { held }) });
    await withDatabase(accounts.migrateUrl, (db) => recordForce({ db, held, given: command.opts(), io }));
    // Only this one: each forced migration has its own line in the audit log.
    applied.push(...(await prepareSchema(accounts, { to: held.name, force })).applied);
  }
}

interface Force {
  db: Database;
  held: Held;
  given: Given & { as?: string; json?: true };
  io: Io;
}

/** Written before the change, because the servers change a schema without a transaction. */
async function recordForce({ db, held, given, io }: Force): Promise<void> {
  const { as: named, json: _, ...options } = given;
  const action = 'migrate.up';
  const { operator } = await authenticateActor(db, io, { named, action });
  if (operator && !hasRight(operator, 'act')) {
    await recordDenial(db, { name: operator.name, action, reason: `is ${operator.role}` });
    throw new ActionError(`${operator.name} has the role ${operator.role}, which does not allow this.`);
  }
  await inTransaction(db, (trx) =>
    recordAction(trx, {
      by: operator?.name ?? noOperator,
      action,
      subject: { kind: 'migration', id: held.name },
      details: { given: { ...options }, running: runningText(held.running) },
    }),
  );
}

function reportOf({ applied, held }: Applied): Report {
  const done = applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'Nothing was applied.';
  if (!held)
    return { json: { applied, held: null }, text: applied.length > 0 ? done : 'Nothing is pending.' };
  return {
    json: { applied, held },
    ok: false,
    text: [
      done,
      `${held.name} removes what ${runningText(held.running)} need: stop or upgrade them, and wait a minute.`,
    ].join('\n'),
  };
}
