/** A rail's handler passes a draft to the creation of a payment, and gets the created payment back. */
import type { SubmissionAnswer } from '../domain/commands';
import type { ErrorCode } from '../domain/errors';
import type { Currency } from '../domain/money';
import type { PaymentKind } from '../domain/payment';
import type { Quote } from '../fx/rates';
import type { AccountKey } from '../ledger/accounts';
import type { Transaction } from '../store/database';
import type { PaymentRow } from '../store/tables';

/** What a rail's handler knows of a new payment. Amounts are minor units. */
export interface PaymentDraft {
  rail: string;
  kind: PaymentKind;
  provider: string;
  currency: Currency;
  requestedMinor: bigint;
  /** The amount that is submitted to the provider, where it differs from the requested one. */
  instructedMinor?: bigint;
  /** The provider's currency, where it differs; then `quote` is the rate that gave `instructedMinor`. */
  instructedCurrency?: Currency;
  quote?: Quote;
  /** The currency that the merchant is credited in, where it differs from the provider's. */
  creditedCurrency?: Currency;
  /** The amount that a refund takes from a wallet of that currency, in its minor units. */
  debitedMinor?: bigint;
  accountReference?: string;
  orderId?: string;
  phoneNumber?: string;
  callbackToken?: string;
  /** The provider's reference of the payment, where we may choose it. */
  providerReference?: string;
  /** The merchant's object as JSON text. */
  metadata?: string;
  details?: Record<string, string>;
  /** The fields that make two requests the same payment, besides their amount, currency and order_id. */
  sameness?: Sameness;
  /** The recipient of a payout, always in the same spelling: limits count by it. */
  recipient?: string;
  /** An id in the rail's own form, where the provider uses our id as its idempotency key. */
  paymentId?: string;
  /** The deposit that a refund gives back. */
  parentId?: string;
  /** Money that the transaction of the row reserves. */
  hold?: { from: AccountKey; reserved: AccountKey; whenShort: ErrorCode };
  /** Runs first in that transaction, and again when it is retried: for locks and limits that involve other rows. */
  check?(trx: Transaction, paymentId: string): Promise<void>;
  /** Runs last in it: the writes of a caller that acts for the merchant. */
  alongside?(trx: Transaction, paymentId: string): Promise<void>;
}

export interface Sameness {
  /** The payer or the recipient. */
  counterparty: string;
  /** The merchant's own reference, where there is one. */
  reference?: string | undefined;
}

/**
 * A draft, or a function that makes it. Checks belong into the function: a repeated request under the same key
 * already has a payment, and later changes must not refuse it.
 */
export type Draft = PaymentDraft | (() => Promise<PaymentDraft>);

export interface AcceptedPayment {
  payment: PaymentRow;
  /** 'late': not known in time; the payment continues, and its outcome follows. */
  answer: Exclude<SubmissionAnswer, { kind: 'refused' }> | 'late';
}

export interface BulkRequest {
  rail: string;
  /** The merchant's id of the whole request. */
  orderId: string;
  /** The content that decides whether two requests are the same. */
  body: string;
  /** Called only when there is something to create. */
  drafts(): Promise<PaymentDraft[]>;
  /** Runs last in the transaction that writes them, as a draft's own does. */
  alongside?(trx: Transaction, bulkId: string): Promise<void>;
}

/** A payment after a check that a caller requested. */
export interface CheckedPayment {
  payment: PaymentRow;
  /** Whether the provider itself gave a usable answer. Otherwise the payment is as it was known before. */
  isAnswered: boolean;
}
