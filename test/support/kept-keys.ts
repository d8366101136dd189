/** Keys that a jest process creates once for all its test files: creating one takes 0.2 s. */
import { newRsaKey } from '../../simulator/providers/walletpay/webhooks/certificates';
import { leftByFiles } from './left-by-files';

const kept = leftByFiles<Map<string, string>>('rsa-keys', () => new Map());

/** @returns the private key of this owner, in PEM: always the same. */
export function keptRsaKey(owner: string): string {
  const key = kept.get(owner) ?? newRsaKey();
  kept.set(owner, key);
  return key;
}
