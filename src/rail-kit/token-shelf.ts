/** Where the processes of a deployment keep the one token of each account at a provider. */
import { createHash } from 'node:crypto';
import { v4 as uuid } from 'uuid';
import type { SecretBox } from '../merchants/secrets';
import type { Database } from '../store/database';
import type { AccessTokenRow } from '../store/tables';

/** What a token is for. */
export interface Credential {
  rail: string;
  baseUrl: string;
  /** The account's two halves, such as a consumer key and its secret. A token says nothing for another secret. */
  key: string;
  secret: string;
}

/** Times are milliseconds from now, by the clock of the shelf. */
export interface ShelvedToken {
  version: number;
  /** Undefined where there is none, or none that a key of ours opens. */
  token: string | undefined;
  refreshInMs: number;
  expiresInMs: number;
  /** How long somebody else may still be asking for the next one; 0 or less when nobody does. */
  leasedForMs: number;
}

export interface TokenShelf {
  read(credential: Credential): Promise<ShelvedToken>;
  /** @returns the lease; undefined where another has one, or the token was replaced since that version. */
  lease(credential: Credential, version: number, forMs: number): Promise<string | undefined>;
  /** Replaces the token and ends the lease. @returns false, and changes nothing, where the lease was lost. */
  put(
    credential: Credential,
    lease: string,
    token: { token: string; refreshInMs: number; expiresInMs: number },
  ): Promise<boolean>;
  /** Ends the lease. */
  release(credential: Credential, lease: string): Promise<void>;
}

/** Who waits for a token does not wait for a frozen database. */
const answerMs = 2_000;

/**
 * A row per credential. The token stands there sealed, so that a stolen table calls no provider; a row of a token that
 * ended a day ago goes when another one is put, unless somebody is asking for its next.
 */
export function tokenShelf(db: Database, box: SecretBox): TokenShelf {
  const run = async (sql: string, values: (string | number)[]) => {
    const [result] = (await db.raw(sql, values).timeout(answerMs)) as [{ affectedRows: number }];
    return result.affectedRows;
  };
  /** A sealed text opens for its own row alone. */
  const opened = (sealed: string | null, credential: string): string | undefined => {
    if (sealed === null) return undefined;
    try {
      return box.open(sealed, credential);
    } catch {
      return undefined;
    }
  };

  return {
    async read(credential) {
      const id = idOf(credential);
      const [rows] = (await db
        .raw(
          `SELECT version, sealed,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), refresh_at) DIV 1000 AS refresh_in_ms,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), expires_at) DIV 1000 AS expires_in_ms,
             TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), leased_until) DIV 1000 AS leased_for_ms
           FROM access_tokens WHERE credential = ?`,
          [id],
        )
        .timeout(answerMs)) as [
        (Pick<AccessTokenRow, 'version' | 'sealed'> &
          Record<'refresh_in_ms' | 'expires_in_ms' | 'leased_for_ms', string | null>)[],
      ];
      const row = rows[0];
      return {
        version: row?.version ?? 0,
        token: opened(row?.sealed ?? null, id),
        refreshInMs: Number(row?.refresh_in_ms ?? 0),
        expiresInMs: Number(row?.expires_in_ms ?? 0),
        leasedForMs: Number(row?.leased_for_ms ?? 0),
      };
    },

    async lease(credential, version, forMs) {
      const [id, lease] = [idOf(credential), uuid()];
      await run(
        `INSERT IGNORE INTO access_tokens (credential, rail, refresh_at, expires_at)
         VALUES (?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
        [id, credential.rail],
      );
      const taken = await run(
        `UPDATE access_tokens SET leased_by = ?, leased_until = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
         WHERE credential = ? AND version = ? AND (leased_until IS NULL OR leased_until <= UTC_TIMESTAMP(3))`,
        [lease, forMs * 1_000, id, version],
      );
      return taken === 1 ? lease : undefined;
    },

    async put(credential, lease, { token, refreshInMs, expiresInMs }) {
      const id = idOf(credential);
      const put = await run(
        `UPDATE access_tokens SET version = version + 1, sealed = ?, leased_by = NULL, leased_until = NULL,
           refresh_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND,
           expires_at = UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND
         WHERE credential = ? AND leased_by = ?`,
        [box.seal(token, id), Math.round(refreshInMs * 1_000), Math.round(expiresInMs * 1_000), id, lease],
      );
      await run(
        `DELETE FROM access_tokens WHERE expires_at < UTC_TIMESTAMP(3) - INTERVAL 1 DAY
           AND (leased_until IS NULL OR leased_until < UTC_TIMESTAMP(3))`,
        [],
      );
      return put === 1;
    },

    async release(credential, lease) {
      await run(
        'UPDATE access_tokens SET leased_by = NULL, leased_until = NULL WHERE credential = ? AND leased_by = ?',
        [idOf(credential), lease],
      );
    },
  };
}

/** A digest of what is long and random, as API secrets are kept. */
function idOf({ rail, baseUrl, key, secret }: Credential): string {
  return createHash('sha256')
    .update(JSON.stringify([rail, baseUrl, key, secret]))
    .digest('hex');
}
