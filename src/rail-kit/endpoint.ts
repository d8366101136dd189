import type Joi from 'joi';
import type { PaymentError } from '../domain/errors';
import type { KeyScope } from '../merchants/api-keys';
import type { Transaction } from '../store/database';
import type { MerchantRow } from '../store/tables';
import type { EndpointDescription } from './description';

/** One endpoint of the specification, as data: the http layer mounts it with everything all endpoints share. */
export type AnyEndpoint = Endpoint | OpenEndpoint;

interface EndpointBase {
  method: 'GET' | 'POST';
  /** What stands in it as `:payment_id` is part of the input, too. */
  path: string;
  /** Joi schema of the body (POST) or of the query (GET), and of what the path names. All faults are reported at once. */
  input: Joi.ObjectSchema;
  /** Words some errors its own way, where the specification gives this endpoint other texts or statuses. */
  translateError?(error: PaymentError): PaymentError;
  about: EndpointDescription;
}

/** An endpoint for merchants. */
export interface Endpoint extends EndpointBase {
  /**
   * How the caller is known. `keys`: X-API-Key and X-API-Secret headers, or api_key and api_secret in the body.
   * `headers`: the headers only. `merchant_id`: the id in the body; keys are optional there, but if sent must be right.
   */
  access: 'keys' | 'headers' | 'merchant_id';
  /** What the key that is shown must be allowed. */
  scope: KeyScope;
  /** Which of the merchant's limits counts this call. */
  rateLimit: 'stk' | 'api';
  /** True where a call starts something: `Idempotency-Key` is honoured and load may be shed. */
  starts: boolean;
  /** The largest body, in bytes, of a caller whose keys came in the headers; 64 kB unless told. */
  bodyBytesMax?: number;
  /** Where the body itself names a request that may have been made before, as an order_id does: whether it was. */
  isRepeated?(call: Call): Promise<boolean>;
  handle(call: Call): Promise<Answer>;
}

/** An endpoint anybody may call, limited by the caller's address. It shows nothing that a stranger may not see. */
export interface OpenEndpoint extends EndpointBase {
  access: 'anyone';
  handle(call: Pick<Call, 'input' | 'requestId'>): Promise<Answer>;
}

export interface Call {
  merchant: MerchantRow;
  /**
   * For the transaction that sends money out: throws where the caller's key has ended since, and keeps it from ending before
   * the transaction does. Absent where no key was shown.
   */
  expectKey?(trx: Transaction): Promise<void>;
  /** The key that was shown, and was right; none of who only named the merchant. */
  apiKey?: string;
  /** The validated body or query. */
  input: Record<string, unknown>;
  requestId: string;
  /** What the caller would like to have, as its Accept header says. */
  accept?: string;
  idempotency?: HeldClaim;
  /** The payment an earlier, interrupted request under the same key has written: it is answered, not made anew. */
  resumePaymentId?: string;
}

/** What a request claims with its Idempotency-Key. */
export interface IdempotencyClaim {
  keyHash: Buffer;
  bodyHash: Buffer;
}

/** A claim this request holds, until another takes it over: checked in the transaction that writes what it starts. */
export interface HeldClaim extends IdempotencyClaim {
  claimId: string;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers?: Record<string, string>;
  /** A file instead of the body, sent as it is read; its headers say what it is. For what starts nothing. */
  parts?: AsyncIterable<string>;
}
