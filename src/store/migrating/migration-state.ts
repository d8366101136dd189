/** Compares the migrations of a database with those of this code. */
import type { Database } from '../database';
import { migrations as ours } from '../migrations';
import type { MigrationKind, Migrations, Statements } from '../migrations/migration';

export interface PendingMigration {
  name: string;
  kind: MigrationKind;
}

/** Applied by a newer version: this code knows only what the newer version has stored about it. */
export interface UnknownMigration {
  name: string;
  kind: string | null;
  /** Of a contracting migration: the migration that code must know to keep working. */
  needs: string | null;
}

export interface MigrationState {
  applied: string[];
  pending: PendingMigration[];
  unknown: UnknownMigration[];
}

/** No such table; or, before the first migration, no table that the service's account may see. */
const notYet = new Set([1146, 1044, 1142]);

/** Only reads: the caller may have no right to write. */
export async function migrationStateOf(
  db: Database | Statements,
  migrations: Migrations = ours,
): Promise<MigrationState> {
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
  /** Missing in a table that an earlier version created. */
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
 * Why this database must not be changed: it has migrations, but not our first one, so the meaning of its rows is
 * unknown. Undefined for any other database.
 */
export function foreignTo(
  { applied }: Pick<MigrationState, 'applied'>,
  migrations: Migrations = ours,
): string | undefined {
  const [first] = Object.keys(migrations);
  if (applied.length === 0 || first === undefined || applied.includes(first)) return undefined;
  return (
    `this database has migrations (${listed(applied)}), but not ${first}, the first of this version: an unreleased version ` +
    'created it, or its list of migrations is damaged; name another database, or in the sandbox run ' +
    'npm start -- --fresh'
  );
}

/**
 * Why this code cannot use this database, or undefined if it can: it needs what pending migrations add, or an unknown
 * one has removed what it needs.
 */
export function misfitOf(standing: MigrationState, migrations: Migrations = ours): string | undefined {
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
  return `the database is newer than this version, and ${listed(taken.map(({ name }) => name))} removed what it needs; run a newer version`;
}

/** A database that is far behind would fill the screen. */
function listed(names: string[]): string {
  if (names.length <= 3) return names.join(', ');
  return `${names.slice(0, 2).join(', ')} and ${String(names.length - 2)} more`;
}
