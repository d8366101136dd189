/** Why each code is answered, and what its reader does about it. The compiler asks for every code. */
import type { ErrorCode } from '../../src/domain/errors';

export interface Remedy {
  cause: string;
  remedy: string;
}

const keysWrong = 'Compare both headers with what your operator gave you, and the environment that you call.';
const askOperator = 'Only your operator can change that.';
const nothingStarted =
  'Nothing was started: make the request again after Retry-After seconds, with the same Idempotency-Key.';

export const remedies: Record<ErrorCode, Remedy> = {
  VALIDATION_FAILED: {
    cause: 'Fields are missing, of the wrong type or outside of their limits.',
    remedy: 'Mend each field that details lists, and send the request again.',
  },
  INVALID_JSON: { cause: 'The body is no JSON object.', remedy: 'Send one object, in UTF-8.' },
  INVALID_QUERY: {
    cause: 'The query does not decode, or has a parameter twice.',
    remedy: 'Encode each value, and give each parameter once.',
  },
  INVALID_PHONE_NUMBER: {
    cause: 'The number is none of its country, or not a mobile one.',
    remedy: 'Send it in international form, such as +260763456789, and let the customer look at it.',
  },
  INVALID_AMOUNT: {
    cause: 'The amount has too many decimals, or is no number.',
    remedy: 'Use the decimals of the currency: two for KES, none for UGX.',
  },
  AMOUNT_OUT_OF_RANGE: {
    cause: 'The rail or the network takes no amount as small, or as large.',
    remedy: 'The reference, or GET /api/v1/momo/providers for mobile money, tells the limits.',
  },
  UNSUPPORTED_CURRENCY: {
    cause: 'The rail does not move this currency.',
    remedy: 'Use another rail, or a currency that the reference names for this one.',
  },
  FLOAT_INSUFFICIENT: {
    cause: 'The float of this rail, country and currency holds less than the payout and its fee.',
    remedy:
      'Have it filled up, then pay out again under a new order_id or Idempotency-Key. Nothing was sent.',
  },
  OUTFLOW_LIMIT_REACHED: {
    cause: 'A limit on what may go out in a day, or to one recipient, is reached.',
    remedy: 'Wait until frees_at, pay less, or ask your operator for a higher limit.',
  },
  BALANCE_INSUFFICIENT: {
    cause: 'The wallet holds less than what is to be given back, or set aside.',
    remedy: 'Wait for money to come in, or give back a smaller part.',
  },
  COUNTRY_NOT_SUPPORTED: {
    cause: 'No network of this country is served.',
    remedy: 'GET /api/v1/momo/providers lists the countries.',
  },
  PROVIDER_NOT_FOUND: {
    cause: 'The country has no network of that name, or the number belongs to none.',
    remedy: 'Leave provider out, or take one from GET /api/v1/momo/providers.',
  },
  PREAUTH_CODE_REQUIRED: {
    cause: 'The network wants a code that the customer gets by dialling.',
    remedy: 'Ask the customer for it, and send it as preauth_code.',
  },
  REFUND_EXCEEDS_REMAINDER: {
    cause: 'Refunds before this one leave less of the deposit than is asked for.',
    remedy: 'Ask for the remainder at most; without an amount all of it is given back.',
  },
  INVALID_EVENT: {
    cause: 'What was sent is no event of the provider.',
    remedy: 'Only providers call this address.',
  },
  PROVIDER_REJECTED_REQUEST: {
    cause: 'The provider did not take the request; nothing was started.',
    remedy: 'message and details say why, as far as the provider does.',
  },
  CREDENTIALS_MISSING: {
    cause: 'A wallet endpoint was called without keys.',
    remedy: 'Send X-API-Key and X-API-Secret.',
  },
  CREDENTIALS_REQUIRED: { cause: 'The call has no keys.', remedy: 'Send X-API-Key and X-API-Secret.' },
  INVALID_CREDENTIALS: { cause: 'The key is unknown, or the secret is not its own.', remedy: keysWrong },
  KEY_OF_OTHER_ENVIRONMENT: {
    cause: 'A key of the sandbox was used in live, or the other way round.',
    remedy: keysWrong,
  },
  INVALID_SIGNATURE: {
    cause: 'A notification is not signed by the provider.',
    remedy: 'Only providers call this address.',
  },
  INVALID_MERCHANT: { cause: 'The keys of a balance request are wrong.', remedy: keysWrong },
  IP_NOT_ALLOWED: {
    cause: 'The merchant has a list of addresses, and you call from another.',
    remedy: `Call from one of them. ${askOperator}`,
  },
  ACCOUNT_SUSPENDED: { cause: 'The merchant is suspended.', remedy: askOperator },
  ACCOUNT_INACTIVE: { cause: 'The merchant is no longer, or not yet, active.', remedy: askOperator },
  INACTIVE_MERCHANT: {
    cause: 'No active merchant has this merchant_id.',
    remedy: 'Compare it with what your operator gave you.',
  },
  SCOPE_REQUIRED: {
    cause: 'The API key may not do this: `required_scope` names what it lacks.',
    remedy:
      'Use a key that may, or have the scope added on the Developers page. An owner asks for `payout`, and a second person confirms it.',
  },
  PERMISSION_REQUIRED: {
    cause: 'Wallet payouts need the permission can_payout.',
    remedy: askOperator,
  },
  NOT_FOUND: { cause: 'There is no such path.', remedy: 'Compare it with the reference.' },
  PAYMENT_NOT_FOUND: {
    cause: 'None of your payments on this rail has this id.',
    remedy: 'Look for it with GET /api/v1/payments?reference=…, and with the right keys.',
  },
  WEBHOOK_NOT_FOUND: {
    cause: 'None of your webhooks has this id. Not every event has a webhook.',
    remedy: 'GET /api/v1/webhooks lists them.',
  },
  WEBHOOK_ENDPOINT_NOT_FOUND: {
    cause: 'None of your endpoints in use has this id.',
    remedy: 'GET /api/v1/webhook_endpoints lists them.',
  },
  VOUCHER_NOT_FOUND: { cause: 'No voucher has this code.', remedy: 'Copy it from the mail, whole.' },
  MERCHANT_NOT_FOUND: { cause: 'There is no such merchant.', remedy: keysWrong },
  METHOD_NOT_ALLOWED: {
    cause: 'The path is there, for another method.',
    remedy: 'The Allow header names those that it takes.',
  },
  REFUND_TOO_LATE: {
    cause: 'The provider gives nothing back after so long.',
    remedy: 'Pay the customer out instead, where your rail can.',
  },
  DEPOSIT_NOT_COMPLETED: {
    cause: 'The deposit is not paid, or is given back already.',
    remedy: 'Ask for its status; refund it once it has succeeded.',
  },
  PAYOUT_NOT_CANCELLABLE: {
    cause: 'The network has begun, or the payout has ended.',
    remedy: 'Ask for its status. What was paid does not come back by itself.',
  },
  CANCELLATION_IN_PROGRESS: {
    cause: 'The network has not said yet whether it still cancels.',
    remedy: 'Ask for the status, or ask to cancel again: neither can do harm.',
  },
  VOUCHER_NOT_ACTIVE: {
    cause: 'It was redeemed, or has expired.',
    remedy: 'Its money is back with whoever made it.',
  },
  DUPLICATE_PAYMENT: {
    cause: 'The same payment was asked for a moment ago.',
    remedy: 'Ask for the status of payment_id. Ask anew only if that one has failed.',
  },
  WEBHOOK_SUPERSEDED: {
    cause: 'The payment has a later status, and this one would mislead whoever acts on it.',
    remedy: 'Send the webhook of the later status again, or ask for the status of the payment.',
  },
  WEBHOOK_NOT_KEPT: {
    cause: 'Its body is older than what is kept.',
    remedy: 'Ask for the status of the payment instead.',
  },
  WEBHOOK_WITHOUT_ADDRESS: {
    cause: 'The merchant has no such address, or one that we may not call.',
    remedy: `It has to be public and https in live. ${askOperator}`,
  },
  CUSTOMER_BUSY: {
    cause: 'The customer has another prompt on the handset.',
    remedy: 'Let the customer answer it, and ask again after a minute.',
  },
  REQUEST_IN_PROGRESS: {
    cause: 'A request with this Idempotency-Key has no answer yet.',
    remedy: 'Repeat it after a second: you get the answer of the first.',
  },
  ORDER_ID_REUSED: {
    cause: 'This order_id was used for something else.',
    remedy: 'Give each order an id of its own; repeat an order with the very same fields.',
  },
  ORDER_NOT_APPROVED: {
    cause: 'The buyer has not approved on the page.',
    remedy: 'Send the buyer to approval_url, and capture after they return.',
  },
  ORDER_EXPIRED: { cause: 'The buyer took too long.', remedy: 'Make a new order under a new order_id.' },
  ORDER_FAILED: {
    cause: 'The payment of the order failed.',
    remedy: 'Make a new order under a new order_id.',
  },
  CURSOR_EXPIRED: {
    cause: 'Events after the cursor are no longer kept.',
    remedy: 'Begin without after, and ask for the payments of the time between.',
  },
  BODY_TOO_LARGE: {
    cause: 'The body has more than 64 kB, or 1 MB for bulk payouts.',
    remedy: 'Send less at once.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The Content-Type is another.',
    remedy: 'Send Content-Type: application/json, and JSON.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: 'The key was used with another body.',
    remedy: 'A new request needs a new key; a repeated one the same body.',
  },
  RATE_LIMITED: {
    cause: 'More calls than the merchant, or the address, may make.',
    remedy: 'Wait for Retry-After seconds, and spread your calls.',
  },
  INTERNAL_ERROR: {
    cause: 'A fault of ours, which is in the log under request_id.',
    remedy: 'Ask for the status before you ask for anything again; tell your operator the request_id.',
  },
  PROCESSOR_FAILURE: {
    cause: 'The processor could not take the order; it cannot be paid.',
    remedy: 'Make a new order.',
  },
  PROVIDER_ACCOUNT_REFUSED: {
    cause: "The provider refuses the deployment's own account.",
    remedy: 'Nothing was started. Operators have been told; try again later.',
  },
  PROVIDER_UNAVAILABLE: { cause: 'The provider does not answer.', remedy: nothingStarted },
  PROVIDER_TEMPORARILY_UNAVAILABLE: {
    cause: 'The network is closed for this operation.',
    remedy: `${nothingStarted} GET /api/v1/momo/providers tells which are open.`,
  },
  SERVICE_UNAVAILABLE: { cause: 'The database or Temporal cannot be reached.', remedy: nothingStarted },
  RATE_UNAVAILABLE: { cause: 'No exchange rate is fresh enough.', remedy: nothingStarted },
  SERVICE_BUSY: { cause: 'There is more to do than can be done in time.', remedy: nothingStarted },
  ACCEPTANCE_UNKNOWN: {
    cause: 'The database did not say in time whether the payment was written.',
    remedy:
      'Repeat the request with the same Idempotency-Key or order_id, which never makes a second; without one ask for the status of payment_id.',
  },
};
