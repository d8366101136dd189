/** A provider's results in our words. Unknown is a result of its own: it is never a failure. */
import type { ErrorCode } from './errors';

/** The answer to a submission. */
export type SubmissionResult =
  | { kind: 'accepted'; providerReference: string; details?: Record<string, string> }
  | { kind: 'queued'; providerReference: string; details?: Record<string, string> }
  /**
   * A definite refusal. `publicCode` is the merchant's code; `providerCode` and `text` are the provider's words, and
   * `field` is the merchant's field that the refusal concerns, where the provider names it.
   */
  | { kind: 'refused'; publicCode: ErrorCode; providerCode: string; text: string; field?: string }
  /** Nothing reached the provider: the same submission may be sent again. */
  | { kind: 'not_sent'; text: string }
  /**
   * The connection dropped after we sent. Only a look-up or a notification can show the result; sending again could
   * charge twice.
   */
  | { kind: 'unknown'; text: string };

/** The result of a submission that may have been sent before: it is never certain that nothing reached the provider. */
export type Recovery = Exclude<SubmissionResult, { kind: 'not_sent' }>;

/** A provider may warn before its own answer shows anything: of a customer's dispute, or of money it took back. */
export type Warning = 'disputed' | 'reversal_reported';

export interface Dispute {
  id: string;
  /** ISO 8601, by the provider's clock. */
  reportedAt: string;
  /** The provider has decided for the seller, or the customer has ended the dispute. */
  isWon: boolean;
}

interface MaybeBehind {
  /** The provider has reported more than it shows now, such as a refund that its own answer does not list yet. */
  behind?: true;
}

/** A refund as the provider lists it with the payment. */
export interface ListedRefund {
  id: string;
  amountMinor: bigint;
  /** The ids that its sender has given it. */
  names: string[];
}

/** The provider result of one notification or one poll. */
export type ProviderResult =
  | (MaybeBehind & {
      kind: 'succeeded';
      code: string;
      text: string;
      /** Minor units really paid; absent when the source does not contain the amount. */
      amountMinor?: bigint;
      currency?: string;
      providerReference?: string;
      receipt?: string;
      /** Other data of the source, stored with the payment under the rail's own names. */
      details?: Record<string, string>;
    })
  | {
      kind: 'failed' | 'cancelled' | 'timed_out';
      code: string;
      text: string;
      /** A tentative failure must be seen twice before it counts. */
      tentative?: boolean;
      /** The provider has no such payment: reliable only if our token is right. */
      neverReceived?: true;
      /** It failed because of our own account: an operator has to correct that. */
      ourAccount?: boolean;
      providerReference?: string;
      details?: Record<string, string>;
    }
  | {
      kind: 'open';
      text?: string;
      /** The provider's status of the payment; absent where it only says "not yet". */
      as?: 'queued' | 'processing';
      /** The customer approved it; the provider waits for our capture. */
      approved?: true;
      /** The approved payment was declined: nothing was taken, and the customer may approve again. */
      declined?: true;
      /** The provider no longer knows a payment that it reported before. */
      unknownToProvider?: true;
      providerReference?: string;
      details?: Record<string, string>;
    }
  /** A paid amount was refunded to the customer, or reversed by the provider. */
  | (MaybeBehind & {
      kind: 'refunded' | 'reversed';
      code: string;
      text: string;
      /** Minor units paid before, in the instructed currency. */
      paidMinor: bigint;
      /** Minor units that went back so far, all parts together. */
      returnedMinor: bigint;
      /** Some money seems to have gone back, and the provider does not say how much: an operator has to find out. */
      unclear?: true;
      /** The refunds that the provider lists as done, oldest first; it may know of more. */
      refunds?: ListedRefund[];
      currency: string;
      providerReference?: string;
      receipt?: string;
      details?: Record<string, string>;
    })
  /**
   * The money of a payout is in the provider's account again, whole: no provider reports partial returns. Where we
   * never saw it succeed, it counts as failed.
   */
  | {
      kind: 'returned';
      code: string;
      text: string;
      /** Minor units that were returned; absent when the source does not contain the amount. */
      amountMinor?: bigint;
      currency: string;
      providerReference?: string;
      details?: Record<string, string>;
    }
  /** An unverified event: something changed, and only the provider's own answer can show what. */
  | {
      kind: 'unverified';
      text: string;
      providerReference?: string;
      /** The data that the poll needs. It is not trusted, and not stored with the payment. */
      details?: Record<string, string>;
      /** It warns that money may be taken back: a case is opened, and checks follow. */
      warns?: Warning;
      /** The data of the warning, in short words: stored with the payment, and shown. */
      notes?: Record<string, string>;
      /** The amount that may be taken back; absent where the warning names none. */
      mayTake?: { amountMinor: bigint; currency: string };
      /** The dispute of the warning. Its events may come in any order: `toldAt` shows which is the latest. */
      dispute?: Dispute;
    }
  | { kind: 'unknown'; text: string };
