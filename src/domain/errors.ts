/**
 * The closed list of error codes, each with its HTTP status and its public sentence. The private detail of a
 * PaymentError is only logged, with the request id.
 */
export const errorResponses = {
  VALIDATION_FAILED: { status: 400, message: 'The request has invalid fields' },
  INVALID_JSON: { status: 400, message: 'The body is not valid JSON' },
  INVALID_QUERY: { status: 400, message: 'The query has invalid parameters' },
  INVALID_PHONE_NUMBER: { status: 400, message: 'The phone number is not valid' },
  INVALID_AMOUNT: { status: 400, message: 'The amount is not valid' },
  AMOUNT_OUT_OF_RANGE: { status: 400, message: 'The amount is outside the limits' },
  UNSUPPORTED_CURRENCY: { status: 400, message: 'The currency is not supported here' },
  FLOAT_INSUFFICIENT: { status: 400, message: 'Payout amount exceeds the available float' },
  OUTFLOW_LIMIT_REACHED: { status: 400, message: 'The payout exceeds an outflow limit' },
  BALANCE_INSUFFICIENT: { status: 400, message: 'The amount exceeds the available balance' },
  COUNTRY_NOT_SUPPORTED: { status: 400, message: 'The country is not supported' },
  PROVIDER_NOT_FOUND: { status: 400, message: 'No such provider in this country' },
  PREAUTH_CODE_REQUIRED: { status: 400, message: 'This provider needs a preauth_code' },
  REFUND_EXCEEDS_REMAINDER: { status: 400, message: 'The amount exceeds what is left to refund' },
  INVALID_EVENT: { status: 400, message: 'Not an event' },
  PROVIDER_REJECTED_REQUEST: { status: 400, message: 'The provider rejected the request' },
  CREDENTIALS_MISSING: { status: 400, message: 'API credentials required' },
  CREDENTIALS_REQUIRED: { status: 401, message: 'API credentials required' },
  INVALID_CREDENTIALS: { status: 401, message: 'Invalid API credentials' },
  KEY_OF_OTHER_ENVIRONMENT: { status: 401, message: 'API key not found' },
  INVALID_SIGNATURE: { status: 401, message: 'Invalid signature' },
  INVALID_MERCHANT: { status: 401, message: 'Invalid merchant' },
  IP_NOT_ALLOWED: { status: 403, message: 'IP address not whitelisted' },
  ACCOUNT_SUSPENDED: { status: 403, message: 'Account suspended' },
  ACCOUNT_INACTIVE: { status: 403, message: 'Account suspended' },
  INACTIVE_MERCHANT: { status: 403, message: 'Invalid or inactive merchant' },
  SCOPE_REQUIRED: { status: 403, message: 'This API key does not have the required scope' },
  PERMISSION_REQUIRED: { status: 403, message: 'The merchant lacks the permission for this' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  PAYMENT_NOT_FOUND: { status: 404, message: 'Payment not found' },
  WEBHOOK_NOT_FOUND: { status: 404, message: 'Webhook not found' },
  WEBHOOK_ENDPOINT_NOT_FOUND: { status: 404, message: 'Webhook endpoint not found' },
  VOUCHER_NOT_FOUND: { status: 404, message: 'Voucher not found' },
  MERCHANT_NOT_FOUND: { status: 404, message: 'Merchant account not found' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed' },
  REFUND_TOO_LATE: { status: 409, message: 'The payment is too old to be refunded' },
  DEPOSIT_NOT_COMPLETED: { status: 409, message: 'Only a completed deposit can be refunded' },
  PAYOUT_NOT_CANCELLABLE: { status: 409, message: 'The payout can no longer be cancelled' },
  CANCELLATION_IN_PROGRESS: {
    status: 409,
    message: 'The cancellation is still in progress; query the status, or repeat the request',
  },
  VOUCHER_NOT_ACTIVE: { status: 409, message: 'The voucher was already redeemed, or has expired' },
  DUPLICATE_PAYMENT: {
    status: 409,
    message: 'The same payment was requested a moment ago; query its status instead',
  },
  WEBHOOK_SUPERSEDED: {
    status: 409,
    message: 'A later status of the payment has replaced this webhook; it is not sent again',
  },
  WEBHOOK_NOT_KEPT: { status: 409, message: 'The data of this webhook is no longer stored' },
  WEBHOOK_WITHOUT_ADDRESS: { status: 409, message: 'No address is configured for this webhook' },
  CUSTOMER_BUSY: { status: 409, message: 'The customer has another payment prompt open; try again shortly' },
  REQUEST_IN_PROGRESS: { status: 409, message: 'A request with this Idempotency-Key is still in progress' },
  ORDER_ID_REUSED: { status: 409, message: 'This order_id was used for another request' },
  ORDER_NOT_APPROVED: { status: 409, message: 'The buyer has not approved the order yet' },
  ORDER_EXPIRED: { status: 409, message: 'The order was not paid in time' },
  ORDER_FAILED: { status: 409, message: 'The payment of the order failed' },
  CURSOR_EXPIRED: { status: 410, message: 'The events after this cursor are no longer stored' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is larger than 64 kB' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The body must be JSON, sent as application/json' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This Idempotency-Key was used with another body' },
  RATE_LIMITED: { status: 429, message: 'Too many requests' },
  INTERNAL_ERROR: { status: 500, message: 'Something went wrong on our side' },
  PROCESSOR_FAILURE: { status: 500, message: 'The payment processor could not create the order' },
  PROVIDER_ACCOUNT_REFUSED: {
    status: 502,
    message: 'The provider rejected our account; operators have been notified',
  },
  PROVIDER_UNAVAILABLE: { status: 503, message: 'The provider cannot be reached; nothing was started' },
  PROVIDER_TEMPORARILY_UNAVAILABLE: {
    status: 503,
    message: 'The provider does not accept this operation right now; nothing was started',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    message: 'The service is not available right now; nothing was started',
  },
  RATE_UNAVAILABLE: { status: 503, message: 'No current exchange rate is available; nothing was started' },
  SERVICE_BUSY: { status: 503, message: 'The service is busy; nothing was started' },
  ACCEPTANCE_UNKNOWN: {
    status: 504,
    message:
      'It is unknown whether the payment was started; query its status, or repeat the request with the same Idempotency-Key or order_id if it had one',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorResponses;

/** One error of one field, as listed under `details`. */
export interface FieldFault {
  field: string;
  message: string;
}

export interface PaymentErrorOptions {
  /** Replaces the code's sentence where a better one is known. Public. */
  message?: string;
  /** One more sentence, in `message` only: the specification gives the text of `error`. Public. */
  advice?: string;
  /** For the log only. */
  detail?: string;
  details?: FieldFault[];
  retryAfterSeconds?: number;
  /** Public fields besides the sentence, such as the id of the existing payment. */
  extra?: Record<string, string>;
  cause?: unknown;
}

export class PaymentError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly options: PaymentErrorOptions;

  constructor(code: ErrorCode, options: PaymentErrorOptions = {}) {
    super(options.message ?? errorResponses[code].message, { cause: options.cause });
    this.name = 'PaymentError';
    this.code = code;
    this.status = errorResponses[code].status;
    this.options = options;
  }
}

/** A field-level refusal: one or all errors of a request, reported at once. */
export function invalid(details: FieldFault[], code: ErrorCode = 'VALIDATION_FAILED'): PaymentError {
  const first = details[0];
  return new PaymentError(code, { details, ...(first ? { message: first.message } : {}) });
}
