import type { Currency } from '../../domain/money';

/** What the provider's networks move, of all the countries it serves. Which network takes which, its own list says. */
export const momoCurrencies = [
  ...(['CDF', 'ETB', 'GHS', 'KES', 'LSL', 'MWK', 'MZN', 'NGN', 'RWF', 'SLE'] as const),
  ...(['TZS', 'UGX', 'USD', 'XAF', 'XOF', 'ZMW'] as const),
] satisfies readonly Currency[];

export type NetworkOperation = 'deposit' | 'payout' | 'refund';
export type NetworkStatus = 'OPERATIONAL' | 'DELAYED' | 'CLOSED';

/** What a network takes in one kind of operation. Amounts are decimal texts, as the provider publishes them. */
export interface OperationLimits {
  minAmount: string;
  maxAmount: string;
  decimals: 0 | 2;
  status: NetworkStatus;
}

/** One mobile-money network of one country, in one currency. */
export interface Network {
  /** The provider code merchants use, such as `MTN_MOMO_ZMB`. */
  provider: string;
  providerName: string;
  /** ISO 3166 alpha-3. */
  country: string;
  countryName: string;
  currency: Currency;
  requiresRedirect: boolean;
  requiresPreauth: boolean;
  operations: Partial<Record<NetworkOperation, OperationLimits>>;
}

/** The networks the provider serves now. */
export interface NetworkDirectory {
  /**
   * Cached for five minutes, or for `maxAgeMs` (milliseconds) where an old answer would turn somebody away.
   * @throws PaymentError PROVIDER_UNAVAILABLE when none were ever read.
   */
  list(maxAgeMs?: number): Promise<Network[]>;
  /** The network of a number, in digits. @returns undefined when the provider cannot tell. */
  predict(phoneDigits: string): Promise<string | undefined>;
}
