/** What a migration is, and what each has to say about the code that runs beside it (docs/migrations.md). */

/** Where statements run: a connection, or the steps of a migration. */
export interface Statements {
  raw(sql: string, bindings?: readonly (string | number | null)[]): PromiseLike<unknown>;
}

/** Rows that are rewritten a few at a time, so that nobody waits for long for one of them. */
export interface Rewriting {
  table: string;
  /** The table's primary key, of one column. */
  key: string;
  /** As after SET. */
  set: string;
  /** As after WHERE; all rows without it. */
  where?: string;
  /** How many rows are looked at in one transaction. */
  batch?: number;
}

/**
 * What a migration does it does by this. Each statement is a step that is done once, even where the process is killed in
 * the midst of it: the next one goes on there. A statement that only reads may be asked again.
 */
export interface SchemaChange extends Statements {
  rewrite(rows: Rewriting): Promise<void>;
}

interface Declared {
  up(schema: SchemaChange): Promise<void>;
  down(schema: Statements): Promise<void>;
}

/**
 * - `expand` adds. Code that does not know it goes on beside it; code that knows it needs it.
 * - `migrate` rewrites rows, and all code goes on before, meanwhile and after.
 * - `contract` takes away what only old code needs: none may run any more that does not know the migration `needs`. Code
 *   that knows it goes on before and after.
 */
export type Migration = Declared &
  ({ kind: 'expand' } | { kind: 'migrate' } | { kind: 'contract'; needs: string });

export type MigrationKind = Migration['kind'];

/** In their order. */
export type Migrations = Readonly<Record<string, Migration>>;
