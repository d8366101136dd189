/** IP addresses and CIDR blocks, as users and sockets write them. */
import ipaddr from 'ipaddr.js';
import Joi from 'joi';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Bits of `::ffff:0:0/96`, the prefix under which IPv6 sockets show IPv4 peers. */
const mappedPrefixBits = 96;

/** Only the usual spellings: ipaddr.js would also read `2130706433` and `0x7f.1` as addresses. */
export function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!ipaddr.IPv6.isValid(text)) return undefined;
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

/** True when `address` is in one of `ranges`. A text that is no address is in none. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const parsed = parseAddress(address);
  if (!parsed) return false;
  return ranges.some((text) => {
    const range = parseRange(text);
    return range !== undefined && contains(range, parsed);
  });
}

/** True where a list of ranges allows an address that the previous list refused. An empty list refuses none. */
export function isWiderList(ranges: readonly string[], before: readonly string[]): boolean {
  if (before.length === 0) return false;
  if (ranges.length === 0) return true;
  const known = before.map(parseRange).filter((range) => range !== undefined);
  const isWithin = (text: string) => {
    const range = parseRange(text);
    return range !== undefined && known.some((one) => range[1] >= one[1] && contains(one, range[0]));
  };
  return !ranges.every(isWithin);
}

/** Where an address belongs, without the address itself: it is personal data. */
export type AddressClass = 'public' | 'private' | 'loopback' | 'unknown';

const classes: Record<string, AddressClass> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  uniqueLocal: 'private',
  linkLocal: 'private',
  carrierGradeNat: 'private',
};

/** A reserved address, and a text that is none, are `unknown`. */
export function addressClass(text: string): AddressClass {
  return classes[parseAddress(text)?.range() ?? ''] ?? 'unknown';
}

/** @param hostname as URL gives it, IPv6 in brackets */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return ipaddr.isValid(name) && ipaddr.parse(name).range() === 'loopback';
}

/** @returns the comma-separated addresses and CIDR blocks of a setting, or undefined where one of them is invalid. */
export function readAddressRanges(text: string): string[] | undefined {
  const ranges = text
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');
  return ranges.every(isAddressRange) ? ranges : undefined;
}

/** The type of the Joi error that refuses such a setting. */
export const notAddresses = 'addresses.list';

/** Addresses and CIDR blocks, comma-separated. An invalid one is refused: it might allow no caller, or every caller. */
export function addressRanges(): Joi.StringSchema<string[]> {
  return Joi.string<string[]>()
    .empty('')
    .default([])
    .custom((text: string, helpers) => readAddressRanges(text) ?? helpers.error(notAddresses))
    .messages({ [notAddresses]: '{#label} must be IP addresses or CIDR blocks, separated by commas' })
    .prefs({ errors: { wrap: { label: false } } });
}

const ipv6NetworkParts = 4;

/**
 * The unit that a limit counts: an IPv4 address, or the /64 of an IPv6 address, because one customer has all
 * addresses in it.
 */
export function addressBlock(text: string): string {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return address?.toString() ?? '';
  const network = address.parts.slice(0, ipv6NetworkParts).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
