/** The caller's address, and the addresses a merchant allows (specification, Authentication 6). */
import { isInRanges, parseAddress } from '../domain/ip-address';

/** An empty allow-list admits every address. */
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
 * The caller's address. `X-Forwarded-For` counts only when the connection comes from a trusted proxy. It is read from
 * the right: each trusted hop confirms the one before it, and the first untrusted hop is the caller. The caller may
 * have written everything further left.
 * @param trustedProxies addresses and CIDR blocks. By default it is empty, and no proxy is trusted.
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
    // An unreadable hop ends the chain: the proxy that forwarded it is the last certain address.
    if (!hop) break;
    address = hop;
  }
  return address.toString();
}

/** True if the connection comes from one of the proxies. */
export function isTrustedProxy(address: string, trustedProxies: readonly string[]): boolean {
  return isInRanges(address, trustedProxies);
}
