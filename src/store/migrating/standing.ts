/** How a database and this code stand to each other. */
import type { Database } from '../database';
import { migrations as ours } from '../migrations';
import type { MigrationKind, Migrations } from '../migrations/migration';

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
export async function standingOf(db: Database, migrations: Migrations = ours): Promise<Standing> {
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
  /** Not there in a table that code of before has made. */
  kind?: string | null;
  needs?: string | null;
}

async function appliedRows(db: Database): Promise<AppliedRow[]> {
  try {
    const [rows] = (await db.raw('SELECT * FROM knex_migrations ORDER BY id')) as [AppliedRow[]];
    return rows;
  } catch (error) {
    if (!notYet.has((error as { errno?: number }).errno ?? 0)) throw error;
    return [];
  }
}

/**
 * Why this code cannot work with this database, or undefined where it can: it needs what the pending ones would add, and
 * what an unknown one has taken away.
 */
export function misfitOf({ pending, unknown }: Standing, migrations: Migrations = ours): string | undefined {
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
