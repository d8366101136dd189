/** What an API key may do. */
import { errorResponses, PaymentError } from '../domain/errors';

/**
 * - read: look: statuses, lists, balances, statements and events. Every key has it.
 * - collect: take payments, and connect the shop's server: prompts, deposits, orders, vouchers redeemed, webhooks.
 * - payout: send money out: payouts, refunds, vouchers made of the merchant's money, and calling a payout off.
 */
export const keyScopes = ['read', 'collect', 'payout'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Of a key that an operator makes. */
export const everyScope: readonly KeyScope[] = [...keyScopes];

/** Reads the column: words with commas between. A word that this version does not know gives nothing. */
export function scopesOf(column: string): KeyScope[] {
  const words = column.split(',');
  return keyScopes.filter((scope) => words.includes(scope));
}

/**
 * What a key is used for has to be among its scopes.
 * @throws PaymentError SCOPE_REQUIRED
 */
export function expectScope(scope: KeyScope, scopes: readonly KeyScope[]): void {
  if (scopes.includes(scope)) return;
  throw new PaymentError('SCOPE_REQUIRED', {
    message: `${errorResponses.SCOPE_REQUIRED.message}: it lacks the scope ${scope}`,
    extra: { required_scope: scope },
  });
}

/** What is kept: in their order, each once, and `read` always. */
export function scopesColumn(scopes: readonly KeyScope[]): string {
  return keyScopes.filter((scope) => scope === 'read' || scopes.includes(scope)).join(',');
}
