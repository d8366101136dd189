import type Joi from 'joi';
import type { PaymentError } from '../domain/errors';
import type { MerchantRow } from '../store/tables';

/** One endpoint of the specification, as data: the http layer mounts it with everything all endpoints share. */
export type AnyEndpoint = Endpoint | OpenEndpoint;

interface EndpointBase {
  method: 'GET' | 'POST';
  path: string;
  /** Joi schema of the body (POST) or of the query (GET). All faults are reported at once. */
  input: Joi.ObjectSchema;
  /** Words some errors its own way, where the specification gives this endpoint other texts or statuses. */
  translateError?(error: PaymentError): PaymentError;
}

/** An endpoint for merchants. */
export interface Endpoint extends EndpointBase {
  /**
   * How the caller is known. `keys`: X-API-Key and X-API-Secret headers, or api_key and api_secret in the body.
   * `headers`: the headers only. `merchant_id`: the id in the body; keys are optional there, but if sent must be right.
   */
  access: 'keys' | 'headers' | 'merchant_id';
  /** Which of the merchant's limits counts this call. */
  rateLimit: 'stk' | 'api';
  /** True where a call starts something: `Idempotency-Key` is honoured and load may be shed. */
  starts: boolean;
  handle(call: Call): Promise<Answer>;
}

/** An endpoint anybody may call, limited by the caller's address. It shows nothing that a stranger may not see. */
export interface OpenEndpoint extends EndpointBase {
  access: 'anyone';
  handle(call: Pick<Call, 'input' | 'requestId'>): Promise<Answer>;
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
