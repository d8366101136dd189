/** Who is calling, and from where they may (specification, Authentication 6). */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Bits of `::ffff:0:0/96`, the prefix under which IPv6 sockets show IPv4 peers. */
const mappedPrefixBits = 96;

/** Only the usual spellings: ipaddr.js would also read `2130706433` and `0x7f.1` as addresses. */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function parseRange(text: string): Range | undefined {
  const [head = '', bitsText, ...rest] = text.split('/');
  const address = parseAddress(head);
  if (!address || rest.length > 0) return undefined;
  const widthBits = address.kind() === 'ipv4' ? 32 : 128;
  if (bitsText === undefined) return [address, widthBits];
  if (!/^\d{1,3}$/.test(bitsText)) return undefined;
  const isMapped = address.kind() === 'ipv4' && head.includes(':');
  const bits = Number(bitsText) - (isMapped ? mappedPrefixBits : 0);
  return bits >= 0 && bits <= widthBits ? [address, bits] : undefined;
}

function contains([start, bits]: Range, address: Address): boolean {
  return start.kind() === address.kind() && address.match(start, bits);
}

/** True for an address or a CIDR block, v4 or v6. */
export function isAddressRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

/** True when `address` lies in one of `ranges`. A text that is no address lies in none. */
function isInRanges(address: string, ranges: readonly string[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  return ranges.some((text) => {
    const range = parseRange(text);
    return range !== undefined && contains(range, parsed);
  });
}

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

const ipv6NetworkParts = 4;

/** Whom to count together: an IPv4 address, or the /64 of an IPv6 one, in which one customer has all there are. */
export function addressBlock(text: string): string {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return address?.toString() ?? '';
  const network = address.parts.slice(0, ipv6NetworkParts).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** True where the connection itself comes from one of the proxies. */
export function isTrustedProxy(address: string, trustedProxies: readonly string[]): boolean {
  return isInRanges(address, trustedProxies);
}
