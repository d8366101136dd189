/** How a database and this code stand to each other. */
import type { Database } from '../database';
import { migrations as ours } from '../migrations';
import type { MigrationKind, Migrations, Statements } from '../migrations/migration';

export interface PendingMigration {
  name: string;
  kind: MigrationKind;
}

/** Applied by a newer version: this code knows nothing of it but what the newer one has written down. */
export interface UnknownMigration {
  name: string;
  kind: string | null;
  /** Of one that takes away: the migration that code has to know to go on. */
  needs: string | null;
}

export interface Standing {
  applied: string[];
  pending: PendingMigration[];
  unknown: UnknownMigration[];
}

/** No such table; or, as long as nothing was ever migrated, none that the account of the service may see. */
const notYet = new Set([1146, 1044, 1142]);

/** Reads, and makes nothing: who asks may only read. */
export async function standingOf(
  db: Database | Statements,
  migrations: Migrations = ours,
): Promise<Standing> {
  const rows = await appliedRows(db);
  const names = new Set(rows.map(({ name }) => name));
  return {
    applied: rows.map(({ name }) => name),
    pending: Object.entries(migrations)
      .filter(([name]) => !names.has(name))
      .map(([name, { kind }]) => ({ name, kind })),
    unknown: rows
      .filter(({ name }) => !(name in migrations))
      .map(({ name, kind = null, needs = null }) => ({ name, kind, needs })),
  };
}

interface AppliedRow {
  name: string;
  /** Not there in a table that an earlier version has made. */
  kind?: string | null;
  needs?: string | null;
}

async function appliedRows(db: Database | Statements): Promise<AppliedRow[]> {
  try {
    const [rows] = (await db.raw('SELECT * FROM knex_migrations ORDER BY id')) as [AppliedRow[]];
    return rows;
  } catch (error) {
    if (!notYet.has((error as { errno?: number }).errno ?? 0)) throw error;
    return [];
  }
}

/**
 * Why nobody may touch this database: it has migrations, but not the first one of ours, so that nobody knows what its
 * rows mean. Undefined where it is no such database.
 */
export function foreignTo(
  { applied }: Pick<Standing, 'applied'>,
  migrations: Migrations = ours,
): string | undefined {
  const [first] = Object.keys(migrations);
  if (applied.length === 0 || first === undefined || applied.includes(first)) return undefined;
  return (
    `this database has migrations (${listed(applied)}), but not ${first}, the first of this version: a version that was ` +
    'never released made it, or its list of migrations is damaged; name another database, or in the sandbox run ' +
    'npm start -- --fresh'
  );
}

/**
 * Why this code cannot work with this database, or undefined where it can: it needs what the pending ones would add, and
 * what an unknown one has taken away.
 */
export function misfitOf(standing: Standing, migrations: Migrations = ours): string | undefined {
  const foreign = foreignTo(standing, migrations);
  if (foreign !== undefined) return foreign;
  const { pending, unknown } = standing;
  const missing = pending.filter(({ kind }) => kind === 'expand').map(({ name }) => name);
  if (missing.length > 0) {
    return `the database is older than this version: ${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} not applied; run malipo migrate up`;
  }
  const taken = unknown.filter(({ kind, needs }) => {
    if (kind === 'expand' || kind === 'migrate') return false;
    return needs === null || !(needs in migrations);
  });
  if (taken.length === 0) return undefined;
  return `the database is newer than this version, and ${listed(taken.map(({ name }) => name))} took away what it needs; run a newer version`;
}

/** A database that is far behind would fill the page. */
function listed(names: string[]): string {
  if (names.length <= 3) return names.join(', ');
  return `${names.slice(0, 2).join(', ')} and ${String(names.length - 2)} more`;
}
