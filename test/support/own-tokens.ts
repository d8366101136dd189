import type { CachedToken, TokenCache } from '../../src/rail-kit/access-token';

/** A token cache of this process only, for adapters without a database. */
export function ownTokens(): TokenCache {
  let version = 0;
  let kept: { token: string; refreshAt: number; expiresAt: number } | undefined;
  let leasedUntil = 0;
  return {
    read() {
      const now = Date.now();
      const cached: CachedToken = {
        version,
        token: kept?.token,
        refreshInMs: (kept?.refreshAt ?? now) - now,
        expiresInMs: (kept?.expiresAt ?? now) - now,
        leasedForMs: leasedUntil - now,
      };
      return Promise.resolve(cached);
    },
    lease(_credential, since, forMs) {
      if (since !== version || leasedUntil > Date.now()) return Promise.resolve(undefined);
      leasedUntil = Date.now() + forMs;
      return Promise.resolve('lease');
    },
    put(_credential, _lease, { token, refreshInMs, expiresInMs }) {
      const now = Date.now();
      kept = { token, refreshAt: now + refreshInMs, expiresAt: now + expiresInMs };
      version += 1;
      leasedUntil = 0;
      return Promise.resolve(true);
    },
    release() {
      leasedUntil = 0;
      return Promise.resolve();
    },
  };
}
