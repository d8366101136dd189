import type { ErrorCode } from '../../../../domain/errors';
import { meaningOf } from '../../../../rail-kit/provider-words';

/** The error codes for the provider's rejections of a submission. */
export const errorCodes: Record<string, ErrorCode> = {
  // Our own account: an operator must act.
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
  // The network, or our balance at the provider.
  PROVIDER_TEMPORARILY_UNAVAILABLE: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
  PAWAPAY_WALLET_OUT_OF_FUNDS: 'PROVIDER_ACCOUNT_REFUSED',
  // Refunds.
  NOT_FOUND: 'PAYMENT_NOT_FOUND',
  INVALID_STATE: 'DEPOSIT_NOT_COMPLETED',
  AMOUNT_TOO_LARGE: 'REFUND_EXCEEDS_REMAINDER',
  DEPOSIT_ALREADY_REFUNDED: 'REFUND_EXCEEDS_REMAINDER',
};

/** Rejections of the request's content, independent of the state of our account, the network or the recipient. */
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

/** The merchant's code for a final failure: the provider's code, unless it is listed here. */
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

/** Failures that the customer or the merchant decided. */
const cancellations = new Set(['PAYMENT_NOT_APPROVED', 'MANUALLY_CANCELLED']);

/** Every failure code that a merchant may get for a transaction. */
export const reportedCodes = [...known, ...Object.values(renamed), ...cancellations, 'UNSPECIFIED_FAILURE'];

export interface Failure {
  kind: 'failed' | 'cancelled';
  code: string;
  /** Our balance or our account at the provider caused the failure. */
  ourAccount?: true;
}

/** @returns undefined for UNKNOWN_ERROR, which is no failure: the service polls until the status is known. */
export function failureOf(providerCode: string): Failure | undefined {
  if (providerCode === 'UNKNOWN_ERROR') return undefined;
  if (cancellations.has(providerCode)) return { kind: 'cancelled', code: providerCode };
  const code =
    meaningOf(renamed, providerCode) ?? (known.has(providerCode) ? providerCode : 'UNSPECIFIED_FAILURE');
  return { kind: 'failed', code, ...(ourAccounts.has(providerCode) && { ourAccount: true }) };
}
