/** Authentication: an account sends its keys once, and then a token that is valid for five minutes. */
import type { Request } from 'express';
import type { Clock } from '../../clock';
import { recordOf } from '../../fields';
import type { Journal } from '../../journal';
import { openTokens } from '../../tokens';
import type { CardprocSettings } from './settings';

const TOKEN_LIFE_MS = 5 * 60_000;

export interface IssuedToken {
  token: string;
  /** By the wall clock, which is the caller's too. */
  expiresAt: number;
}

export interface Accounts {
  /** Undefined for wrong keys. */
  issueToken(body: unknown): IssuedToken | undefined;
  /** The account of a request's token: its consumer key. */
  of(request: Request): string | undefined;
  /** Ends every token early, and returns their number. */
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
