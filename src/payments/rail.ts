/**
 * The seam between the engine and a rail. A rail is one folder under `src/rails` that exports one `Rail`; the engine
 * stores, drives, settles and announces its payments without knowing the provider's words.
 */
import type { Cancellation, Policy, Story } from '../domain/commands';
import type { Acceptance, Finding } from '../domain/outcome';
import type { PaymentKind } from '../domain/payment';
import type { InboxRow, OutboxRow, PaymentRow } from '../store/tables';
import type { Environment } from '../config';
import type { Log } from '../domain/log';
import type { Database } from '../store/database';
import type { AcceptedPayment, PaymentDraft } from './accept-payment';
import type { Call, Endpoint } from './endpoint';

/** What one kind of payment of a rail does. */
export interface Operation {
  /** The workflow type an operator reads in Temporal, such as `stkPush`. */
  workflowType: string;
  story: Story;
  policy: Policy;
  /** Milliseconds after the acceptance from which a failure told by a query alone is believed. */
  trustQueryFailureAfterMs: number;
  /** Milliseconds between two sightings of a tentative failure before it counts. */
  tentativeFailureMs: number;
  /** Sends the instruction. Called at most once per written attempt. Never throws for a provider's answer. */
  initiate(payment: PaymentRow, call: ProviderCall): Promise<Acceptance>;
  /** Asks the provider. Safe to repeat. Undefined where a payment cannot be asked about (no reference known). */
  retrieveStatus(payment: PaymentRow, call: ProviderCall): Promise<Finding>;
  /** Reads a stored notification. */
  readNotification(notification: InboxRow): Finding;
  /** False where notifications are unsigned: a success then needs the provider's own word. */
  notificationsAreProof: boolean;
  /** A success whose amount differs: booked as really paid, or kept for an operator. */
  whenAmountDiffers: 'settle_and_open_case' | 'open_case';
  /** A success after a published failure: booked as a correction, or kept for an operator because its hold is gone. */
  lateSuccess: 'correct' | 'open_case';
  /** What the end of the wait means: a prompt nobody answered, or a question for an operator. */
  whenSilent(payment: PaymentRow): 'time_out' | 'ask_operator';
  /**
   * What became of an attempt that left no answer behind. Only where the provider looks up, or drops repeats of, our
   * own reference; elsewhere such an attempt stays unknown until a notification tells.
   */
  recover?(payment: PaymentRow, call: ProviderCall): Promise<Acceptance>;
  /** Takes the money of a payment that `retrieveStatus` finds approved. The provider must drop repeats of it. */
  capture?(payment: PaymentRow, call: ProviderCall): Promise<Finding>;
  /** How long, in milliseconds, a hint is followed while the provider answers that nothing has changed; 0 unless told. */
  hintPatienceMs?: number;
  /** The mail that reminds the recipient of a queued disbursement for the n-th time, from 0. */
  remind?(payment: PaymentRow, n: number): Reminder | undefined;
  /** Asks the provider to drop what it has queued. */
  cancel?(payment: PaymentRow, call: ProviderCall): Promise<'taken' | 'too_late' | 'unknown'>;
  /** The merchant's webhook for a payment that has just entered its state; undefined where there is none. */
  announce(payment: PaymentRow): Announcement | undefined;
}

export interface Reminder {
  to: string;
  subject: string;
  text: string;
}

export interface ProviderCall {
  /** Milliseconds the whole call may take. */
  timeoutMs: number;
  /** Passed on to the log of the call. */
  requestId: string;
}

export interface Announcement {
  callbackType: string;
  endpoint: OutboxRow['endpoint'];
  body: Record<string, unknown>;
}

/** A route on which a provider notifies us. Raw bytes in, the provider's own acknowledgement out. */
export interface NotificationRoute {
  method: 'GET' | 'POST';
  path: string;
  /** Authenticates the notification and says which payment it is about. */
  receive(request: NotificationRequest): Promise<ReceivedNotification>;
}

export interface NotificationRequest {
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
  rawBody: Buffer;
  clientAddress: string;
}

export type ReceivedNotification =
  /** Store it under `eventKey` (repeats are dropped by it), answer `acknowledgement`, nudge the payment. */
  | {
      kind: 'take';
      eventKey: string;
      /** Absent when no payment matches yet: it is parked. */
      payment?: Pick<PaymentRow, 'payment_id' | 'workflow_id'>;
      body: string;
      acknowledgement: { status: number; body: unknown };
    }
  /** Nothing to store: an event of no interest, or a page for a person. */
  | { kind: 'answer'; status: number; body: unknown }
  | { kind: 'refuse'; status: number; body: unknown; why: string };

export interface Rail {
  /** `stk`, `momo`, `xb`, `walletpay`, `cardproc`: the prefix of workflow ids, tables and metrics. */
  name: string;
  operations: Partial<Record<PaymentKind, Operation>>;
  /** What the API serves for this rail. The worker never asks for it. */
  endpoints(api: RailApi): Endpoint[];
  notificationRoutes(api: RailApi): NotificationRoute[];
}

/** What the API lends to a rail's handlers. */
export interface RailApi {
  db: Database;
  /** Cancels a queued disbursement. */
  cancel(payment: PaymentRow): Promise<Cancellation>;
  /** Has the provider asked now. @returns the payment as it is after its answer, or when that took too long. */
  look(payment: PaymentRow): Promise<PaymentRow>;
  accept(call: Call, draft: PaymentDraft): Promise<AcceptedPayment>;
}

/** What every rail is built from, in the API, the worker and the command line alike. */
export interface RailSettings {
  environment: Environment;
  /** Where providers reach us: the base of every callback URL. */
  publicUrl: string;
  timezone: string;
  /** Sandbox durations are divided by this. */
  timeScale: number;
  env: NodeJS.ProcessEnv;
  log: Log;
  observe: ObserveProviderCall;
}

/** Told of every call to a provider: which, how it ended, and how long it took. */
export type ObserveProviderCall = (rail: string, call: string, answer: string, durationMs: number) => void;

export function operationOf(rail: Rail, kind: PaymentKind): Operation {
  const operation = rail.operations[kind];
  if (!operation) throw new Error(`rail ${rail.name} has no ${kind}`);
  return operation;
}
