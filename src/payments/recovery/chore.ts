import { inParallel } from '../../domain/in-parallel';
import type { Database } from '../../store/database';

/** What one round may take: it repeats soon, and other workers sweep, too. */
const round = { atOnce: 10, budgetMs: 2_000 };

/** One reason to wake workflows: the rows it claims, and how what no time was left for is given back. */
export interface Chore<Row> {
  claim(): Promise<Row[]>;
  wake(row: Row): Promise<void>;
  release(db: Database, rows: Row[]): Promise<void>;
}

/**
 * What cannot be woken holds up nobody else: it is given back, and the others are woken.
 * @param withinMs after so long no other row is begun.
 * @returns how many were woken.
 * @throws what waking one of them threw first, after all that were not woken were given back.
 */
export async function doChore<Row>(
  db: Database,
  { claim, wake, release }: Chore<Row>,
  withinMs: number = round.budgetMs,
): Promise<number> {
  const rows = await claim();
  const until = Date.now() + withinMs;
  const failed: { row: Row; why: unknown }[] = [];
  const { done, left } = await inParallel(rows, round.atOnce, async (row) => {
    if (Date.now() > until) return 'stop';
    await wake(row).catch((why: unknown) => failed.push({ row, why }));
    return 'go_on';
  });
  const back = [...left, ...failed.map(({ row }) => row)];
  if (back.length > 0) await release(db, back);
  if (failed[0]) throw failed[0].why;
  return done.length;
}
