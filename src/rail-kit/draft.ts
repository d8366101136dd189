/** What a rail's handler hands to the acceptance of payments, and what it is given back. */
import type { AcceptanceAnswer } from '../domain/commands';
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
  /** What the provider is told to move, where that differs from what was asked. */
  instructedMinor?: bigint;
  /** The provider's currency, where it is another; then `quote` is the rate `instructedMinor` was found with. */
  instructedCurrency?: Currency;
  quote?: Quote;
  /** The currency the merchant is credited in, where that is not the provider's. */
  creditedCurrency?: Currency;
  /** What a refund takes from a wallet of that currency, in its minor units. */
  debitedMinor?: bigint;
  accountReference?: string;
  orderId?: string;
  phoneNumber?: string;
  callbackToken?: string;
  /** The name the provider will know the payment by, where that is ours to choose. */
  providerReference?: string;
  /** The merchant's object as JSON text. */
  metadata?: string;
  details?: Record<string, string>;
  /** What makes two requests the same payment, beside their amount, currency and order_id. */
  sameness?: Sameness;
  /** Whom a payout pays, always in the same spelling: limits count by it. */
  recipient?: string;
  /** An id of the rail's own form, where the provider takes our id for its idempotency key. */
  paymentId?: string;
  /** The deposit that a refund gives back. */
  parentId?: string;
  /** Money set aside in the same transaction that writes the row. */
  hold?: { from: AccountKey; reserved: AccountKey; whenShort: ErrorCode };
  /** Runs first in that transaction, and again when it is tried again: locks and limits that other rows are part of. */
  check?(trx: Transaction, paymentId: string): Promise<void>;
  /** Runs last in it: what is written with the payment by who asks for it in a merchant's name. */
  alongside?(trx: Transaction, paymentId: string): Promise<void>;
}

export interface Sameness {
  /** Who pays or is paid. */
  counterparty: string;
  /** The merchant's own name for it, where there is one. */
  reference?: string | undefined;
}

/**
 * A draft, or how to come by it. What a request is checked against belongs into the function: a request that is taken
 * up again under its key has a payment already, which must not be refused for what has changed since.
 */
export type Draft = PaymentDraft | (() => Promise<PaymentDraft>);

export interface AcceptedPayment {
  payment: PaymentRow;
  /** 'late': not known in time; the payment goes on, and its outcome follows. */
  answer: Exclude<AcceptanceAnswer, { kind: 'refused' }> | 'late';
}

export interface BulkRequest {
  rail: string;
  /** The merchant's name for the whole. */
  orderId: string;
  /** What makes the request the same or another one. */
  body: string;
  /** Asked for only when there is something to accept. */
  drafts(): Promise<PaymentDraft[]>;
  /** Runs last in the transaction that writes them, as a draft's own does. */
  alongside?(trx: Transaction, bulkId: string): Promise<void>;
}
