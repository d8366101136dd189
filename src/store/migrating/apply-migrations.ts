import type { Database } from '../database';
import { migrations as ours } from '../migrations';
import type { Migration, Migrations, Statements } from '../migrations/migration';
import { runningProcesses, withoutKnowledgeOf, type RunningProcesses } from '../processes';
import { ensureJournal, forgetProgress, noteApplied, readProgress } from './journal';
import { NotMigrated } from './not-migrated';
import { patiently, waitShortly, type Patience } from './patience';
import { foreignTo, standingOf } from './standing';
import { stepwise } from './stepwise';

export interface ApplyOptions extends Choice {
  /** Those of this code, in their order, unless told. */
  migrations?: Migrations;
  /** Takes away also what processes that run still need. */
  force?: boolean;
  /** For how long, in seconds, another migrator is waited for. */
  lockSeconds?: number;
  /** For how long, in seconds, a step waits for those who use its table. */
  patienceSeconds?: number;
  /** Before the first change, with the lock, and again before a change of the schema that was refused is tried again. */
  prepare?: (session: Statements) => Promise<void>;
  /** After the last one, with the lock; told whether a newer version has applied what this code does not know. */
  finish?: (isNewer: boolean) => Promise<void>;
}

/** What was not applied, and nothing after it, because processes run that need what it takes away. */
export interface Held {
  name: string;
  /** What they would have to know. */
  needs: string;
  running: RunningProcesses[];
}

export interface Applied {
  applied: string[];
  held?: Held;
}

/**
 * Applies what is pending, one after the other. What an earlier run has left half done goes on where it was: see
 * {@link stepwise}.
 * @throws NotMigrated where something is in the way.
 */
export function applyMigrations(db: Database, options: ApplyOptions = {}): Promise<Applied> {
  const { migrations = ours, lockSeconds = 600, patienceSeconds = 30, prepare, finish } = options;
  return onOneConnection(db, (session) =>
    alone(session, lockSeconds, async () => {
      const standing = await standingOf(session, migrations);
      const foreign = foreignTo(standing, migrations);
      if (foreign !== undefined) throw new NotMigrated(`${foreign}; nothing was changed`);
      await waitShortly(session);
      await patiently(() => ensureJournal(session), { name: 'the list of migrations', patienceSeconds });
      // Nobody else changes the list while we have the lock.
      const names = new Set(standing.applied);
      const pending = Object.entries(migrations).filter(([name]) => !names.has(name));
      const chosen = chosenOf(pending, options, migrations);
      const again =
        prepare &&
        (async () => {
          await prepare(session);
          // It waits in a way of its own.
          await waitShortly(session);
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

type Applying = Omit<Patience, 'name'> & Pick<ApplyOptions, 'force'> & { migrations: Migrations };

async function applyEach(
  session: Statements,
  chosen: [string, Migration][],
  before: Set<string>,
  { migrations, force = false, patienceSeconds, again }: Applying,
): Promise<Applied> {
  const progress = await readProgress(session);
  // Of one that was killed as soon as it was done.
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

/** Asked last before it is applied: who starts from now on sees it applied, and does not begin. */
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

// One migrator at a time.

/** Idle for longer, a connection is closed: that of a machine which went away would keep its lock for hours. */
const idleSecondsMax = 300;

/** Of this schema: the name counts for the whole server, and may not be longer than 64 characters. */
const lockName = "CONCAT('malipo-migrate-', LEFT(SHA2(DATABASE(), 256), 32))";

/**
 * Does the work while nobody else does. The lock is the connection's: whoever is killed lets go of it once the server has
 * ended the statement that was under way, and not before.
 * @throws NotMigrated when another one is still at it after so long.
 */
async function alone<T>(session: Statements, waitSeconds: number, work: () => Promise<T>): Promise<T> {
  await session.raw('SET SESSION wait_timeout = ?', [idleSecondsMax]);
  const [[{ got }]] = (await session.raw(`SELECT GET_LOCK(${lockName}, ?) AS got`, [waitSeconds])) as [
    [{ got: number | string | null }],
  ];
  if (Number(got) !== 1) {
    throw new NotMigrated(
      `another process migrates this database, and was not done in ${String(waitSeconds)} s; ` +
        'nothing was changed here: run malipo migrate status to see how far it is',
    );
  }
  try {
    return await work();
  } finally {
    // Where the connection is lost, so is the lock.
    await Promise.resolve(session.raw(`SELECT RELEASE_LOCK(${lockName})`)).catch(() => undefined);
  }
}

// Which of the pending migrations are applied now.

interface Choice {
  /** The last one to apply, by its name or its number. */
  to?: string;
  /** Only what adds: nothing that comes after the first one that does more. */
  expandOnly?: boolean;
}

/** @throws NotMigrated where `to` names none, or more than one. */
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
  if (other !== undefined) throw new NotMigrated(`${to} may be any of ${found.join(', ')}`);
  return one;
}

interface Pool {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
}

/**
 * All statements on one connection. A lock of the server's belongs to a connection: where that is lost, what comes after
 * fails, and is not done on another one without the lock.
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
