/** Who is calling, and from where they may (specification, Authentication 6). */
import { isInRanges, parseAddress } from '../domain/ip-address';

/** An empty allow-list lets everybody in. */
export function isAllowedAddress(address: string, allowList: readonly string[]): boolean {
  return allowList.length === 0 || isInRanges(address, allowList);
}

/** Some proxies write the port too: `41.90.64.7:51234`, `[2c0f:fe38::7]:51234`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop);
  if (bracketed) return bracketed[1] ?? '';
  return hop.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/**
 * The caller's address. `X-Forwarded-For` counts only when the connection itself comes from a trusted proxy, and
 * then from the right: each trusted hop vouches for the one before it, and the first that is not ours is the
 * caller. Whatever stands further left was written by the caller.
 * @param trustedProxies addresses and CIDR blocks; empty trusts nobody, which is the default.
 * @returns the address in its shortest usual spelling, IPv4-mapped ones as IPv4.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
  trustedProxies: readonly string[],
): string {
  let address = parseAddress(socketAddress ?? '');
  if (!address) return '';
  const header = typeof forwardedFor === 'string' ? forwardedFor : (forwardedFor ?? []).join(',');
  const hops = header.split(',').map((hop) => withoutPort(hop.trim()));
  while (isInRanges(address.toString(), trustedProxies)) {
    const hop = parseAddress(hops.pop() ?? '');
    // A hop nobody can read ends the chain: the proxy that passed it on is the last address known for sure.
    if (!hop) break;
    address = hop;
  }
  return address.toString();
}

/** True where the connection itself comes from one of the proxies. */
export function isTrustedProxy(address: string, trustedProxies: readonly string[]): boolean {
  return isInRanges(address, trustedProxies);
}
