/**
 * When API keys were last used. A request only notes it in memory; what was noted is written now and then, all keys in one
 * statement, so that no request waits for it. What a process that is killed has noted is lost: it shows keys that nobody
 * needs, and decides nothing.
 */
import type { Database } from '../store/database';

/** However many there are, one statement is short. */
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
      // One that is used meanwhile is noted anew.
      for (const key of keys) noted.delete(key);
      await db('api_keys')
        .whereIn('api_key', keys)
        .update({ last_used_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
    },
  };
}
