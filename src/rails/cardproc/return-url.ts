/** Where a customer's browser may be sent after the checkout. We never connect there ourselves. */
import type { Environment } from '../../config';

const lengthMax = 2000;

/** @returns what is wrong with the text itself, whoever it belongs to. */
export function faultOfReturnUrl(text: string): string | undefined {
  if (text.length > lengthMax) return `must be at most ${String(lengthMax)} characters`;
  // Browsers drop tabs and turn backslashes round: what is stored is what will be opened.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (/[^\x21-\x7e]|\\/.test(text) || authority === undefined || !URL.canParse(text)) {
    return 'must be a complete http or https URL in ASCII characters';
  }
  return authority.includes('@') ? 'must not contain a user name or a password' : undefined;
}

/**
 * Whether the page is the merchant's own, so that nobody who knows a merchant's public id can send its customers
 * elsewhere. In sandbox any page will do.
 * @param hosts the merchant's registered ones, with a port where it is not the usual one
 */
export function faultOfHost(text: string, environment: Environment, hosts: string[]): string | undefined {
  if (environment === 'sandbox') return undefined;
  const { protocol, host } = new URL(text);
  if (protocol !== 'https:') return 'must be an https URL';
  return hosts.includes(host) ? undefined : 'must be on a host that is registered for the merchant';
}

/** Adds parameters behind the query that an address has already, which stays as it was, letter by letter. */
export function withParameters(address: string, parameters: Record<string, string>): string {
  const url = new URL(address);
  const added = new URLSearchParams(parameters).toString();
  url.search = url.search === '' ? added : `${url.search}&${added}`;
  return url.href;
}
