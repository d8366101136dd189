/** The contract between the API, the workflows and the activities. Only ids, digits and states pass through it. */
import type { ErrorCode } from './errors';
import type { PaymentState } from './payment';
import type { VoucherState } from './voucher';

/** The flows that a workflow can run. A rail names one, and has its own workflow type for it. */
export type Flow = 'collection' | 'disbursement';

/** Durations of one payment in milliseconds, fixed when it starts so that a later setting never breaks a replay. */
export interface Policy {
  /** When to poll the provider, counted from the provider's acceptance; the last one is the deadline of the prompt. */
  checksMs: number[];
  /**
   * How long to wait for a notification when the submission's answer was lost and the provider cannot be polled
   * without its own reference. Absent where it can.
   */
  unknownDeadlineMs?: number;
  /** When to check again after a published timeout, counted from the acceptance. */
  rechecksMs: number[];
  /** How long a soft ending can still be corrected, counted from the acceptance. */
  watchMs: number;
  /** How soon to poll again when a reported success is not yet confirmed. */
  confirmDelaysMs: number[];
  /** How long a disbursement may stay queued before it is cancelled at the provider, counted from the acceptance. */
  queuedMaxMs?: number;
  /**
   * When the recipient of a queued disbursement gets a reminder, counted from the acceptance, as the longest queue
   * time is.
   */
  remindersMs?: number[];
  /** True where a customer may try again after a failure, so that the checks continue. */
  failureIsSoft?: boolean;
  /**
   * When to check whether a booked deposit was taken back or a payout was returned, counted from its success.
   * Workflows do not read it, and no command contains it.
   */
  afterSuccessChecksMs?: number[];
  /** When to check after a warning that money may be taken back, counted from the warning. Workflows do not read it. */
  afterWarningChecksMs?: number[];
  /** How late a check may be before the sweeper acts; a minute by default. Workflows do not read it. */
  checkGraceMs?: number;
}

export interface PaymentCommand {
  paymentId: string;
  rail: string;
  flow: Flow;
  policy: Policy;
  /** Set in live: the payment's clock is the real one, and no update advances it. */
  fixedClock?: true;
}

/** A voucher's workflow: the code is mailed, then the voucher is redeemed or, at the latest, expires. */
export interface VoucherCommand {
  flow: 'voucher';
  voucherId: string;
  /** When it expires, in milliseconds since 1970. */
  expiresAtMs: number;
  /** As a payment's. */
  fixedClock?: true;
}

/** The answer to the merchant who is still waiting. */
export type AcceptanceAnswer = (
  { kind: 'accepted' | 'queued' | 'unknown' } | { kind: 'refused'; publicCode: ErrorCode }
) & {
  /** How many milliseconds of that time the provider took; absent where it was not called. */
  providerMs?: number;
};

/** The payment's state after an activity, and the undelivered webhooks that the activity wrote. */
export interface StepResult {
  state: PaymentState;
  webhookIds: string[];
  /**
   * The provider's own reference is not known, so that some providers cannot be polled (see
   * Policy.unknownDeadlineMs).
   */
  unnamed?: true;
}

export interface Initiation extends StepResult {
  answer: AcceptanceAnswer;
  /** Milliseconds since the acceptance, when the workflow was restarted for an existing payment. */
  ageMs: number;
  /** How it was given up last while queued, where the workflow was restarted after that. */
  givenUp?: { agoMs: number; times: number; inVain: boolean };
}

export type ReviewCause = 'notification' | 'check' | 'deadline' | 'watch_end' | 'confirmation';

export interface Review extends StepResult {
  /** True when the provider was polled and gave no usable answer in the time allowed. */
  unanswered: boolean;
  /** True when a report still needs the provider's own answer, so that it is polled again soon. */
  unconfirmed: boolean;
  /** The provider itself was polled. */
  asked?: true;
}

export const names = {
  /** Update: answers with the provider's first answer as soon as it is known. */
  acceptance: 'acceptance',
  /** Signal: a notification about this payment was stored; read it. Contains no data. */
  outcomeReported: 'outcomeReported',
  /** Update: cancels a disbursement that the network has not started, or answers that it is too late. */
  cancel: 'cancel',
  /** Update: polls the provider now and answers once the result is booked. */
  check: 'check',
  /** Update, in the sandbox only, where a command has no `fixedClock`: advances the open timers by so many ms. */
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
 * The result of a request to cancel. `open`: the provider accepted it, and its final status has not come yet.
 * `unknown`: the provider may never have received it, so that it must be asked again.
 */
export type Cancellation = 'cancelled' | 'too_late' | 'open' | 'unknown';

/** When an activity of its own continues the work: after `afterMs`, 0 for at once; `why` is for operators. */
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
  /** @param input `givesUp`: not because its merchant cancels it, but because it was queued for too long. */
  cancelQueued(input: { paymentId: string; rail: string; givesUp?: true }): Promise<Cancellation>;
  /** @returns 'undeliverable' when the recipient does not exist. */
  sendVoucherMail(input: { voucherId: string }): Promise<'sent' | 'undeliverable'>;
  /** Ends a voucher whose time is over. @returns its present state, whatever caused it. */
  endVoucher(input: { voucherId: string; isOver: boolean }): Promise<VoucherState>;
  remindRecipient(input: { paymentId: string; n: number }): Promise<void>;
  deliverWebhook(input: { webhookId: string; postponed?: Postponed }): Promise<void>;
  /** As `deliverWebhook`, within a workflow task. */
  deliverInTask(input: { webhookId: string }): Promise<'settled' | Postponed>;
}
