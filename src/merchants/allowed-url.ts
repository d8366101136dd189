/**
 * The URLs that a merchant may configure (protection against server-side request forgery). The text is checked when the
 * URL is set. The addresses of its host are checked at every connection (webhooks/guarded-agent.ts).
 */
import ipaddr from 'ipaddr.js';
import type { Environment } from '../config';

/** The width of the columns. */
const urlLengthMax = 2000;
/** Services on lower ports are mostly not web servers. */
const firstUnprivilegedPort = 1024;

/** All publicly routed IPv6 addresses are in 2000::/3; ipaddr.js calls every unlisted address "unicast". */
const publicIpv6 = [ipaddr.IPv6.parse('2000::'), 3] as const;

/**
 * True for an address that the service may connect to for a merchant: a public one and, in sandbox, this machine.
 * Private, link-local, metadata, carrier-grade NAT, IPv4-mapped, NAT64, 6to4 and Teredo addresses are forbidden.
 */
export function isPublicAddress(text: string, environment: Environment): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range === 'loopback') return environment === 'sandbox';
  if (range !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(publicIpv6[0], publicIpv6[1]);
}

/** Names that mean this machine or this network wherever they are resolved. */
function isInternalName(host: string, environment: Environment): boolean {
  const name = host.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return environment === 'live';
  return !name.includes('.') || /\.(?:local|internal|intranet|lan|home\.arpa)$/.test(name);
}

/**
 * Finds the fault of a merchant's URL.
 * @returns a sentence without the URL in it, or undefined if the URL is allowed.
 */
export function faultOfUrl(text: string, environment: Environment): string | undefined {
  if (text.length > urlLengthMax) return `must be at most ${String(urlLengthMax)} characters`;
  // The URL parser drops tabs and newlines and turns backslashes into slashes. The stored text must mean the same as
  // the parsed URL.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (/[^\x21-\x7e]|\\/.test(text) || authority === undefined || !URL.canParse(text)) {
    return 'must be a complete http or https URL in ASCII characters';
  }
  const url = new URL(text);
  if (environment === 'live' && url.protocol !== 'https:') return 'must be an https URL';
  if (authority.includes('@')) return 'must not contain a user name or a password';
  if (url.port !== '' && url.port !== '80' && Number(url.port) < firstUnprivilegedPort) {
    return 'must use port 80, 443, or a port from 1024';
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!ipaddr.isValid(host)) {
    return isInternalName(host, environment) ? 'must name a host on the public internet' : undefined;
  }
  // 2130706433, 0177.0.0.1 and 127.1 all become 127.0.0.1. A disguised address is rejected, whatever it means.
  if (ipaddr.IPv4.isValid(host) && authority.replace(/:\d*$/, '') !== host) {
    return 'must write an IPv4 address as four decimal numbers';
  }
  return isPublicAddress(host, environment) ? undefined : 'must name a host on the public internet';
}
