import type { Database } from '../database';
import { migrations as ours } from '../migrations';
import type { Migration, Migrations, Statements } from '../migrations/migration';
import { runningProcesses, withoutKnowledgeOf, type RunningProcesses } from '../processes';
import { ensureJournal, forgetProgress, noteApplied, readProgress } from './journal';
import { NotMigrated } from './not-migrated';
import { withLockRetries, limitLockWaits, type LockWait } from './lock-wait';
import { foreignTo, migrationStateOf } from './migration-state';
import { stepwise } from './stepwise';

export interface ApplyOptions extends Choice {
  /** By default the migrations of this code, in their order. */
  migrations?: Migrations;
  /** Also removes what running processes still need. */
  force?: boolean;
  /** How many seconds to wait for another migrator. */
  lockSeconds?: number;
  /** How many seconds a step waits for users of its table. */
  patienceSeconds?: number;
  /** Called with the lock before the first change, and again before a rejected schema change is retried. */
  prepare?: (session: Statements) => Promise<void>;
  /**
   * Called with the lock after the last change. `isNewer` says whether a newer version has applied unknown migrations.
   */
  finish?: (isNewer: boolean) => Promise<void>;
}

/** A migration that was not applied, like all after it, because running processes need what it removes. */
export interface Held {
  name: string;
  /** The migration that these processes would have to know. */
  needs: string;
  running: RunningProcesses[];
}

export interface Applied {
  applied: string[];
  held?: Held;
}

/**
 * Applies the pending migrations in order. A migration that was interrupted continues where it stopped: see {@link
 * stepwise}.
 * @throws NotMigrated if something prevents it.
 */
export function applyMigrations(db: Database, options: ApplyOptions = {}): Promise<Applied> {
  const { migrations = ours, lockSeconds = 600, patienceSeconds = 30, prepare, finish } = options;
  return onOneConnection(db, (session) =>
    alone(session, lockSeconds, async () => {
      const standing = await migrationStateOf(session, migrations);
      const foreign = foreignTo(standing, migrations);
      if (foreign !== undefined) throw new NotMigrated(`${foreign}; nothing was changed`);
      if (standing.applied.length === 0) await expectOurOwn(session);
      await limitLockWaits(session);
      await withLockRetries(() => ensureJournal(session), {
        name: 'the list of migrations',
        patienceSeconds,
      });
      // No other process changes the list while we hold the lock.
      const names = new Set(standing.applied);
      const pending = Object.entries(migrations).filter(([name]) => !names.has(name));
      const chosen = chosenOf(pending, options, migrations);
      const again =
        prepare &&
        (async () => {
          await prepare(session);
          // It has its own way of waiting.
          await limitLockWaits(session);
        });
      if (chosen.length > 0) await again?.();
      const result = await applyEach(session, chosen, names, {
        ...options,
        migrations,
        patienceSeconds,
        ...(again && { again }),
      });
      await finish?.(standing.unknown.length > 0);
      return result;
    }),
  );
}

/**
 * A database without migrations is empty, or was left by a migrator that died in the first one.
 * @throws NotMigrated for tables of another program: an address of a shop's own database is easily taken for ours.
 */
async function expectOurOwn(session: Statements): Promise<void> {
  const [rows] = (await session.raw(
    'SELECT DATABASE() AS name, TABLE_NAME AS found FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY 2',
  )) as [{ name: string; found: string }[]];
  const [first, ...others] = rows;
  if (first === undefined || rows.some(({ found }) => found === 'knex_migrations')) return;
  const more = others.length === 0 ? '' : ` and ${String(others.length)} more`;
  throw new NotMigrated(
    `the database ${first.name} has tables of another program (${first.found}${more}); nothing was changed: ` +
      'name an empty database',
  );
}

type Applying = Omit<LockWait, 'name'> & Pick<ApplyOptions, 'force'> & { migrations: Migrations };

