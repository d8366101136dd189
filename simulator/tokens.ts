/** Access tokens that are valid for a while on the virtual clock. */
import { randomBytes } from 'node:crypto';
import type { Clock } from './clock';
import type { Journal } from './journal';

export interface Tokens {
  issue(): string;
  accepts(token: string): boolean;
  /** Ends the validity of all tokens, and returns their number. */
  expire(): number;
}

interface Token {
  text: string;
  expiresAt: number;
}

export function openTokens(journal: Journal, clock: Clock, collection: string, lifetimeMs: number): Tokens {
  const tokens = journal.collection<Token>(collection);
  return {
    issue() {
      const now = clock.now();
      for (const { text, expiresAt } of [...tokens.values()]) if (expiresAt <= now) tokens.delete(text);
      const text = randomBytes(21).toString('base64url');
      tokens.put(text, { text, expiresAt: now + lifetimeMs });
      return text;
    },
    accepts: (text) => (tokens.get(text)?.expiresAt ?? 0) > clock.now(),
    expire() {
      const living = [...tokens.values()].filter(({ expiresAt }) => expiresAt > clock.now());
      for (const { text } of living) tokens.delete(text);
      return living.length;
    },
  };
}
