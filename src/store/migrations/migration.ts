/** The kinds of migration, and what each means for running code (docs/migrations.md). */

/** Where statements run: a connection, or the steps of a migration. */
export interface Statements {
  raw(sql: string, bindings?: readonly (string | number | null)[]): PromiseLike<unknown>;
}

/** Rows that are rewritten in small batches, so that no other transaction waits long for one of them. */
export interface Rewriting {
  table: string;
  /** The table's primary key, of one column. */
  key: string;
  /** The text after SET. */
  set: string;
  /** The text after WHERE; all rows without it. */
  where?: string;
  /** The number of rows in one transaction. */
  batch?: number;
}

/**
 * The interface that a migration uses. Each statement is a step that runs once: after a kill in the middle, the next
 * run continues there. A statement that only reads may run again.
 */
export interface SchemaChange extends Statements {
  rewrite(rows: Rewriting): Promise<void>;
}

interface Declared {
  up(schema: SchemaChange): Promise<void>;
  down(schema: Statements): Promise<void>;
}

/**
 * - `expand` adds. Code that does not know it works beside it; code that knows it needs it.
 * - `migrate` rewrites rows. All code works before, during and after it.
 * - `contract` removes what only old code needs: no process may run that does not know the migration `needs`. Code that
 *   knows it works before and after.
 */
export type Migration = Declared &
  ({ kind: 'expand' } | { kind: 'migrate' } | { kind: 'contract'; needs: string });

export type MigrationKind = Migration['kind'];

/** In their order. */
export type Migrations = Readonly<Record<string, Migration>>;
