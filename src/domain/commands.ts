/** The contract between the API, the workflows and the activities. Only ids, digits and states pass through it. */
import type { ErrorCode } from './errors';
import type { PaymentKind, PaymentState } from './payment';
import type { VoucherState } from './voucher';

/** The flows that a workflow can run. A rail names one, and has its own workflow type for it. */
export type Flow = 'collection' | 'disbursement';

/**
 * Durations of one payment in milliseconds. The submission's result brings them into the history, so that a later
 * setting never breaks a replay; the command only names them (`PaymentCommand.schedule`).
 */
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

/**
 * The input of a payment's workflow. Operators read it in the Temporal UI, so it begins with what they search for. It
 * contains no text of a merchant's request, no phone number and no address.
 */
export interface PaymentCommand {
  rail: string;
  kind: PaymentKind;
  /** Such as `KES 1,250.00`. */
  amount: string;
  /** The merchant's name, or its id where the name could not be read. */
  merchant: string;
  /** Our payment id: the rest of the workflow's id. */
  reference: string;
  /** As operators call it. */
  provider: string;
  /** The name and version of the poll schedule, such as `stkPush v1`. */
  schedule: string;
  flow: Flow;
  /** The payment's page in the portal, where there is a portal. */
  portal?: string;
  /** Set in live: the payment's clock is the real one, and no update advances it. */
  fixedClock?: true;
}

/** A voucher's workflow: the code is mailed, then the voucher is redeemed or, at the latest, expires. */
export interface VoucherCommand {
  rail: 'voucher';
  kind: 'voucher';
  amount: string;
  merchant: string;
  /** The voucher's id. */
  reference: string;
  flow: 'voucher';
  /** When it expires, in milliseconds since 1970. */
  expiresAtMs: number;
  /** As a payment's. */
  fixedClock?: true;
}

/** The answer to the merchant who is still waiting. */
export type SubmissionAnswer = (
  { kind: 'accepted' | 'queued' | 'unknown' } | { kind: 'refused'; publicCode: ErrorCode }
) & {
  /** How many milliseconds of that time the provider took; absent where it was not called. */
  providerMs?: number;
};

/** What an operator acts on. Codes and moments only. */
export interface Attention {
  /** Why a payout or a refund is on hold (payments/read/on-hold.ts), and until when; without `until`, an operator decides. */
  hold?: { reason: string; until?: string };
  /** The reasons of its open cases (controls/cases.ts); absent where they were not read. */
  openCases?: string[];
}

/** The payment's state after an activity, and the undelivered webhooks that the activity wrote. */
export interface StepResult extends Attention {
  state: PaymentState;
  webhookIds: string[];
  /**
   * The provider's own reference is not known, so that some providers cannot be polled (see
   * Policy.unknownDeadlineMs).
   */
  unnamed?: true;
  /** Why it is not paid: our failure code, else the provider's result code. */
  code?: string;
}

export interface SubmissionStep extends StepResult {
  answer: SubmissionAnswer;
  /** Its poll schedule, as it is in force for this run. */
  policy: Policy;
  /** Milliseconds since the acceptance, when the workflow was restarted for an existing payment. */
  ageMs: number;
  /** How it was given up last while queued, where the workflow was restarted after that. */
  abandoned?: { agoMs: number; times: number; inVain: boolean };
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

/** The result of a check that was requested: the payment's state, and whether the provider itself gave a usable answer. */
export interface CheckedNow {
  state: PaymentState;
  isAnswered: boolean;
}

/**
 * Why a workflow is signalled. Each source is a signal of its own, by this name, so that the history shows it. Signals
 * carry no data: what was reported is in the inbox.
 */
export const signalSources = [
  /** A notification of the provider was stored. */
  'notification',
  /** The customer's browser came back from the provider's page. */
  'browserReturn',
  /** A report without proof was stored. */
  'unverifiedEvent',
  /** The recovery job found an overdue check, an unread report or an overdue webhook. */
  'recovery',
  /** An operator acted on the payment. */
  'operator',
  /** The merchant requested something: the payment, a cancellation, a webhook. */
  'merchant',
] as const;
export type SignalSource = (typeof signalSources)[number];

export const names = {
  /** Update: answers with the provider's first answer as soon as it is known. */
  submissionResult: 'submissionResult',
  /** Update: cancels a disbursement that the network has not started, or answers that it is too late. */
  cancel: 'cancelPayout',
  /** Update: polls the provider now and answers once the result is booked. Its argument is the source. */
  check: 'checkStatusNow',
  /** Update, in the sandbox only, where a command has no `fixedClock`: advances the open timers by so many ms. */
  advance: 'advanceClock',
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
export interface Postponed extends Attention {
  afterMs: number;
  why?: string;
}

/** How a webhook ended: `dead` after its last try, `unaddressed` where the merchant has no URL. */
export interface SentWebhook {
  result: 'delivered' | 'dead' | 'unaddressed' | 'superseded' | 'already_settled';
}

/** The result of a payment's workflow, for the operator who reads it in the Temporal UI. */
export interface PaymentResult {
  status: PaymentState;
  /** What the status means for the money, and why the workflow is Completed. */
  meaning: string;
  /** Why it is not paid: our failure code, else the provider's result code. */
  code?: string;
  rail: string;
  kind: PaymentKind;
  amount: string;
  merchant: string;
  reference: string;
  statusChecks: number;
  /** The last webhook of this run: its state, and how it ended. */
  webhook: string;
  openCases: string[];
}

export interface VoucherResult {
  status: VoucherState;
  meaning: string;
  amount: string;
  merchant: string;
  reference: string;
}

/**
 * The activities that workflows call. `src` never calls them; `activities/` implements them. With `patient: false` an
 * activity runs inside the workflow task, as a local activity, and gives up early with `Postponed` or `unanswered`.
 * The patient activity then finds the work under way and repeats nothing.
 */
export interface Activities {
  /**
   * @param input `postponed`: the last result, where there was one. A patient activity that finds another hold or case
   *   than that returns it at once, so that the workflow shows it and calls again.
   */
  submitToProvider(input: {
    paymentId: string;
    rail: string;
    patient: boolean;
    postponed?: Postponed;
  }): Promise<SubmissionStep | Postponed>;
  checkStatus(input: { paymentId: string; cause: ReviewCause; patient: boolean }): Promise<Review>;
  /** @param input `givesUp`: not because its merchant cancels it, but because it was queued for too long. */
  cancelAtProvider(input: { paymentId: string; rail: string; givesUp?: true }): Promise<Cancellation>;
  /** @returns 'undeliverable' when the recipient does not exist. */
  sendVoucherMail(input: { voucherId: string }): Promise<'sent' | 'undeliverable'>;
  /** Ends a voucher whose time is over. @returns its present state, whatever caused it. */
  checkVoucher(input: { voucherId: string; isOver: boolean }): Promise<VoucherState>;
  remindRecipient(input: { paymentId: string; n: number }): Promise<void>;
  sendWebhook(input: {
    webhookId: string;
    patient: boolean;
    postponed?: Postponed;
  }): Promise<SentWebhook | Postponed>;
}
