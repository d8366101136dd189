/**
 * The interface between the engine and a rail. A rail is one folder under `src/rails` that exports one `Rail`. The
 * engine stores, runs and settles its payments and notifies their merchants, without knowing the provider's words.
 */
import type { Environment } from '../config';
import type { Cancellation, Flow } from '../domain/commands';
import { cutText } from '../domain/cut-text';
import type { PaymentError, ErrorCode } from '../domain/errors';
import type { Log } from '../domain/log';
import type { AskWorker } from '../domain/provider-questions';
import type { NextStepFields } from '../domain/next-steps';
import type { SubmissionResult, ProviderResult, Recovery } from '../domain/outcome';
import type { PaymentKind, PaymentState } from '../domain/payment';
import type { StatementFormat } from '../reconciliation/statement';
import type { NoStatementSource, StatementSource } from '../reconciliation/statement-source';
import type { ProcessName } from '../secret-files';
import type { Database, Transaction } from '../store/database';
import type { BulkPayoutRow, InboxRow, OutboxRow, PaymentRow } from '../store/tables';
import type { NotificationDescription, RailDescription } from './description';
import type { AcceptedPayment, BulkRequest, CheckedPayment, Draft } from './draft';
import type { AnyEndpoint, Call } from './endpoint';
import type { Durations, UncertaintyPolicy } from './uncertainty';
import { referenceOf } from './provider-events';
import type { ProviderCheckups } from './provider-checkups';
import type { ProviderWallets } from './provider-wallets';
import type { TokenCache } from './access-token';

/** What a rail does for one kind of payment. */
export interface Operation {
  /** The workflow type that an operator reads in Temporal, such as `stkPush`. */
  workflowType: string;
  /** The rail that has the account at the provider, where these payments use another rail's account. */
  account?: string;
  flow: Flow;
  policy: Durations;
  uncertainty: UncertaintyPolicy;
  /** Sends the submission. Called at most once per written attempt. Never throws for a provider's answer. */
  initiate(payment: PaymentRow, call: SubmissionCall): Promise<SubmissionResult>;
  /** True where the merchant's answer does not wait for the provider: a refund may have to wait in the queue. */
  answersWhenWritten?: true;
  /** True for refunds that the provider shows with their deposit: the merchant is notified of both. */
  isShownWithDeposit?: true;
  /** The purchase that a collection pays for: it identifies a customer who pays the same twice. */
  purchase?: Purchase;
  /** Details that only the submission needs, such as a customer's address. They are deleted once it is over. */
  forgottenOnceInstructed?: readonly string[];
  /**
   * Polls the provider. Safe to repeat. Without the provider's own reference a payment is polled only where `recover`
   * shows that the provider knows ours.
   */
  retrieveStatus(payment: PaymentRow, call: ProviderCall): Promise<ProviderResult>;
  /** Reads a stored notification. */
  readNotification(notification: InboxRow): ProviderResult;
  /** False where notifications are unsigned: a success then needs the provider's own answer. */
  notificationsAreTrusted: boolean;
  /**
   * The ends that the provider notifies of; all of them by default. The check whether notifications arrive uses
   * these.
   */
  notifiesOf?: readonly PaymentState[];
  /** The result code of a payment that the provider never received, and therefore does not notify of. */
  neverReceivedCode?: string;
  /**
   * Whether a stored notification only answers a request of ours, so that it says nothing about the other
   * notifications.
   */
  answersUs?(notification: InboxRow): boolean;
  /**
   * The result of an attempt without an answer. Only where the provider looks up our own reference, or drops its
   * repeats; elsewhere such an attempt stays unknown until a notification comes.
   */
  recover?(payment: PaymentRow, call: ProviderCall): Promise<Recovery>;
  /**
   * Captures the money of a payment that `retrieveStatus` reports as approved. The provider must drop repeats of a
   * key.
   */
  capture?(payment: PaymentRow, call: CaptureCall): Promise<ProviderResult>;
  /**
   * Requests the receipt of a payment that succeeded without one. A notification brings it, to the rail's route that
   * knows `token`. Safe to repeat; absent where the provider has no such request.
   */
  requestReceipt?(
    payment: PaymentRow,
    token: string,
    call: ProviderCall,
  ): Promise<{ kind: 'asked' } | { kind: 'not_asked'; text: string }>;
  /** The mail that reminds the recipient of a queued disbursement for the n-th time, from 0. */
  remind?(payment: PaymentRow, n: number): Reminder | undefined;
  /** Asks the provider to drop a queued payout. */
  cancel?(payment: PaymentRow, call: ProviderCall): Promise<'taken' | 'too_late' | 'unknown'>;
  /**
   * Asks the provider to accept no payment any more for a request that timed out: until then a customer may still pay
   * it. Safe to repeat. Absent where a provider ends such a payment by itself.
   */
  cancelUnpaid?(payment: PaymentRow, call: ProviderCall): Promise<UnpaidCancellation>;
  /**
   * The message to the merchant about a payment as it is: the body of its events, and of the webhook where there is
   * one.
   */
  webhookOf(payment: PaymentRow): WebhookContent;
  /** Whether the merchant also gets a webhook about a payment that has just entered its state. */
  sendsWebhook(payment: PaymentRow): boolean;
}

