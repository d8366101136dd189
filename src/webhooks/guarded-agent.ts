/**
 * The only way out to a URL that a merchant chose. Every connection goes to an address that was checked just before,
 * whether the URL contained it or a name resolved to it. Neither a name that changes between two look-ups nor a
 * literal address (for which Node makes no look-up at all) can therefore reach anything but the public internet.
 */
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { Environment } from '../config';
import { isPublicAddress } from '../merchants/allowed-url';

/** Finds all addresses of a name. @throws when there are none. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

export class RefusedAddressError extends Error {}

export interface GuardOptions {
  environment: Environment;
  lookup?: Lookup | undefined;
  /** Name look-up, TCP and TLS together, in milliseconds. */
  connectTimeoutMs: number;
}

/** Connections to one origin at the same time. */
export const connectionsPerOrigin = 4;

/**
 * Asks the name servers without Node's thread pool. `dns.lookup` occupies one of its four threads while a name server
 * does not answer, so four webhooks to one such name would delay all others.
 */
export function nameServerLookup(resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })): Lookup {
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}

/** Uses the hosts file too, where a developer's machine has `localhost` and similar names. */
const systemLookup: Lookup = (hostname) => dns.lookup(hostname, { all: true });

/** One forbidden address refuses the name: a public one beside it could be an attack. */
async function lookupPublic(
  lookup: Lookup,
  hostname: string,
  environment: Environment,
): Promise<LookupAddress[]> {
  const addresses = await lookup(hostname);
  if (addresses.length === 0) throw new RefusedAddressError(`${hostname} has no address`);
  if (!addresses.every(({ address }) => isPublicAddress(address, environment))) {
    throw new RefusedAddressError(`${hostname} resolves to an address that is not public`);
  }
  return addresses;
}

/** Follows no redirect: undici does so only on request. */
export function guardedAgent(options: GuardOptions): Agent {
  const { environment, connectTimeoutMs } = options;
  const lookup = options.lookup ?? (environment === 'live' ? nameServerLookup() : systemLookup);

  const checkedLookup: LookupFunction = (hostname, { all }, done) => {
    lookupPublic(lookup, hostname, environment).then(
      (addresses) => {
        if (all) done(null, addresses);
        else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
      },
      (error: unknown) => {
        done(error as NodeJS.ErrnoException, []);
      },
    );
  };
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: checkedLookup });

  return new Agent({
    connections: connectionsPerOrigin,
    pipelining: 1,
    connect(target, done) {
      if (environment === 'live' && target.protocol !== 'https:') {
        done(new RefusedAddressError('only https is allowed'), null);
      } else if (isIP(target.hostname) !== 0 && !isPublicAddress(target.hostname, environment)) {
        done(new RefusedAddressError(`${target.hostname} is not public`), null);
      } else {
        connect(target, done);
      }
    },
  });
}
