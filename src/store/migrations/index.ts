import type { Migrations } from './migration';
import * as baseline from './001-baseline';

/**
 * The migrations in their order. A static list, so that names recorded in the database never depend on whether the code
 * runs as `.ts` or `.js`. A new one comes last, with the next number.
 */
export const migrations: Migrations = {
  '001-baseline': baseline,
};

/** The newest migration that a process with this code knows. */
export const newestMigration = Object.keys(migrations).at(-1) ?? '';
