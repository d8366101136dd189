/**
 * Handset prompts through another rail's account with its provider. A rail that collects in a country without a
 * provider of its own uses this. The payments belong to the rail, and only the provider's calls come from here.
 */
import type { Currency } from '../domain/money';
import type { ProviderCheckups } from './provider-checkups';
import type { NotificationRoute, Operation, Rail, RailApi } from './rail';

export interface HandsetPrompt {
  /** ISO 3166 alpha-3. */
  country: string;
  currency: Currency;
  amountMinor: bigint;
  /** With the country's prefix, without a plus. */
  phoneDigits: string;
}

/** The detail of a payment that stores its network. */
export const networkDetail = 'network';

export interface HandsetCollections {
  /** The value of `provider` in such a payment. */
  provider: string;
  /** The rail that has the account. */
  account: string;
  /**
   * The network of a number. A payment stores it as a detail, and its phone number in digits.
   * @throws PaymentError INVALID_PHONE_NUMBER, AMOUNT_OUT_OF_RANGE, INVALID_AMOUNT, PROVIDER_TEMPORARILY_UNAVAILABLE,
   *   PROVIDER_UNAVAILABLE or PROVIDER_ACCOUNT_REFUSED.
   */
  networkOf(asked: HandsetPrompt): Promise<string>;
  /** Our own id, a UUIDv4, is the provider's reference of a payment. */
  actions: Required<Pick<Operation, 'initiate' | 'recover' | 'retrieveStatus' | 'readNotification'>>;
  notificationsAreTrusted: boolean;
  /** The route for the provider's notifications about the account, at an address of the borrowing rail. */
  notificationRoute(api: RailApi, path: string): NotificationRoute;
  matchNotification: NonNullable<Rail['matchNotification']>;
  /** @param countries in which the borrowing rail collects, in ISO 3166 alpha-3. */
  checkups(countries: readonly string[]): ProviderCheckups;
}
