/** Why a request was rejected or a payment failed: the code, its sentence, and the HTTP status of a rejection. */
export const failures = {
  NO_AUTHENTICATION: [401, 'The API token was not found in the request headers.'],
  AUTHENTICATION_ERROR: [403, 'The API token in the request is invalid.'],
  HTTP_SIGNATURE_ERROR: [403, 'The signature of the request could not be verified.'],
  INVALID_INPUT: [400, 'The payload of the request could not be read.'],
  MISSING_PARAMETER: [400, 'A mandatory parameter is missing.'],
  UNSUPPORTED_PARAMETER: [400, 'A parameter is not supported.'],
  INVALID_PARAMETER: [400, 'The value of a parameter is invalid.'],
  DUPLICATE_METADATA_FIELD: [400, 'A metadata field is given twice.'],
  AMOUNT_OUT_OF_BOUNDS: [200, 'The amount is outside of the limits of the provider.'],
  INVALID_AMOUNT: [200, 'The provider does not support so many decimals in the amount.'],
  INVALID_PHONE_NUMBER: [200, 'The phone number is not valid for the provider.'],
  INVALID_CURRENCY: [200, 'The currency is not supported by the provider.'],
  INVALID_PROVIDER: [200, 'The provider is unknown or not enabled.'],
  PROVIDER_TEMPORARILY_UNAVAILABLE: [200, 'The provider is not available at the moment.'],
  PAWAPAY_WALLET_OUT_OF_FUNDS: [200, 'The balance of the wallet is too low.'],
  NOT_FOUND: [200, 'The transaction was not found.'],
  INVALID_STATE: [200, 'The state of the transaction does not allow this.'],
  AMOUNT_TOO_LARGE: [200, 'The amount is larger than what is left to refund.'],
  DEPOSIT_ALREADY_REFUNDED: [200, 'The deposit has been refunded already.'],
  REFUND_IN_PROGRESS: [200, 'Another refund of the deposit is in progress.'],
  UNKNOWN_ERROR: [500, 'Something unexpected happened.'],
  PAYMENT_NOT_APPROVED: [200, 'The customer did not approve the payment.'],
  INSUFFICIENT_BALANCE: [200, 'The customer does not have enough funds.'],
  PAYMENT_IN_PROGRESS: [200, 'The customer has another payment in progress.'],
  PAYER_NOT_FOUND: [200, 'The phone number does not belong to the provider.'],
  PAYER_LIMIT_REACHED: [200, 'The customer has reached a limit of their wallet.'],
  RECIPIENT_NOT_FOUND: [200, 'The phone number does not belong to the provider.'],
  RECIPIENT_LIMIT_REACHED: [200, 'The recipient has reached a limit of their wallet.'],
  WALLET_LIMIT_REACHED: [200, 'The wallet has reached a limit.'],
  MANUALLY_CANCELLED: [200, 'The transaction was cancelled on request.'],
  UNSPECIFIED_FAILURE: [200, 'The provider gave no reason.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type FailureCode = keyof typeof failures;

export interface Failure {
  code: FailureCode;
  message: string;
}

/** @param detail for the general sentence, such as the invalid field */
export function failure(code: FailureCode, detail?: string): Failure {
  const [, sentence] = failures[code];
  return { code, message: detail === undefined ? sentence : `${sentence} ${detail}` };
}
