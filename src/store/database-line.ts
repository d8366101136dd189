/** The line of one pool: what its URL and the files that it names say today, and which connections are of today. */
import { createSecureContext } from 'node:tls';
import { readDatabaseUrl, type DatabaseAddress } from './database-address';

/** How soon a changed certificate is seen. */
const lookEveryMs = 10_000;

/** How often each URL's connections were all to be replaced: one pool is refused a write, and others only read. */
const renewals = new Map<string, number>();

export interface DatabaseLine {
  address(): DatabaseAddress;
  /** A connection of another version is not used again. */
  version(): number;
  /**
   * Every connection that this process has by this URL is to be replaced, those of its other pools too: their server has
   * become another's replica, say.
   */
  renew(): void;
  /** Looks, from time to time, whether the files have changed; then a new version begins. */
  hasChanged(): boolean;
}

/** @throws ConfigError when the URL, or a file that it names, is not usable; later the last usable one serves on. */
export function databaseLine(url: string, everyMs: number = lookEveryMs): DatabaseLine {
  let address = readDatabaseUrl(url);
  let version = 1;
  let lookedAt = performance.now();

  return {
    address: () => address,
    version: () => version + (renewals.get(url) ?? 0),
    renew() {
      renewals.set(url, (renewals.get(url) ?? 0) + 1);
    },
    hasChanged() {
      if (!address.ssl || performance.now() - lookedAt < everyMs) return false;
      lookedAt = performance.now();
      const next = usableAddress(url);
      if (!next || isSameLine(next, address)) return false;
      address = next;
      version += 1;
      return true;
    },
  };
}

/** Undefined where a file cannot be read, or the key is not that of the certificate: half of a rotation. */
function usableAddress(url: string): DatabaseAddress | undefined {
  try {
    const address = readDatabaseUrl(url);
    createSecureContext(address.ssl);
    return address;
  } catch {
    return undefined;
  }
}

/** What the same object protects, the driver resumes without showing a certificate: so it is kept while nothing changes. */
function isSameLine({ ssl: one }: DatabaseAddress, { ssl: other }: DatabaseAddress): boolean {
  return one?.ca === other?.ca && one?.cert === other?.cert && one?.key === other?.key;
}
