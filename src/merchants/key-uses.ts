/**
 * When API keys were last used. A request only records the use in memory. A timer writes all of them in one statement,
 * so that no request waits for it. A process that is killed loses its unwritten uses: they only help to find unused
 * keys, and decide nothing.
 */
import type { Database } from '../store/database';

/** The number of keys in one statement is limited. */
const writtenAtOnce = 1_000;

export interface KeyUses {
  note(apiKey: string): void;
  write(): Promise<void>;
}

export function keyUses(db: Database): KeyUses {
  const noted = new Set<string>();
  return {
    note(apiKey) {
      noted.add(apiKey);
    },
    async write() {
      const keys = [...noted].slice(0, writtenAtOnce);
      if (keys.length === 0) return;
      // A key that is used meanwhile is recorded again.
      for (const key of keys) noted.delete(key);
      await db('api_keys')
        .whereIn('api_key', keys)
        .update({ last_used_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
    },
  };
}
