import type { Database } from '../database';
import type { Statements } from '../migrations/migration';

interface Pool {
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): Promise<void>;
}

/**
 * All statements on one connection. A lock of the server's belongs to a connection: where that is lost, what comes after
 * fails, and is not done on another one without the lock.
 */
export async function onOneConnection<T>(
  db: Database,
  work: (session: Statements) => Promise<T>,
): Promise<T> {
  const pool = db.client as Pool;
  const connection = await pool.acquireConnection();
  try {
    return await work({
      raw: (sql, bindings) => (bindings ? db.raw(sql, bindings) : db.raw(sql)).connection(connection),
    });
  } finally {
    await pool.releaseConnection(connection);
  }
}