async function applyEach(
  session: Statements,
  chosen: [string, Migration][],
  before: Set<string>,
  { migrations, force = false, patienceSeconds, again }: Applying,
): Promise<Applied> {
  const progress = await readProgress(session);
  // Left by a migrator that was killed just after its last step.
  for (const name of progress.keys()) if (before.has(name)) await forgetProgress(session, name);
  const patience = { patienceSeconds, ...(again && { again }) };
  const applied: string[] = [];
  for (const [name, migration] of chosen) {
    const held = force ? undefined : await heldBy(session, name, migration, migrations);
    if (held) return { applied, held };
    const reached = progress.get(name);
    await migration.up(stepwise(session, name, { ...patience, ...(reached && { before: reached }) }));
    await noteApplied(session, name, migration);
    applied.push(name);
  }
  return { applied };
}

/** Checked directly before it is applied: a process that starts later sees it as applied, and stops. */
async function heldBy(
  session: Statements,
  name: string,
  migration: Migration,
  migrations: Migrations,
): Promise<Held | undefined> {
  if (migration.kind !== 'contract') return undefined;
  const { needs } = migration;
  const running = withoutKnowledgeOf(needs, await runningProcesses(session), migrations);
  return running.length === 0 ? undefined : { name, needs, running };
}

// Only one migrator at a time.

/** Idle connections are closed after this time. Otherwise a machine that vanished would keep its lock for hours. */
const idleSecondsMax = 300;

/** The lock name includes this schema, because it is unique per server, and has at most 64 characters. */
const lockName = "CONCAT('malipo-migrate-', LEFT(SHA2(DATABASE(), 256), 32))";

/**
 * Runs the work under the lock. The lock belongs to the connection: after a kill, the server releases it when the
 * statement in progress has ended, not earlier.
 * @throws NotMigrated if another migrator still holds it after this time.
 */
async function alone<T>(session: Statements, waitSeconds: number, work: () => Promise<T>): Promise<T> {
  await session.raw('SET SESSION wait_timeout = ?', [idleSecondsMax]);
  const [[{ got }]] = (await session.raw(`SELECT GET_LOCK(${lockName}, ?) AS got`, [waitSeconds])) as [
    [{ got: number | string | null }],
  ];
  if (Number(got) !== 1) {
    throw new NotMigrated(
      `another process is migrating this database, and did not finish within ${String(waitSeconds)} s; ` +
        'nothing was changed here: run malipo migrate status to see its progress',
    );
  }
  try {
    return await work();
  } finally {
    // A lost connection has lost its lock too.
    await Promise.resolve(session.raw(`SELECT RELEASE_LOCK(${lockName})`)).catch(() => undefined);
  }
}

// Which pending migrations are applied now.

interface Choice {
  /** The last one to apply, by name or number. */
  to?: string;
  /** Only `expand` migrations: nothing from the first one of another kind on. */
  expandOnly?: boolean;
}

/** @throws NotMigrated if `to` matches no migration, or more than one. */
function chosenOf(
  pending: [string, Migration][],
  { to, expandOnly = false }: Choice,
  migrations: Migrations,
): [string, Migration][] {
  const last = to === undefined ? undefined : named(to, Object.keys(migrations));
  const names = Object.keys(migrations);
  const wanted = pending.filter(([name]) => last === undefined || names.indexOf(name) <= names.indexOf(last));
  const more = expandOnly ? wanted.findIndex(([, { kind }]) => kind !== 'expand') : -1;
  return more === -1 ? wanted : wanted.slice(0, more);
}

function named(to: string, names: string[]): string {
  const found = names.filter((name) => name === to || name.slice(0, 3) === to);
  const [one, other] = found;
  if (one === undefined) throw new NotMigrated(`this version has no migration ${to}`);
  if (other !== undefined) throw new NotMigrated(`${to} matches ${found.join(', ')}`);
  return one;
}

interface Pool {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
}

/**
 * Runs all statements on one connection, because a server's lock belongs to it. If the connection is lost, later
 * statements fail. They do not continue on another connection without the lock.
 */
async function onOneConnection<T>(db: Database, work: (session: Statements) => Promise<T>): Promise<T> {
  const pool = db.client as Pool;
  const connection = await pool.acquireConnection();
  try {
    return await work({
      raw: (sql, bindings) => (bindings ? db.raw(sql, bindings) : db.raw(sql)).connection(connection),
    });
  } finally {
    await pool.releaseConnection(connection);
  }
}
