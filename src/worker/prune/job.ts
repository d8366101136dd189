import type { Database } from '../../store/database';

/** Rows of one statement: a few, so that it holds no locks for long. */
export const batch = 200;

/** One kind of thing that grows and has an end. */
export interface Chore {
  /** As it is told to people, in the plural. */
  what: string;
  /** How many would go now. */
  count(db: Database): Promise<number>;
  /**
   * Takes the next few away, in one transaction. Safe beside traffic, and beside others who do the same.
   * @returns how many went, and whether there may be more.
   */
  takeSome(db: Database): Promise<{ taken: number; isMore: boolean }>;
}

export async function countBy(db: Database, statement: string, bindings: (string | Date)[]): Promise<number> {
  const [[row]] = (await db.raw(statement, bindings)) as unknown as [[{ n: string } | undefined]];
  return Number(row?.n ?? 0);
}
