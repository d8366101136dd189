import type Joi from 'joi';
import type { PaymentError } from '../domain/errors';
import type { MerchantRow } from '../store/tables';

/** One endpoint of the specification, as data: the http layer mounts it with everything all endpoints share. */
export interface Endpoint {
  method: 'GET' | 'POST';
  path: string;
  /**
   * How the caller is known. `keys`: X-API-Key and X-API-Secret headers, or api_key and api_secret in the body.
   * `headers`: the headers only.
   */
  access: 'keys' | 'headers';
  /** Which of the merchant's limits counts this call. */
  rateLimit: 'stk' | 'api';
  /** Joi schema of the body (POST) or of the query (GET). All faults are reported at once. */
  input: Joi.ObjectSchema;
  /** True where a call starts something: `Idempotency-Key` is honoured and load may be shed. */
  starts: boolean;
  handle(call: Call): Promise<Answer>;
  /** Words some errors its own way, where the specification gives this endpoint other texts or statuses. */
  translateError?(error: PaymentError): PaymentError;
}

export interface Call {
  merchant: MerchantRow;
  /** The validated body or query. */
  input: Record<string, unknown>;
  requestId: string;
  idempotency?: IdempotencyClaim;
  /** The payment an earlier, interrupted request under the same key has written: it is answered, not made anew. */
  resumePaymentId?: string;
}

/** A claimed Idempotency-Key: stored in the transaction that writes the payment row. */
export interface IdempotencyClaim {
  keyHash: Buffer;
  bodyHash: Buffer;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers?: Record<string, string>;
}
