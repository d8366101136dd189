import type { ErrorBody, ErrorCode } from './operations.js';

/** The service rejected the request: nothing was started, unless `paymentId` is set. Use `code` for decisions. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: ErrorCode;
  readonly details: NonNullable<ErrorBody['details']>;
  readonly paymentId: string | undefined;
  /** Include it when you contact the operator. */
  readonly requestId: string;

  constructor(
    readonly status: number,
    /** The complete answer. */
    readonly body: ErrorBody,
    /** Seconds to wait before a retry; 0 if the service did not say. */
    readonly retryAfterS: number,
  ) {
    super(body.message);
    this.code = body.code;
    this.details = body.details ?? [];
    this.paymentId = body.payment_id;
    this.requestId = body.request_id;
  }
}

/**
 * The outcome of the request is unknown: the service may have accepted it. Repeat it with `idempotencyKey` and `isRepeat`, or
 * query the status. Never retry with another key.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  /** Empty if the operation takes no key: check what exists before you send the request again. */
  readonly idempotencyKey: string | undefined;
  /** The payment, if the service reported it. */
  readonly paymentId: string | undefined;
  /** Include it when you contact the operator. */
  readonly requestId: string | undefined;

  constructor(
    message: string,
    known: Record<'idempotencyKey' | 'paymentId' | 'requestId', string | undefined>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.idempotencyKey = known.idempotencyKey;
    this.paymentId = known.paymentId;
    this.requestId = known.requestId;
  }
}

/** The webhook has a wrong signature, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}
