import type { Command } from 'commander';
import { ConfigError } from '../config';
import { ActionError, InputError } from '../operator-actions/errors';
import { readSecretFiles } from '../secret-files';
import { openDatabase, type Database } from '../store/database';
import type { Applied, Held } from '../store/migrating/apply-migrations';
import { readProgress, type Progress } from '../store/migrating/journal';
import { NotMigrated } from '../store/migrating/not-migrated';
import { misfitOf, standingOf, type Standing } from '../store/migrating/standing';
import { migrations } from '../store/migrations';
import { prepareSchema, type SchemaAccounts } from '../store/prepare-schema';
import {
  findRunningProcesses,
  toldRunning,
  withoutKnowledgeOf,
  type RunningProcesses,
} from '../store/processes';
import { inTransaction } from '../store/transaction';
import { recordAction } from '../users/audit-log';
import { may, nobody, recordRefusal } from '../users/operators';
import { proveActor, complain, tell, whoActs, type Report } from './report';
import type { Io } from './session';
import { settingsOf } from './settings';
import { table } from './table';

/** Opens no session: it works where nothing else does, before there is a schema. */
export function migrateCommands(program: Command, io: Io, exit: (code: number) => void): void {
  const migrate = program
    .command('migrate')
    .description('how the database and this version stand to each other, and what brings it forward');
  const run = (command: Command, story: (deployment: Deployment) => Promise<Report>) =>
    command.action(async () => {
      const wantsJson = command.opts<{ json?: true }>().json === true;
      try {
        const report = await story(await deploymentOf(io));
        tell(io, wantsJson, report);
        exit(report.ok === false ? 1 : 0);
      } catch (error) {
        exit(complain(io, wantsJson, refusalOf(error)));
      }
    });
  run(
    migrate
      .command('status')
      .description('what is applied, what is pending and what it would break, and which processes run'),
    ({ accounts }) => withDatabase(accounts.serviceUrl, status),
  );
  const up = migrate
    .command('up')
    .description('apply what is pending, with the account that owns the schema')
    .option('--to <migration>', 'only up to this one, by its name or number')
    .option('--expand-only', 'only up to the first that does more than add')
    .option('--force', 'take away also what processes that run still need')
    .option('--reason <reason>', 'with --force: why, for the audit log')
    .option('--as <name>', whoActs);
  run(up, (deployment) => applyPending(deployment, up, io));
}

interface Deployment {
  accounts: SchemaAccounts;
}

/** The job that migrates a deployment is given its database, and no other setting. */
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

/** The account may not: by schema, table, server or routine. */
const denied = new Set([1044, 1142, 1227, 1370]);

function refusalOf(error: unknown): unknown {
  if (error instanceof NotMigrated) return new ActionError(`${capital(error.message)}.`);
  if (!denied.has((error as { errno?: number }).errno ?? 0)) return error;
  return new ActionError(
    'This account may not change the schema: MALIPO_MIGRATE_DATABASE_URL names the one that owns it (docs/production.md).',
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Not there, or not granted to who asks, as long as nothing was migrated by a version that notes it. */
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
  const standing = await standingOf(db);
  const running = await findRunningProcesses(db);
  const underWay = await underWayIn(db);
  const misfit = misfitOf(standing);
  const pending = standing.pending.map(({ name, kind }) => ({
    name,
    kind,
    /** How many steps were begun, where it was. */
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

/** What runs now that could not go on. */
function brokenBy(name: string, running: RunningProcesses[]): RunningProcesses[] {
  const migration = migrations[name];
  return migration?.kind === 'contract' ? withoutKnowledgeOf(migration.needs, running, migrations) : [];
}

function textOf(
  { applied, unknown }: Standing,
  pending: { name: string; kind: string; steps_begun: number; breaks: RunningProcesses[] }[],
  running: RunningProcesses[],
  misfit: string | undefined,
): string {
  const rows = [
    ...unknown.map(({ name, kind }) => [name, kind ?? 'unknown', 'applied by a newer version']),
    ...pending.map(({ name, kind, steps_begun: steps, breaks }) => {
      const half = steps > 0 ? `, begun: ${String(steps)} steps` : '';
      return [name, kind, `pending${half}${breaks.length > 0 ? `; ${toldRunning(breaks)} need it` : ''}`];
    }),
  ];
  return [
    `${String(applied.length)} migrations are applied${applied.length > 0 ? `, the last is ${applied.at(-1) ?? ''}` : ''}.`,
    rows.length > 0 ? table(['migration', 'kind', ''], rows) : 'Nothing is pending.',
    `Running: ${running.length > 0 ? toldRunning(running) : 'nobody'}.`,
    misfit === undefined
      ? 'This version can work with the database.'
      : `This version cannot work: ${misfit}.`,
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
    // This one alone: another one has its own line in the log.
    applied.push(...(await prepareSchema(accounts, { to: held.name, force })).applied);
  }
}

interface Force {
  db: Database;
  held: Held;
  given: Given & { as?: string; json?: true };
  io: Io;
}

/** Written before it is done: the servers change a schema in no transaction. */
async function recordForce({ db, held, given, io }: Force): Promise<void> {
  const { as: named, json: _, ...options } = given;
  const action = 'migrate.up';
  const { operator } = await proveActor(db, io, { named, action });
  if (operator && !may(operator, 'act')) {
    await recordRefusal(db, { name: operator.name, action, reason: `is ${operator.role}` });
    throw new ActionError(`${operator.name} has the role ${operator.role}, which does not do this.`);
  }
  await inTransaction(db, (trx) =>
    recordAction(trx, {
      by: operator?.name ?? nobody,
      action,
      subject: { kind: 'migration', id: held.name },
      details: { given: { ...options }, running: toldRunning(held.running) },
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
      `${held.name} takes away what ${toldRunning(held.running)} need: end or upgrade them, and wait a minute.`,
    ].join('\n'),
  };
}
