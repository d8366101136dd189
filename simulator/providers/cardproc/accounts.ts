/** Who calls: an account proves itself with its keys, once, and then with a token that lives for five minutes. */
import type { Request } from 'express';
import type { Clock } from '../../clock';
import { recordOf } from '../../fields';
import type { Journal } from '../../journal';
import { openTokens } from '../../tokens';
import type { CardprocSettings } from './settings';

const TOKEN_LIFE_MS = 5 * 60_000;

export interface IssuedToken {
  token: string;
  /** By the wall clock, because the receiver has no other. */
  expiresAt: number;
}

export interface Accounts {
  /** Nothing when the keys are not right. */
  issueToken(body: unknown): IssuedToken | undefined;
  /** The account whose token a request carries, by its consumer key. */
  of(request: Request): string | undefined;
  /** Ends the life of every token early, and tells how many there were. */
  expireTokens(): number;
}

export function openAccounts(journal: Journal, clock: Clock, { accounts }: CardprocSettings): Accounts {
  const known = accounts.map((keys) => ({
    ...keys,
    tokens: openTokens(journal, clock, `cardproc.tokens.${keys.consumerKey}`, TOKEN_LIFE_MS),
  }));
  return {
    issueToken(body) {
      const { consumer_key: key, consumer_secret: secret } = recordOf(body);
      const account = known.find(
        ({ consumerKey, consumerSecret }) => consumerKey === key && consumerSecret === secret,
      );
      if (!account) return undefined;
      const wallMs = clock.wallMsUntil(clock.now() + TOKEN_LIFE_MS);
      return { token: account.tokens.issue(), expiresAt: Date.now() + wallMs };
    },
    of(request) {
      const [, token] = /^Bearer (\S+)$/.exec(request.get('authorization') ?? '') ?? [];
      return token === undefined ? undefined : known.find(({ tokens }) => tokens.accepts(token))?.consumerKey;
    },
    expireTokens: () => known.reduce((count, { tokens }) => count + tokens.expire(), 0),
  };
}
