import type { Environment } from '../config';

/** What details keep of an address (see bounded-words.ts). */
const urlLengthMax = 1_900;

/** True for an address that a customer's browser may be sent to: never a script, and in live nothing unencrypted. */
export function isPaymentPage(url: string, environment: Environment): boolean {
  if (url.length > urlLengthMax || !URL.canParse(url)) return false;
  const { protocol } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && environment === 'sandbox');
}
