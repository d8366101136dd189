/** The roles of a merchant's team. */
import type { MembershipRow } from '../store/tables';

export type MerchantRole = MembershipRow['role'];

/**
 * - owner: everything, including the team.
 * - developer: keys, addresses and webhooks.
 * - finance: payments, refunds, payouts and statements.
 * - viewer: reads, without customers' numbers.
 */
export const merchantRoles = ['owner', 'developer', 'finance', 'viewer'] as const satisfies MerchantRole[];

/** The roles that move the merchant's money and approve the requests of others. */
export const moneyRoles = ['owner', 'finance'] as const satisfies MerchantRole[];

export function isMerchantRole(word: string): word is MerchantRole {
  return (merchantRoles as readonly string[]).includes(word);
}

export function handlesMoney(role: string): boolean {
  return (moneyRoles as readonly string[]).includes(role);
}
