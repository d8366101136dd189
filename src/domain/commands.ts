/** The contract between the API, the workflows and the activities. Only ids, digits and states pass through it. */
import type { ErrorCode } from './errors';
import type { PaymentState } from './payment';
import type { VoucherState } from './voucher';

/** The stories a workflow can tell. A rail names one; its workflow type is its own word for it. */
export type Flow = 'collection' | 'disbursement';

/** Durations of one payment in milliseconds, fixed when it starts so that a later setting never breaks a replay. */
export interface Policy {
  /** When to ask the provider, counted from the acceptance; the last one is the deadline of the prompt. */
  checksMs: number[];
  /**
   * How long to wait for a notification when the initiation's answer was lost, where the provider cannot be asked
   * without its own reference. Absent where it can.
   */
  unknownDeadlineMs?: number;
  /** When to look again after a published timeout, counted from the acceptance. */
  rechecksMs: number[];
  /** How long a soft ending stays open to correction, counted from the acceptance. */
  watchMs: number;
  /** How soon to ask again when a reported success is not yet confirmed. */
  confirmDelaysMs: number[];
  /** How long a queued disbursement waits before it is cancelled at the provider, counted from the acceptance. */
  queuedMaxMs?: number;
  /** When the recipient of a queued disbursement is reminded of it, counted from the acceptance as its maximum is. */
  remindersMs?: number[];
  /** True where a customer may try again after a failure, so that the checks go on. */
  failureIsSoft?: boolean;
  /**
   * When to look whether a booked deposit was taken back, or what was paid out came back, counted from its success.
   * Workflows do not read it, and no command carries it.
   */
  afterSuccessChecksMs?: number[];
  /** When to look after a warning that money may be taken back, counted from it. Workflows do not read it. */
  afterWarningChecksMs?: number[];
  /** How late a look may be at the least before the sweeper sees to it; a minute unless told. Workflows do not read it. */
  checkGraceMs?: number;
}

export interface PaymentCommand {
  paymentId: string;
  rail: string;
  flow: Flow;
  policy: Policy;
  /** Set in live: the payment's clock is the wall's, and no update moves it. */
  fixedClock?: true;
}

/** A voucher's story: mailed, then redeemed or, at the latest, expired. */
export interface VoucherCommand {
  flow: 'voucher';
  voucherId: string;
  /** When it expires, in milliseconds since 1970. */
  expiresAtMs: number;
  /** As a payment's. */
  fixedClock?: true;
}

/** What the merchant who is still waiting for the acceptance is told. */
export type AcceptanceAnswer = (
  { kind: 'accepted' | 'queued' | 'unknown' } | { kind: 'refused'; publicCode: ErrorCode }
) & {
  /** Of the time that it took, what the provider was waited for, in milliseconds; absent where it was not asked. */
  providerMs?: number;
};

/** The state a payment is in after an activity, and the webhooks that activity wrote and nobody delivered yet. */
export interface StepResult {
  state: PaymentState;
  webhookIds: string[];
  /** The provider's own reference is not known, so that some cannot be asked (see Policy.unknownDeadlineMs). */
  unnamed?: true;
}

export interface Initiation extends StepResult {
  answer: AcceptanceAnswer;
  /** Milliseconds since the acceptance, when the payment is taken up again rather than begun. */
  ageMs: number;
  /** How it was given up last while queued, where it is taken up again afterwards. */
  givenUp?: { agoMs: number; times: number; inVain: boolean };
}

export type ReviewCause = 'notification' | 'check' | 'deadline' | 'watch_end' | 'confirmation';

export interface Review extends StepResult {
  /** True when the provider was asked and gave no usable answer in the time allowed. */
  unanswered: boolean;
  /** True when what was reported still needs the provider's own word, so that it is asked again soon. */
  unconfirmed: boolean;
  /** The provider itself was asked. */
  asked?: true;
}

export const names = {
  /** Update: answers the acceptance as soon as it is known. */
  acceptance: 'acceptance',
  /** Signal: something about this payment was stored; read it. Carries nothing. */
  outcomeReported: 'outcomeReported',
  /** Update: cancels a disbursement that the network has not begun, or says that it is too late. */
  cancel: 'cancel',
  /** Update: asks the provider now and answers once what it said is booked. */
  check: 'check',
  /** Update, in the sandbox only, where a command has no `fixedClock`: moves the open timers forward by so many ms. */
  advance: 'advance',
  /** Query: the timeline. */
  status: 'status',
} as const;

export interface TimelineStep {
  at: string;
  text: string;
}

export interface WorkflowStatus {
  paymentId: string;
  state: PaymentState;
  timeline: TimelineStep[];
}

/**
 * What became of a request to cancel. `open`: the provider took it, and its final word has not come yet; `unknown`: it
 * may never have heard of it, so that somebody has to ask again.
 */
export type Cancellation = 'cancelled' | 'too_late' | 'open' | 'unknown';

/** What an activity of its own has to go on with: at once, or after so long and for a reason an operator reads. */
export interface Postponed {
  afterMs: number;
  why?: string;
}

/** The activities that workflows call. `src` never calls them; `activities/` implements them. */
export interface Activities {
  initiate(input: { paymentId: string; rail: string; postponed?: Postponed }): Promise<Initiation>;
  /** As `initiate`, within a workflow task. */
  initiateInTask(input: { paymentId: string; rail: string }): Promise<Initiation | Postponed>;
  review(input: { paymentId: string; cause: ReviewCause; patient: boolean }): Promise<Review>;
  /** @param input `givesUp`: not because its merchant cancels it, but because it is queued for too long. */
  cancelQueued(input: { paymentId: string; rail: string; givesUp?: true }): Promise<Cancellation>;
  /** @returns 'undeliverable' when the recipient does not exist. */
  sendVoucherMail(input: { voucherId: string }): Promise<'sent' | 'undeliverable'>;
  /** Ends a voucher whose time is over. @returns the state it is in, whoever brought it there. */
  endVoucher(input: { voucherId: string; isOver: boolean }): Promise<VoucherState>;
  remindRecipient(input: { paymentId: string; n: number }): Promise<void>;
  deliverWebhook(input: { webhookId: string; postponed?: Postponed }): Promise<void>;
  /** As `deliverWebhook`, within a workflow task. */
  deliverInTask(input: { webhookId: string }): Promise<'settled' | Postponed>;
}
