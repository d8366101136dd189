/** The cause of each code, and what its reader can do. The compiler requires every code. */
import type { ErrorCode } from '../../src/domain/errors';

export interface Remedy {
  cause: string;
  remedy: string;
}

const keysWrong =
  'Compare both headers with the values from your operator, and with the environment of the address.';
const askOperator = 'Only your operator can change this.';
const nothingStarted =
  'Nothing was started: repeat the request after Retry-After seconds, with the same Idempotency-Key.';

export const remedies: Record<ErrorCode, Remedy> = {
  VALIDATION_FAILED: {
    cause: 'Fields are missing, have a wrong type, or are outside their limits.',
    remedy: 'Correct each field in details, and send the request again.',
  },
  INVALID_JSON: { cause: 'The body is not a JSON object.', remedy: 'Send one JSON object, in UTF-8.' },
  INVALID_QUERY: {
    cause: 'The query is not decodable, or has a parameter twice.',
    remedy: 'Encode each value, and send each parameter once.',
  },
  INVALID_PHONE_NUMBER: {
    cause: 'The number is not valid in its country, or not a mobile number.',
    remedy: 'Send it in international form, such as +260763456789, and let the customer check it.',
  },
  INVALID_AMOUNT: {
    cause: 'The amount has too many decimals, or is not a number.',
    remedy: 'Use the decimals of the currency: two for KES, none for UGX.',
  },
  AMOUNT_OUT_OF_RANGE: {
    cause: 'The amount is below or above the limits of the rail or the network.',
    remedy: 'The reference has the limits; for mobile money, GET /api/v1/momo/providers has them.',
  },
  UNSUPPORTED_CURRENCY: {
    cause: 'The rail does not support this currency.',
    remedy: 'Use another rail, or a currency that the reference lists for this one.',
  },
  FLOAT_INSUFFICIENT: {
    cause: 'The float of this rail, country and currency is less than the payout and its fee.',
    remedy: 'Top up the float, then pay out again under a new order_id or Idempotency-Key. Nothing was sent.',
  },
  OUTFLOW_LIMIT_REACHED: {
    cause: 'The payout exceeds a limit per day, per payment or per recipient.',
    remedy: 'Wait until frees_at, pay less, or ask your operator for a higher limit.',
  },
  BALANCE_INSUFFICIENT: {
    cause: 'The wallet balance is less than the amount to refund or reserve.',
    remedy: 'Wait for incoming money, or refund a smaller part.',
  },
  COUNTRY_NOT_SUPPORTED: {
    cause: 'No network of this country is supported.',
    remedy: 'GET /api/v1/momo/providers lists the countries.',
  },
  PROVIDER_NOT_FOUND: {
    cause: 'The country has no such network, or the number belongs to no network.',
    remedy: 'Omit provider, or use one from GET /api/v1/momo/providers.',
  },
  PREAUTH_CODE_REQUIRED: {
    cause: 'The network requires a code that the customer gets by dialling.',
    remedy: 'Ask the customer for the code, and send it as preauth_code.',
  },
  REFUND_EXCEEDS_REMAINDER: {
    cause: 'Earlier refunds leave less of the deposit than the requested amount.',
    remedy: 'Refund at most the remainder; without an amount, all of it is refunded.',
  },
  INVALID_EVENT: {
    cause: 'The body is not an event of the provider.',
    remedy: 'Only providers call this address.',
  },
  PROVIDER_REJECTED_REQUEST: {
    cause: 'The provider rejected the request; nothing was started.',
    remedy: 'message and details contain the reason, if the provider gives one.',
  },
  CREDENTIALS_MISSING: {
    cause: 'The request to a wallet endpoint has no keys.',
    remedy: 'Send X-API-Key and X-API-Secret.',
  },
  CREDENTIALS_REQUIRED: { cause: 'The request has no keys.', remedy: 'Send X-API-Key and X-API-Secret.' },
  INVALID_CREDENTIALS: { cause: 'The key is unknown, or the secret does not match it.', remedy: keysWrong },
  KEY_OF_OTHER_ENVIRONMENT: {
    cause: 'A sandbox key was used in live, or a live key in the sandbox.',
    remedy: keysWrong,
  },
  INVALID_SIGNATURE: {
    cause: 'A notification has no valid signature of the provider.',
    remedy: 'Only providers call this address.',
  },
  INVALID_MERCHANT: { cause: 'The keys of a balance request are wrong.', remedy: keysWrong },
  IP_NOT_ALLOWED: {
    cause: 'The merchant has an address list, and the request comes from another address.',
    remedy: 'Send the request from a listed address. An owner of the shop or your operator adds addresses.',
  },
  ACCOUNT_SUSPENDED: { cause: 'The merchant is suspended.', remedy: askOperator },
  ACCOUNT_INACTIVE: { cause: 'The merchant is not active any more, or not yet.', remedy: askOperator },
  INACTIVE_MERCHANT: {
    cause: 'No active merchant has this merchant_id.',
    remedy: 'Compare it with the value from your operator.',
  },
  SCOPE_REQUIRED: {
    cause: 'The API key lacks a scope: `required_scope` names it.',
    remedy:
      'Use a key with the scope, or add the scope on the Developers page. An owner requests `payout`, and a second user confirms it.',
  },
  PERMISSION_REQUIRED: {
    cause: 'Wallet payouts need the permission can_payout.',
    remedy: askOperator,
  },
  NOT_FOUND: { cause: 'There is no such path.', remedy: 'Compare it with the reference.' },
  PAYMENT_NOT_FOUND: {
    cause: 'None of your payments on this rail has this id.',
    remedy: 'Find it with GET /api/v1/payments?reference=…, with the right keys.',
  },
  WEBHOOK_NOT_FOUND: {
    cause: 'None of your webhooks has this id. Not every event has a webhook.',
    remedy: 'GET /api/v1/webhooks lists them.',
  },
  WEBHOOK_ENDPOINT_NOT_FOUND: {
    cause: 'None of your active endpoints has this id.',
    remedy: 'GET /api/v1/webhook_endpoints lists them.',
  },
  VOUCHER_NOT_FOUND: { cause: 'No voucher has this code.', remedy: 'Copy the whole code from the mail.' },
  MERCHANT_NOT_FOUND: { cause: 'There is no such merchant.', remedy: keysWrong },
  METHOD_NOT_ALLOWED: {
    cause: 'The path exists, but not for this method.',
    remedy: 'The Allow header lists the methods.',
  },
  REFUND_TOO_LATE: {
    cause: 'The provider does not refund so old payments.',
    remedy: 'Pay the customer out instead, if your rail supports it.',
  },
  DEPOSIT_NOT_COMPLETED: {
    cause: 'The deposit is not paid, or is already refunded.',
    remedy: 'Query its status; refund it once it has succeeded.',
  },
  PAYOUT_NOT_CANCELLABLE: {
    cause: 'The network has started the payout, or the payout is final.',
    remedy: 'Query its status. A paid payout cannot be cancelled.',
  },
  CANCELLATION_IN_PROGRESS: {
    cause: 'The network has not confirmed the cancellation yet.',
    remedy: 'Query the status, or cancel again: both are safe.',
  },
  VOUCHER_NOT_ACTIVE: {
    cause: 'It was redeemed, or has expired.',
    remedy: 'Its money has returned to its merchant.',
  },
  DUPLICATE_PAYMENT: {
    cause: 'The same payment was requested a moment ago.',
    remedy: 'Query the status of payment_id. Request a new payment only if that one has failed.',
  },
  WEBHOOK_SUPERSEDED: {
    cause: 'The payment has a later status, and this webhook would be out of date.',
    remedy: 'Resend the webhook of the later status, or query the payment’s status.',
  },
  WEBHOOK_NOT_KEPT: {
    cause: 'Its body has expired.',
    remedy: 'Query the payment’s status instead.',
  },
  WEBHOOK_WITHOUT_ADDRESS: {
    cause: 'The merchant has no such address, or one that we may not call.',
    remedy: `The address must be public, and in live https. ${askOperator}`,
  },
  CUSTOMER_BUSY: {
    cause: 'The customer has another prompt on the handset.',
    remedy: 'Let the customer answer it, and try again after a minute.',
  },
  REQUEST_IN_PROGRESS: {
    cause: 'A request with this Idempotency-Key is still in progress.',
    remedy: 'Repeat it after a second: you get the answer of the first request.',
  },
  ORDER_ID_REUSED: {
    cause: 'This order_id was used for another payment.',
    remedy: 'Use a new id for each order; repeat an order with exactly the same fields.',
  },
  ORDER_NOT_APPROVED: {
    cause: 'The buyer has not approved the order on its page.',
    remedy: 'Send the buyer to approval_url, and capture after they return.',
  },
  ORDER_EXPIRED: {
    cause: 'The buyer did not pay in time.',
    remedy: 'Create a new order with a new order_id.',
  },
  ORDER_FAILED: {
    cause: 'The payment of the order failed.',
    remedy: 'Create a new order with a new order_id.',
  },
  CURSOR_EXPIRED: {
    cause: 'Events after the cursor have expired.',
    remedy: 'Start without after, and query the payments of the time between.',
  },
  BODY_TOO_LARGE: {
    cause: 'The body is over 64 kB, or over 1 MB for bulk payouts.',
    remedy: 'Send less in one request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The Content-Type is not JSON.',
    remedy: 'Send Content-Type: application/json, and JSON.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: 'The key was used with another body.',
    remedy: 'Use a new key for a new request, and the same body for a repeated one.',
  },
  RATE_LIMITED: {
    cause: 'The merchant, or the address, has exceeded its rate limit.',
    remedy: 'Wait for Retry-After seconds, and make fewer requests at once.',
  },
  INTERNAL_ERROR: {
    cause: 'An error of ours; the log has it under request_id.',
    remedy: 'Query the status before you repeat the request, and give your operator the request_id.',
  },
  PROCESSOR_FAILURE: {
    cause: 'The processor could not create the order; it cannot be paid.',
    remedy: 'Create a new order.',
  },
  PROVIDER_ACCOUNT_REFUSED: {
    cause: "The provider rejects the deployment's own account.",
    remedy: 'Nothing was started. Operators have been notified; try again later.',
  },
  PROVIDER_UNAVAILABLE: { cause: 'The provider does not answer.', remedy: nothingStarted },
  PROVIDER_TEMPORARILY_UNAVAILABLE: {
    cause: 'The network does not accept this operation now.',
    remedy: `${nothingStarted} GET /api/v1/momo/providers lists the open ones.`,
  },
  SERVICE_UNAVAILABLE: { cause: 'The database or Temporal cannot be reached.', remedy: nothingStarted },
  RATE_UNAVAILABLE: { cause: 'No exchange rate is recent enough.', remedy: nothingStarted },
  SERVICE_BUSY: { cause: 'The load is too high to answer in time.', remedy: nothingStarted },
  ACCEPTANCE_UNKNOWN: {
    cause: 'The database did not confirm in time whether the payment was stored.',
    remedy:
      'Repeat the request with the same Idempotency-Key or order_id, which never creates a second payment; without one, query the status of payment_id.',
  },
};
