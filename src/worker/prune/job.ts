import type { Database } from '../../store/database';

/** Rows in one statement: few, so that it holds no locks for long. */
export const batch = 200;

/** One kind of row that grows and expires. */
export interface PruneJob {
  /** The name for operators, in the plural. */
  what: string;
  /** How many rows would be deleted now. */
  count(db: Database): Promise<number>;
  /**
   * Deletes the next few rows in one transaction. Safe beside traffic, and beside other runs.
   * @returns the number of deleted rows, and whether there may be more.
   */
  takeSome(db: Database): Promise<{ taken: number; isMore: boolean }>;
}

export async function countBy(db: Database, statement: string, bindings: (string | Date)[]): Promise<number> {
  const [[row]] = (await db.raw(statement, bindings)) as unknown as [[{ n: string } | undefined]];
  return Number(row?.n ?? 0);
}
