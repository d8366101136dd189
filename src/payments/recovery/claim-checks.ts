/**
 * Several processes share the overdue checks of payments and of vouchers. Each process claims rows that no other
 * holds, and moves their next check far enough ahead for the signalled workflow to take it. All state is in the rows.
 */
import type { Database, Transaction } from '../../store/database';
import { inTransaction } from '../../store/transaction';

const batch = 100;
/** While work waits for a worker, more signals do not help. */
const batchWhenBehind = 10;
/**
 * How long a claimed row rests: after each check that nobody performed twice as long, up to the longest. The first
 * rest is short, because the process that claimed the row may have died before it sent the signal.
 */
export const rest = { firstMs: 5_000, longestMs: 3_600_000 };

export const batchOf = ({ isBehind }: { isBehind: boolean }) => (isBehind ? batchWhenBehind : batch);

/** The columns of a row that has a check of its own. */
export interface CheckedRow {
  /** The deadline of the next check. Null where no check is planned any more. */
  next_check_at: Date | null;
  signalled_at: Date | null;
  /** How often it was claimed since its last check. */
  signals: number;
}

/** What a claim remembers of a row. */
export interface Claimed {
  /** The deadline of the check before the claim. */
  due_at: Date;
}

const idColumns = { payments: 'payment_id', vouchers: 'voucher_id' } as const;
type CheckedTable = keyof typeof idColumns;

/**
 * @param find the rows that are due, locked, without those that another process is claiming.
 * @param firstMs how long a row rests after its first claim.
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
    for (const signals of new Set(due.map((row) => row.signals))) {
      const alike = due.filter((row) => row.signals === signals);
      await rowsOf(trx, table, alike).update(signalled(now, signals, firstMs));
    }
    return due.map((row) => ({
      ...row,
      ...signalled(now, row.signals, firstMs),
      due_at: row.next_check_at ?? new Date(now),
    }));
  });
}

/** Releases checks that were claimed and not performed. They are as overdue as before, and show it. */
export async function releaseChecks<T extends CheckedTable>(
  db: Database,
  table: T,
  rows: (Record<(typeof idColumns)[T], string> & Claimed)[],
): Promise<void> {
  if (rows.length === 0) return;
  const dueAt = `CASE ?? ${rows.map(() => 'WHEN ? THEN ?').join(' ')} ELSE next_check_at END`;
  const known = rows.flatMap((row) => [row[idColumns[table]], row.due_at]);
  await rowsOf(db, table, rows)
    .where('signals', '>', 0)
    .update({
      signals: db.raw<number>('signals - 1'),
      next_check_at: db.raw<Date>(dueAt, [idColumns[table], ...known]),
      signalled_at: null,
    });
}

function signalled(now: number, signalsBefore: number, firstMs: number): CheckedRow {
  const restMs = Math.min(rest.longestMs, firstMs * 2 ** signalsBefore);
  return { signalled_at: new Date(now), signals: signalsBefore + 1, next_check_at: new Date(now + restMs) };
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
