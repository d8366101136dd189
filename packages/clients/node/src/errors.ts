import type { ErrorBody, ErrorCode } from './operations.js';

/** The service has refused: nothing was started, unless `paymentId` names what was. Decide by `code`. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly code: ErrorCode;
  readonly details: NonNullable<ErrorBody['details']>;
  readonly paymentId: string | undefined;
  /** Tell it when you ask the operator. */
  readonly requestId: string;

  constructor(
    readonly status: number,
    /** The whole answer. */
    readonly body: ErrorBody,
    /** How long to wait before it is worth asking again; 0 where nothing is said. */
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
 * Nobody knows what became of the request: it may have been taken. Repeat it with `idempotencyKey` and `isRepeat`, or ask
 * for the status; never begin anew with another key.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  /** None where the operation takes none: see what is there before you send it again. */
  readonly idempotencyKey: string | undefined;
  /** The payment, where the service had named it. */
  readonly paymentId: string | undefined;
  /** Tell it when you ask the operator. */
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

/** What claims to be a webhook is not ours, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}
