/**
 * Handset prompts through the account that another rail has with its provider. A rail that collects in a country where
 * it has no provider of its own is lent this; the payments stay its own, and only the words are exchanged here.
 */
import type { Currency } from '../domain/money';
import type { ProviderCheckups } from './provider-checkups';
import type { NotificationRoute, Operation, Rail, RailApi } from './rail';

export interface AskedOnHandset {
  /** ISO 3166 alpha-3. */
  country: string;
  currency: Currency;
  amountMinor: bigint;
  /** With the country's prefix, without a plus. */
  phoneDigits: string;
}

/** The detail of a payment that keeps the network it goes through. */
export const networkDetail = 'network';

export interface HandsetCollections {
  /** What such a payment has as its `provider`. */
  provider: string;
  /** The rail that has the account. */
  account: string;
  /**
   * The network of a number. A payment keeps it as a detail, and its phone number in digits.
   * @throws PaymentError INVALID_PHONE_NUMBER, AMOUNT_OUT_OF_RANGE, INVALID_AMOUNT, PROVIDER_TEMPORARILY_UNAVAILABLE,
   *   PROVIDER_UNAVAILABLE or PROVIDER_ACCOUNT_REFUSED.
   */
  networkOf(asked: AskedOnHandset): Promise<string>;
  /** Our own id, a UUIDv4, is the provider's name for a payment. */
  actions: Required<Pick<Operation, 'initiate' | 'recover' | 'retrieveStatus' | 'readNotification'>>;
  notificationsAreProof: boolean;
  /** Where the provider may tell of all that goes through the account, at an address of the borrower's. */
  notificationRoute(api: RailApi, path: string): NotificationRoute;
  matchNotification: NonNullable<Rail['matchNotification']>;
  checkups(): ProviderCheckups;
}
