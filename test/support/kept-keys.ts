/** Keys that a process of jest makes once, for all its files of tests: to make one takes a fifth of a second. */
import { newRsaKey } from '../../simulator/providers/walletpay/webhooks/certificates';
import { leftByFiles } from './left-by-files';

const kept = leftByFiles<Map<string, string>>('rsa-keys', () => new Map());

/** @returns the private key, in PEM, of whom it names: always the same. */
export function keptRsaKey(owner: string): string {
  const key = kept.get(owner) ?? newRsaKey();
  kept.set(owner, key);
  return key;
}
