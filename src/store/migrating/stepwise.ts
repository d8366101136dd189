/** Runs a migration as steps, each once, even if the process is killed between two statements. */
import type { Rewriting, SchemaChange, Statements } from '../migrations/migration';
import { noteProgress, untouched, type Progress } from './journal';
import { withLockRetries, type LockWait } from './lock-wait';

/**
 * The effect of a statement, by its first word. The servers change the schema outside transactions, and rows inside
 * them.
 */
const effects: Record<string, 'reads' | 'alters' | 'writes'> = {
  SELECT: 'reads',
  SHOW: 'reads',
  CREATE: 'alters',
  ALTER: 'alters',
  DROP: 'alters',
  RENAME: 'alters',
  INSERT: 'writes',
  UPDATE: 'writes',
  DELETE: 'writes',
};

/**
 * The errors of both servers for a schema change that is already done, because each is atomic: a table, column, key,
 * routine, trigger or constraint that exists, or that is gone or renamed.
 */
const isThereAlready = new Set([
  1050, 1051, 1054, 1060, 1061, 1091, 1176, 1304, 1305, 1359, 1360, 1826, 3821, 3822, 3940,
]);

const rowsOfBatch = 1_000;

export interface StepOptions extends Omit<LockWait, 'name'> {
  /** The progress of an earlier run. */
  before?: Progress;
}

export function stepwise(
  session: Statements,
  name: string,
  { before = untouched, patienceSeconds, again }: StepOptions,
): SchemaChange {
  const patience: LockWait = { name, patienceSeconds };
  let step = 0;

  async function alter(sql: string, bindings: Parameters<Statements['raw']>[1]): Promise<void> {
    const mayBeDone = step === before.step;
    await noteProgress(session, name, { step, isDone: false, reached: null });
    try {
      await session.raw(sql, bindings);
    } catch (error) {
      const { errno = 0 } = error as { errno?: number };
      if (mayBeDone && isThereAlready.has(errno)) return;
      // The server rejected it, so it was not done. What exists at the next attempt is not from this step.
      if (errno > 0 && !mayBeDone)
        await noteProgress(session, name, { step: step - 1, isDone: true, reached: null });
      throw error;
    }
  }

  async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await session.raw('START TRANSACTION');
    try {
      const result = await work();
      await session.raw('COMMIT');
      return result;
    } catch (error) {
      // After a lost connection there is nothing to roll back.
      await Promise.resolve(session.raw('ROLLBACK')).catch(() => undefined);
      throw error;
    }
  }

  /** @returns whether the next step was done earlier. */
  function isDoneBefore(): boolean {
    step += 1;
    return step < before.step || (step === before.step && before.isDone);
  }

  return {
    async raw(sql, bindings) {
      const effect = effects[/^\s*(?<word>\w+)/.exec(sql)?.groups?.['word']?.toUpperCase() ?? ''];
      if (effect === undefined) throw new Error(`not a statement of a migration: ${sql.trim().slice(0, 40)}`);
      if (effect === 'reads') return session.raw(sql, bindings);
      if (isDoneBefore()) return undefined;
      if (effect === 'alters') {
        await withLockRetries(() => alter(sql, bindings), { ...patience, ...(again && { again }) });
        return undefined;
      }
      await withLockRetries(
        () =>
          inTransaction(async () => {
            await session.raw(sql, bindings);
            await noteProgress(session, name, { step, isDone: true, reached: null });
          }),
        patience,
      );
      return undefined;
    },
    async rewrite(rows) {
      if (isDoneBefore()) return;
      let reached = step === before.step ? before.reached : null;
      do {
        const after = reached;
        reached = await withLockRetries(
          () =>
            inTransaction(async () => {
              const last = await lastOfBatch(session, rows, after);
              await rewriteBatch(session, rows, after, last);
              await noteProgress(session, name, { step, isDone: last === null, reached: last });
              return last;
            }),
          patience,
        );
      } while (reached !== null);
    },
  };
}

/** @returns the key that ends a batch, or null if less than a batch is left. */
async function lastOfBatch(
  session: Statements,
  { table, key, batch = rowsOfBatch }: Rewriting,
  after: string | null,
): Promise<string | null> {
  const [[row]] = (await session.raw(
    `SELECT ${key} AS last FROM ${table} ${after === null ? '' : `WHERE ${key} > ?`}
     ORDER BY ${key} LIMIT 1 OFFSET ${String(batch - 1)}`,
    after === null ? undefined : [after],
  )) as [{ last: string | number }[]];
  return row ? String(row.last) : null;
}

async function rewriteBatch(
  session: Statements,
  { table, key, set, where }: Rewriting,
  after: string | null,
  last: string | null,
): Promise<void> {
  const conditions = [
    after === null ? '' : `${key} > ?`,
    last === null ? '' : `${key} <= ?`,
    where === undefined ? '' : `(${where})`,
  ].filter((condition) => condition !== '');
  await session.raw(
    `UPDATE ${table} SET ${set} ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}`,
    [after, last].filter((bound) => bound !== null),
  );
}
