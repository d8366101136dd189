/** What people are to a merchant, and what each of them may do there. */
import type { MembershipRow } from '../store/tables';

export type MerchantRole = MembershipRow['role'];

/**
 * - owner: everything, the team included.
 * - developer: keys, addresses and webhooks.
 * - finance: money: payments with their customers, statements.
 * - viewer: looks, and sees nobody's number.
 */
export const merchantRoles = ['owner', 'developer', 'finance', 'viewer'] as const satisfies MerchantRole[];

/** Who moves the merchant's money, and decides when another wants to. */
export const moneyRoles = ['owner', 'finance'] as const satisfies MerchantRole[];

export function isMerchantRole(word: string): word is MerchantRole {
  return (merchantRoles as readonly string[]).includes(word);
}

export function movesMoney(role: string): boolean {
  return (moneyRoles as readonly string[]).includes(role);
}
