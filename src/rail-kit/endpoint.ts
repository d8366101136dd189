import type Joi from 'joi';
import type { PaymentError } from '../domain/errors';
import type { KeyScope } from '../merchants/api-keys';
import type { Transaction } from '../store/database';
import type { MerchantRow } from '../store/tables';
import type { EndpointDescription } from './description';

/** One endpoint of the specification, as data: the http layer mounts it with everything that all endpoints share. */
export type AnyEndpoint = Endpoint | OpenEndpoint;

interface EndpointBase {
  method: 'GET' | 'POST';
  /** A part such as `:payment_id` belongs to the input, too. */
  path: string;
  /**
   * Joi schema of the body (POST) or of the query (GET), and of the path's parameters. All errors are reported at
   * once.
   */
  input: Joi.ObjectSchema;
  /** Rewrites some errors, where the specification gives this endpoint other texts or statuses. */
  translateError?(error: PaymentError): PaymentError;
  about: EndpointDescription;
}

/** An endpoint for merchants. */
export interface Endpoint extends EndpointBase {
  /**
   * How the caller is authenticated. `keys`: X-API-Key and X-API-Secret headers, or api_key and api_secret in the
   * body. `headers`: the headers only. `merchant_id`: the id in the body; keys are optional there, but must be right
   * if sent.
   */
  access: 'keys' | 'headers' | 'merchant_id';
  /** The scope that the caller's key must have. */
  scope: KeyScope;
  /** The merchant's limit that counts this call. */
  rateLimit: 'stk' | 'api';
  /** True where a call starts something: `Idempotency-Key` is used and the call may be refused under load. */
  starts: boolean;
  /** The largest body, in bytes, of a caller whose keys came in the headers; 64 kB by default. */
  bodyBytesMax?: number;
  /** Where the body itself names an earlier request, for example by an order_id: whether that request was made. */
  isRepeated?(call: Call): Promise<boolean>;
  handle(call: Call): Promise<EndpointResponse>;
}

/**
 * An endpoint without authentication, limited by the caller's address. It shows only data that is public to every
 * caller.
 */
export interface OpenEndpoint extends EndpointBase {
  access: 'anyone';
  handle(call: Pick<Call, 'input' | 'requestId'>): Promise<EndpointResponse>;
}

export interface Call {
  merchant: MerchantRow;
  /**
   * For the transaction that sends money out: throws where the caller's key has ended since, and keeps the key from
   * ending before the transaction does. Absent where no key was sent.
   */
  expectKey?(trx: Transaction): Promise<void>;
  /** The authenticated key; absent for a caller who only named the merchant. */
  apiKey?: string;
  /** The validated body or query. */
  input: Record<string, unknown>;
  requestId: string;
  /** The caller's preferred format, from its Accept header. */
  accept?: string;
  idempotency?: HeldClaim;
  /**
   * The payment that an earlier, interrupted request under the same key has written: it is answered, not created
   * again.
   */
  resumePaymentId?: string;
}

/** A request's claim of its Idempotency-Key. */
export interface IdempotencyClaim {
  keyHash: Buffer;
  bodyHash: Buffer;
}

/** A claim that this request holds until another takes it over: checked in the transaction that writes the payment. */
export interface HeldClaim extends IdempotencyClaim {
  claimId: string;
}

export interface EndpointResponse {
  status: number;
  body: Record<string, unknown>;
  headers?: Record<string, string>;
  /** A file instead of the body, sent while it is read; its headers describe it. For endpoints that start nothing. */
  parts?: AsyncIterable<string>;
}