/**
 * The provider's answer to a cancellation: `refused` may mean that it was paid in the meantime, or that it is
 * cancelled.
 */
export interface UnpaidCancellation {
  kind: 'cancelled' | 'refused' | 'not_sent' | 'unknown';
  /** The provider's text. */
  text: string;
}

export interface Reminder {
  to: string;
  subject: string;
  text: string;
}

export interface ProviderCall {
  /** Milliseconds that the whole call may take. */
  timeoutMs: number;
  /** Passed on to the log of the call. */
  requestId: string;
}

export interface SubmissionCall extends ProviderCall {
  /** Counts the written attempts from 1. No two calls for a payment have the same number. */
  attempt: number;
}

export interface CaptureCall extends ProviderCall {
  /** Of this attempt, and of its repeats. At most 80 characters. */
  key: string;
}

export interface WebhookContent {
  /** The webhook id, where the body contains it; otherwise it is generated with the row. */
  webhookId?: string;
  callbackType: string;
  endpoint: OutboxRow['endpoint'];
  body: Record<string, unknown>;
  /** The body's field with the time of sending, not of the event: it is set at each try. */
  sentAtField?: string;
}

/** A route for a provider's notifications. Raw bytes come in, and the provider's own acknowledgement goes out. */
export interface NotificationRoute {
  method: 'GET' | 'POST';
  path: string;
  about: NotificationDescription;
  /** Authenticates the notification and finds its payment. */
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
  /** Store it under `eventKey` (which drops repeats), answer `acknowledgement`, and signal the payment. */
  | {
      kind: 'take';
      /**
       * False where an unauthenticated caller could have sent it: it has no signature and no secret of ours or of its
       * provider.
       */
      isProven: boolean;
      eventKey: string;
      /** Absent when no payment matches yet: the notification is parked. */
      payment?: NotifiedPayment;
      body: string;
      acknowledgement: { status: number; body: unknown };
      /** The answer to a repeat, where it differs. */
      repeated?: { status: number; body: unknown };
      /** The reason why it is only stored. */
      ignoredBecause?: string;
    }
  /**
   * An unverified event: it says that a payment has changed, but not how, and nothing proves it. It causes polls,
   * ever more rarely.
   */
  | {
      kind: 'unverified';
      payment: NotifiedPayment;
      body: string;
      acknowledgement: { status: number; body: unknown };
      /** Why it is not proven, for the log, where it should be. */
      why?: string;
    }
  /** Nothing to store: an event of no interest, or a sentence for a reader, without any lookup. */
  | { kind: 'answer'; status: number; body: unknown; isFree?: true }
  /**
   * A user's browser, which is redirected, or shown a small page. Both may happen inside a merchant's frame. It has
   * named a payment, or requested a page that needs no lookup.
   */
  | { kind: 'redirect'; location: string; payment?: NotifiedPayment }
  | { kind: 'page'; title: string; text: string; payment?: NotifiedPayment; isFree?: true }
  /** Refused in the provider's own shape, or with the common error body. `why` is for the log. */
  | { kind: 'refuse'; status: number; body: unknown; why: string }
  | { kind: 'refuse'; error: PaymentError; why: string };

export interface Rail {
  /** `stk`, `momo`, `xb`, `walletpay`, `cardproc`: the prefix of workflow ids, tables and metrics. */
  name: string;
  operations: Partial<Record<PaymentKind, Operation>>;
  /**
   * The operations for payments of a further provider, by its name in the payment. A payment keeps the provider that
   * it started with, whatever the settings are now.
   */
  operationsOf?: Readonly<Record<string, Rail['operations']>>;
  /** The API's endpoints of this rail. The worker does not use them. */
  endpoints(api: RailApi): AnyEndpoint[];
  notificationRoutes(api: RailApi): NotificationRoute[];
  description: RailDescription;
  /** The next step of a payment's customer or recipient, where the rail knows more than the state shows. */
  nextStep?(payment: PaymentRow): NextStepFields;
  /**
   * The payment of a parked notification, if it exists by now. Without this function an operator gets a case after a
   * while.
   */
  matchNotification?(db: Database, body: string): Promise<NotifiedPayment | undefined>;
  /** Refunds deposits, or describes the manual way where its provider accepts no refunds from us. */
  refund?: Refunding | { byHand: string };
  /** Creates many payouts at once, where the rail has payouts. */
  payOut?: PayingOut;
  /** How to read its provider's statements, where there are any. */
  statement?: StatementFormat;
  /** The balances of the money that its own provider holds for us. */
  wallets?: ProviderWallets;
  /** Where statements are fetched, or why they are not. */
  statementSource?: StatementSource | NoStatementSource;
  /**
   * Answers what only its provider knows, in a process with its keys; see `RailSettings.ask`. The answer is JSON.
   * @throws PaymentError where the provider does not answer.
   */
  answer?(about: unknown): Promise<unknown>;
  /** What an operator can examine at each of its providers before the first payment. */
  checkups?(): ProviderCheckups[];
}

export type NotifiedPayment = Pick<PaymentRow, 'payment_id' | 'workflow_id'>;

/** An unverified event: a payment has changed, but not how; its sender has proven nothing. */
export interface UnverifiedEvent {
  payment: NotifiedPayment;
  body: string;
  sourceAddress: string;
}

/** What the API provides to a rail's handlers. */
export interface RailApi {
  db: Database;
  /** Cancels a queued disbursement. */
  cancel(payment: PaymentRow): Promise<Cancellation>;
  /** Polls the provider now. @returns the payment after its answer, or as it is when that took too long. */
  checkNow(payment: PaymentRow): Promise<CheckedPayment>;
  /**
   * As `checkNow`, for an unverified event: the provider is polled if such an event may cause a poll now (see
   * payments/resolve/inbox.ts). @returns the payment after that.
   */
  checkOnUnverifiedEvent(
    payment: PaymentRow,
    unverified: Omit<UnverifiedEvent, 'payment'>,
  ): Promise<PaymentRow>;
  accept(call: Call, draft: Draft): Promise<AcceptedPayment>;
  /** Creates many payouts at once, all or none; the same order_id again gets the first one's. */
  acceptBulk(call: Call, bulk: BulkRequest): Promise<BulkPayoutRow>;
  /** Answers a repeated request: waits for its first answer, or reports the present state. */
  answerAgain(payment: PaymentRow): Promise<AcceptedPayment>;
}

/** The parts that every rail is built from, in the API, the worker and the command line alike. */
export interface RailSettings {
  environment: Environment;
  /** The address at which providers reach us: the base of every notification URL. */
  publicUrl: string;
  timezone: string;
  /** Sandbox durations are divided by this. */
  timeScale: number;
  env: NodeJS.ProcessEnv;
  log: Log;
  /** The store of access tokens for all processes. */
  tokens: TokenCache;
  observe: ObserveProviderCall;
  /** Whose secrets `env` has; every secret by default. */
  process?: ProcessName;
  /** Asks a worker instead of the provider, in a process without the providers' keys. */
  ask?: AskWorker | undefined;
}

/**
 * Receives every call to a provider: its name, its end, and its duration.
 * @param aheadMs how far the provider's clock is at least ahead of ours, where its answer shows that.
 */
export type ObserveProviderCall = (
  rail: string,
  call: string,
  answer: string,
  durationMs: number,
  aheadMs?: number,
) => void;

/** @returns the rail's operation for such payments, with every provider text limited in size. */
export function operationOf(
  rail: Rail,
  { kind, provider }: Pick<PaymentRow, 'kind' | 'provider'>,
): Operation {
  const { [provider]: ofProvider = rail.operations } = rail.operationsOf ?? {};
  const operation = ofProvider[kind];
  if (!operation) throw new Error(`rail ${rail.name} has no ${kind}`);
  return withBoundedWords(operation);
}

/** @returns the rail whose account at the provider such payments use: a fault of that account affects all of them. */
export function accountOf(rail: Rail, payment: Pick<PaymentRow, 'kind' | 'provider'>): string {
  return operationOf(rail, payment).account ?? rail.name;
}

// A provider's texts may have any size; our columns have limits. Sizes are limited once, at the entry, for every
// rail: a text that does not fit would otherwise fail the settling transaction forever. An identifier is stored
// whole or not at all; the details name what was not stored as `left_out`.

/** Characters, as in the columns of `payments` and `attempts`. */
const codeLengthMax = 64;
const textLengthMax = 400;
const name = /^[\x20-\x7e]{1,120}$/;
/** Long enough to tell another currency from ours. */
const currencyLengthMax = 16;
/** Bytes of one detail as JSON: a payment page's address fits, and all of them fit into a webhook's body (64 KiB). */
const detailBytesMax = 2_000;
/** More than any amount that we submit (15 digits, `src/domain/money.ts`), and less than a BIGINT holds. */
const minorMax = 10n ** 18n;

type Unknown = Extract<SubmissionResult, { kind: 'unknown' }>;
type Details = Record<string, string>;
interface ResultTexts {
  code?: string;
  text?: string;
  currency?: string;
  providerReference?: string;
  receipt?: string;
  details?: Details;
}

/** The operation, with every provider text limited in size. */
function withBoundedWords(operation: Operation): Operation {
  const { recover, capture, cancelUnpaid } = operation;
  return {
    ...operation,
    initiate: async (payment, call) => boundedSubmission(await operation.initiate(payment, call)),
    retrieveStatus: async (payment, call) => boundedResult(await operation.retrieveStatus(payment, call)),
    readNotification: (notification) => boundedEvent(operation.readNotification(notification)),
    ...(recover && { recover: async (payment, call) => boundedSubmission(await recover(payment, call)) }),
    ...(capture && { capture: async (payment, call) => boundedResult(await capture(payment, call)) }),
    ...(cancelUnpaid && {
      cancelUnpaid: async (payment, call) => bounded(await cancelUnpaid(payment, call)),
    }),
  };
}

export function boundedResult(providerResult: ProviderResult): ProviderResult {
  const amounts = Object.values(providerResult).filter((value): value is bigint => typeof value === 'bigint');
  if (amounts.some((amount) => amount < 0n || amount > minorMax)) {
    return { kind: 'unknown', text: 'it reports an amount that no payment can have' };
  }
  return bounded(providerResult);
}

/**
 * A notification whose identifier we cannot store concerns another payment: without the identifier it would seem to
 * concern this one.
 */
export function boundedEvent(providerResult: ProviderResult): ProviderResult {
  const reference = referenceOf(providerResult);
  return reference === undefined || name.test(reference)
    ? boundedResult(providerResult)
    : { kind: 'unknown', text: 'it has a payment reference that cannot be stored' };
}

export function boundedSubmission<T extends SubmissionResult>(submissionResult: T): T | Unknown {
  if ('providerReference' in submissionResult && !name.test(submissionResult.providerReference)) {
    return { kind: 'unknown', text: 'it has a provider reference that cannot be stored' };
  }
  const kept = bounded(submissionResult);
  return kept.kind === 'refused'
    ? { ...kept, providerCode: cutText(kept.providerCode, codeLengthMax) }
    : kept;
}

function bounded<T extends ResultTexts>(reported: T): T {
  const leftOut: string[] = [];
  const kept: T = { ...reported };
  if (kept.providerReference !== undefined && !name.test(kept.providerReference)) {
    delete kept.providerReference;
    leftOut.push('reference');
  }
  if (kept.receipt !== undefined && !name.test(kept.receipt)) {
    delete kept.receipt;
    leftOut.push('receipt');
  }
  if (kept.code !== undefined) kept.code = cutText(kept.code, codeLengthMax);
  if (kept.text !== undefined) kept.text = cutText(kept.text, textLengthMax);
  if (kept.currency !== undefined) kept.currency = cutText(kept.currency, currencyLengthMax);
  // The database accepts no half of a surrogate pair.
  const details = Object.entries(reported.details ?? {}).map(
    ([field, value]) => [field, Buffer.from(value).toString()] as const,
  );
  const fitting = details.filter(([, value]) => Buffer.byteLength(JSON.stringify(value)) <= detailBytesMax);
  leftOut.push(...details.filter((detail) => !fitting.includes(detail)).map(([field]) => field));
  if (leftOut.length > 0) fitting.push(['left_out', leftOut.join(', ')]);
  if (fitting.length > 0) kept.details = Object.fromEntries(fitting);
  else delete kept.details;
  return kept;
}

// The purpose of a collection in its merchant's own words: the rail says which column of its payments has it.

type ReferenceColumn = 'order_id' | 'account_reference';

export interface Purchase {
  /** The merchant's reference is the first of these that a payment has. */
  reference: readonly ReferenceColumn[];
  /** The one that the rail's payments always have: a payment into an account has one, too. */
  mayBeAccount?: ReferenceColumn;
  /** The payer, where the rail knows it. */
  payer?: 'phone_number';
  /** The merchant's own id of the payment; our id where this is absent. */
  nameOf?(payment: PaymentRow): string | undefined;
}

// How a rail refunds a deposit on request of its merchant, or of an operator for the merchant.

/**
 * @param amountText decimal text in the currency that was paid; all that is left where it is absent.
 * @returns the refund, accepted and not done.
 * @throws PaymentError where the rail does not accept it, such as REFUND_EXCEEDS_REMAINDER.
 */
export type Refunding = (
  api: Pick<RailApi, 'db' | 'accept'>,
  call: Call,
  deposit: PaymentRow,
  amountText: string | undefined,
) => Promise<PaymentRow>;

// How a rail creates many payouts for a caller that acts for a merchant, with the same rules as its own endpoint.

/** An error of one row, with the field names of the rail's own single payout. */
export interface PayoutFault {
  /** Its position in the list, from 0. */
  n: number;
  /** Empty where it concerns the row as a whole. */
  field: string;
  code: ErrorCode;
  /** In English, as the API reports it. */
  message: string;
}

export interface ManyPayouts {
  /** The merchant's id of the whole request, forever. */
  orderId: string;
  /** As the rail's endpoint receives them, with amounts as decimal texts. */
  rows: readonly Readonly<Record<string, string>>[];
  /** Runs last in the transaction that writes them; an error rolls all of it back. */
  alongside?: (trx: Transaction, bulkId: string) => Promise<void>;
}

type Asking = Pick<Call, 'merchant' | 'requestId'>;

export interface PayingOut {
  /** Writes nothing. @throws PaymentError for a merchant who may not pay out. */
  check(api: Pick<RailApi, 'db'>, call: Asking, rows: ManyPayouts['rows']): Promise<PayoutFault[]>;
  /**
   * Creates all or none; the same request again gets the first one's.
   * @throws PaymentError with the errors of all rows, or as FLOAT_INSUFFICIENT and OUTFLOW_LIMIT_REACHED for them
   *   together.
   */
  accept(api: Pick<RailApi, 'db' | 'acceptBulk'>, call: Asking, many: ManyPayouts): Promise<BulkPayoutRow>;
}
