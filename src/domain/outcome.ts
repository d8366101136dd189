/** What a provider tells us, in our words. Unknown is an answer of its own: it is never a failure. */
import type { ErrorCode } from './errors';

/** The answer to an initiation. */
export type Acceptance =
  | { kind: 'accepted'; providerReference: string; details?: Record<string, string> }
  | { kind: 'queued'; providerReference: string; details?: Record<string, string> }
  /**
   * A definite no. `publicCode` is what the merchant is told; `providerCode` and `text` are the provider's words, and
   * `field` the merchant's field that it is about, where the provider says so.
   */
  | { kind: 'refused'; publicCode: ErrorCode; providerCode: string; text: string; field?: string }
  /** Nothing reached the provider: the same instruction may be sent again. */
  | { kind: 'not_sent'; text: string }
  /** The line dropped after we sent. Only a look-up or a notification can tell; sending again could charge twice. */
  | { kind: 'unknown'; text: string };

/** What became of an instruction that may have been sent before: that nothing reached the provider is never certain. */
export type Recovery = Exclude<Acceptance, { kind: 'not_sent' }>;

/** What a provider may warn of before its own answer shows anything: a customer's dispute, or money it took back. */
export type Warning = 'disputed' | 'reversal_told';

export interface Dispute {
  id: string;
  /** ISO 8601, by the provider's clock. */
  toldAt: string;
  /** The provider has decided for the seller, or the customer has given it up. */
  isWon: boolean;
}

interface Told {
  /** The provider has told of more than it shows just now, such as a refund that its own answer does not list yet. */
  behind?: true;
}

/** A refund as the provider lists it with what was paid. */
export interface ToldRefund {
  id: string;
  amountMinor: bigint;
  /** What its caller has called it. */
  names: string[];
}

/** What one notification or one status query says about a payment. */
export type Finding =
  | (Told & {
      kind: 'succeeded';
      code: string;
      text: string;
      /** Minor units really paid; absent when the source does not carry the amount. */
      amountMinor?: bigint;
      currency?: string;
      providerReference?: string;
      receipt?: string;
      /** What else the source told, kept with the payment under the rail's own names. */
      details?: Record<string, string>;
    })
  | {
      kind: 'failed' | 'cancelled' | 'timed_out';
      code: string;
      text: string;
      /** A tentative failure must be seen twice before it counts. */
      tentative?: boolean;
      /** The provider has no such payment: as true as it is that we ask it with the right token. */
      neverReceived?: true;
      /** It failed for our own account's reasons: an operator has to mend that. */
      ourAccount?: boolean;
      providerReference?: string;
      details?: Record<string, string>;
    }
  | {
      kind: 'open';
      text?: string;
      /** What the provider says it is doing with it; absent where it only says "not yet". */
      as?: 'queued' | 'processing';
      /** The customer agreed; the provider waits for us to take the money. */
      approved?: true;
      /** What the customer had agreed to was declined: nothing was taken, and it may be agreed to anew. */
      declined?: true;
      /** The provider no longer knows what it has told of before. */
      disowned?: true;
      providerReference?: string;
      details?: Record<string, string>;
    }
  /** What had been paid was given back to the customer, or taken back by the provider. */
  | (Told & {
      kind: 'refunded' | 'reversed';
      code: string;
      text: string;
      /** Minor units paid before, in the instructed currency. */
      paidMinor: bigint;
      /** Minor units that went back so far, all times together. */
      givenBackMinor: bigint;
      /** Something seems to have gone back, and the provider does not say how much: a person has to find out. */
      unclear?: true;
      /** The refunds that the provider lists as done, oldest first; it may know of more than these. */
      refunds?: ToldRefund[];
      currency: string;
      providerReference?: string;
      receipt?: string;
      details?: Record<string, string>;
    })
  /**
   * What had gone out is with the provider's account again, whole: no provider tells of a part of it. It failed where
   * we never saw it succeed.
   */
  | {
      kind: 'returned';
      code: string;
      text: string;
      /** Minor units that came back; absent when the source does not carry the amount. */
      amountMinor?: bigint;
      currency: string;
      providerReference?: string;
      details?: Record<string, string>;
    }
  /** Something changed, and the notification is not to be believed: only the provider's own answer tells what. */
  | {
      kind: 'hint';
      text: string;
      providerReference?: string;
      /** What the question to the provider has to name. It is not believed, and not kept with the payment. */
      details?: Record<string, string>;
      /** It warns of money that may be taken back: a person is told, and looks follow. */
      warns?: Warning;
      /** What the warning names, in short words: kept with the payment, and shown. */
      notes?: Record<string, string>;
      /** What it says may be taken back; absent where it names no amount. */
      mayTake?: { amountMinor: bigint; currency: string };
      /** The dispute that it tells of. Its words may come in any order: `toldAt` says which is the latest. */
      dispute?: Dispute;
    }
  | { kind: 'unknown'; text: string };
