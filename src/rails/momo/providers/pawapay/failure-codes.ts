import type { ErrorCode } from '../../../../domain/errors';
import { meaningOf } from '../../../../rail-kit/provider-words';

/** How the provider's refusals of an initiation are told to the merchant. */
export const refusals: Record<string, ErrorCode> = {
  // Our own account: an operator's matter.
  NO_AUTHENTICATION: 'PROVIDER_ACCOUNT_REFUSED',
  AUTHENTICATION_ERROR: 'PROVIDER_ACCOUNT_REFUSED',
  AUTHORISATION_ERROR: 'PROVIDER_ACCOUNT_REFUSED',
  HTTP_SIGNATURE_ERROR: 'PROVIDER_ACCOUNT_REFUSED',
  DEPOSITS_NOT_ALLOWED: 'PROVIDER_ACCOUNT_REFUSED',
  PAYOUTS_NOT_ALLOWED: 'PROVIDER_ACCOUNT_REFUSED',
  REFUNDS_NOT_ALLOWED: 'PROVIDER_ACCOUNT_REFUSED',
  // The request.
  INVALID_INPUT: 'PROVIDER_REJECTED_REQUEST',
  MISSING_PARAMETER: 'PROVIDER_REJECTED_REQUEST',
  UNSUPPORTED_PARAMETER: 'PROVIDER_REJECTED_REQUEST',
  INVALID_PARAMETER: 'PROVIDER_REJECTED_REQUEST',
  DUPLICATE_METADATA_FIELD: 'PROVIDER_REJECTED_REQUEST',
  AMOUNT_OUT_OF_BOUNDS: 'AMOUNT_OUT_OF_RANGE',
  INVALID_AMOUNT: 'INVALID_AMOUNT',
  INVALID_PHONE_NUMBER: 'INVALID_PHONE_NUMBER',
  INVALID_CURRENCY: 'UNSUPPORTED_CURRENCY',
  INVALID_PROVIDER: 'PROVIDER_NOT_FOUND',
  INVALID_COUNTRY: 'COUNTRY_NOT_SUPPORTED',
  // The network, or the provider's own purse.
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'PROVIDER_ACCOUNT_REFUSED',
  // Refunds.
  NOT_FOUND: 'PAYMENT_NOT_FOUND',
  INVALID_STATE: 'DEPOSIT_NOT_COMPLETED',
  AMOUNT_TOO_LARGE: 'REFUND_EXCEEDS_REMAINDER',
  DEPOSIT_ALREADY_REFUNDED: 'REFUND_EXCEEDS_REMAINDER',
};

/** Refusals of the words themselves, whatever our account, the network or the recipient is like just then. */
const aboutWords = new Set([
  'INVALID_INPUT',
  'MISSING_PARAMETER',
  'UNSUPPORTED_PARAMETER',
  'INVALID_PARAMETER',
  'DUPLICATE_METADATA_FIELD',
  'INVALID_AMOUNT',
  'INVALID_PHONE_NUMBER',
]);

export function isAboutItsWords(providerCode: string): boolean {
  return aboutWords.has(providerCode);
}

/** How a final failure is told: the provider's code as ours, unless it is listed here. */
const renamed: Record<string, string> = {
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'INSUFFICIENT_FLOAT',
  TRANSACTION_ALREADY_IN_PROCESS: 'PAYMENT_IN_PROGRESS',
};

const ourAccounts = new Set(['PAWAPAY_WALLET_OUT_OF_FUNDS']);

const known = new Set([
  'PAYER_NOT_FOUND',
  'INSUFFICIENT_BALANCE',
  'PAYER_LIMIT_REACHED',
  'WALLET_LIMIT_REACHED',
  'PAYMENT_IN_PROGRESS',
  'PAYMENT_NOT_APPROVED',
  'RECIPIENT_NOT_FOUND',
  'RECIPIENT_LIMIT_REACHED',
  'MANUALLY_CANCELLED',
  'AMOUNT_TOO_LARGE',
  'DEPOSIT_ALREADY_REFUNDED',
  'REFUND_IN_PROGRESS',
]);

/** Ends that are the customer's or the merchant's own decision. */
const cancellations = new Set(['PAYMENT_NOT_APPROVED', 'MANUALLY_CANCELLED']);

/** Every code that a merchant may be told of a transaction that did not succeed. */
export const toldCodes = [...known, ...Object.values(renamed), ...cancellations, 'UNSPECIFIED_FAILURE'];

export interface Failure {
  kind: 'failed' | 'cancelled';
  code: string;
  /** Our own purse at the provider, or our account there. */
  ourAccount?: true;
}

/** @returns undefined for UNKNOWN_ERROR, which is no failure: the status has to be asked until it is known. */
export function failureOf(providerCode: string): Failure | undefined {
  if (providerCode === 'UNKNOWN_ERROR') return undefined;
  if (cancellations.has(providerCode)) return { kind: 'cancelled', code: providerCode };
  const code =
    meaningOf(renamed, providerCode) ?? (known.has(providerCode) ? providerCode : 'UNSPECIFIED_FAILURE');
  return { kind: 'failed', code, ...(ourAccounts.has(providerCode) && { ourAccount: true }) };
}
