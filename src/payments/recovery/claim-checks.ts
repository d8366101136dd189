/**
 * How processes share looks that are overdue, of payments as of vouchers: each claims rows that no other holds, and puts
 * their next look far enough ahead for somebody to take this one. Nothing is remembered outside of the rows.
 */
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';

const batch = 100;
/** While work waits for a worker, waking more of it helps nobody. */
const batchWhenBehind = 10;
/**
 * How long what was woken is left alone: after each look that nobody took twice as long, up to the longest. At first not
 * for long, because whoever claimed it may have died before it could wake it.
 */
export const rest = { firstMs: 5_000, longestMs: 3_600_000 };

export const batchOf = ({ isBehind }: { isBehind: boolean }) => (isBehind ? batchWhenBehind : batch);

/** What a row has that is looked at by itself. */
export interface CheckedRow {
  /** By when somebody must have looked at it. Null where nobody has to any more. */
  next_check_at: Date | null;
  woken_at: Date | null;
  /** How often it was woken since somebody looked. */
  wakes: number;
}

/** What is remembered of a row while it is claimed. */
export interface Claimed {
  /** By when somebody should have looked at it. */
  due_at: Date;
}

const idColumns = { payments: 'payment_id', vouchers: 'voucher_id' } as const;
type CheckedTable = keyof typeof idColumns;

/**
 * @param find the rows that are due, locked, without those that another process is claiming.
 * @param firstMs how long what is claimed for the first time is left alone.
 */
export function claimChecks<
  T extends CheckedTable,
  Row extends CheckedRow & Record<(typeof idColumns)[T], string>,
>(
  db: Database,
  table: T,
  find: (trx: Transaction, now: Date) => Promise<Row[]>,
  firstMs = rest.firstMs,
): Promise<(Row & Claimed)[]> {
  return inTransaction(db, async (trx) => {
    const now = Date.now();
    const due = await find(trx, new Date(now));
    for (const wakes of new Set(due.map((row) => row.wakes))) {
      const alike = due.filter((row) => row.wakes === wakes);
      await rowsOf(trx, table, alike).update(woken(now, wakes, firstMs));
    }
    return due.map((row) => ({
      ...row,
      ...woken(now, row.wakes, firstMs),
      due_at: row.next_check_at ?? new Date(now),
    }));
  });
}

/** Gives back looks that were claimed and not taken: they are as due as before, and seen to be due for so long. */
export async function releaseChecks<T extends CheckedTable>(
  db: Database,
  table: T,
  rows: (Record<(typeof idColumns)[T], string> & Claimed)[],
): Promise<void> {
  if (rows.length === 0) return;
  const dueAt = `CASE ?? ${rows.map(() => 'WHEN ? THEN ?').join(' ')} ELSE next_check_at END`;
  const known = rows.flatMap((row) => [row[idColumns[table]], row.due_at]);
  await rowsOf(db, table, rows)
    .where('wakes', '>', 0)
    .update({
      wakes: db.raw<number>('wakes - 1'),
      next_check_at: db.raw<Date>(dueAt, [idColumns[table], ...known]),
      woken_at: null,
    });
}

function woken(now: number, wakesBefore: number, firstMs: number): CheckedRow {
  const restMs = Math.min(rest.longestMs, firstMs * 2 ** wakesBefore);
  return { woken_at: new Date(now), wakes: wakesBefore + 1, next_check_at: new Date(now + restMs) };
}

function rowsOf<T extends CheckedTable>(
  db: Database | Transaction,
  table: T,
  rows: Record<(typeof idColumns)[T], string>[],
) {
  const id = idColumns[table];
  return db<CheckedRow>(table as string).whereIn(
    id as string,
    rows.map((row) => row[id]),
  );
}
