import type { ShelvedToken, TokenShelf } from '../../src/rail-kit/access-token';

/** A shelf of this process alone, for adapters without a database. */
export function ownTokens(): TokenShelf {
  let version = 0;
  let kept: { token: string; refreshAt: number; expiresAt: number } | undefined;
  let leasedUntil = 0;
  return {
    read() {
      const now = Date.now();
      const shelved: ShelvedToken = {
        version,
        token: kept?.token,
        refreshInMs: (kept?.refreshAt ?? now) - now,
        expiresInMs: (kept?.expiresAt ?? now) - now,
        leasedForMs: leasedUntil - now,
      };
      return Promise.resolve(shelved);
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
