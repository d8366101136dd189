import type { Database } from '../store/database';

/** Those of `keys` that exist and have not been revoked. */
export async function findApiKeys(db: Database, keys: string[]): Promise<string[]> {
  return db('api_keys').whereIn('api_key', keys).where({ revoked_at: null }).pluck('api_key');
}
