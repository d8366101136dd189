/**
 * The addresses to which a customer's browser may be redirected after the checkout. The service never connects to them.
 */
import type { Environment } from '../../config';

const lengthMax = 2000;

/** @returns the fault of the text itself, whichever merchant it belongs to. */
export function faultOfReturnUrl(text: string): string | undefined {
  if (text.length > lengthMax) return `must be at most ${String(lengthMax)} characters`;
  // Browsers drop tabs and turn backslashes into slashes. The stored text must be the address that opens.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (/[^\x21-\x7e]|\\/.test(text) || authority === undefined || !URL.canParse(text)) {
    return 'must be a complete http or https URL in ASCII characters';
  }
  return authority.includes('@') ? 'must not contain a user name or a password' : undefined;
}

/**
 * Whether the page belongs to the merchant. Otherwise anyone who knows a merchant's public id could send its customers
 * elsewhere. In sandbox any page is allowed.
 * @param hosts the merchant's registered hosts, with the port if it is not the default
 */
export function faultOfHost(text: string, environment: Environment, hosts: string[]): string | undefined {
  if (environment === 'sandbox') return undefined;
  const { protocol, host } = new URL(text);
  if (protocol !== 'https:') return 'must be an https URL';
  return hosts.includes(host) ? undefined : 'must be on a host that is registered for the merchant';
}

/** Adds parameters to an address. An existing query stays exactly as it was. */
export function withParameters(address: string, parameters: Record<string, string>): string {
  const url = new URL(address);
  const added = new URLSearchParams(parameters).toString();
  url.search = url.search === '' ? added : `${url.search}&${added}`;
  return url.href;
}
