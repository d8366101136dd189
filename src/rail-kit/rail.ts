/**
 * The seam between the engine and a rail. A rail is one folder under `src/rails` that exports one `Rail`; the engine
 * stores, drives, settles and announces its payments without knowing the provider's words.
 */
import type { Environment } from '../config';
import type { Cancellation, Flow } from '../domain/commands';
import { cutText } from '../domain/cut-text';
import type { PaymentError, ErrorCode } from '../domain/errors';
import type { Log } from '../domain/log';
import type { NextStepTold } from '../domain/next-steps';
import type { Acceptance, Finding, Recovery } from '../domain/outcome';
import type { PaymentKind, PaymentState } from '../domain/payment';
import type { StatementFormat } from '../reconciliation/statement';
import type { NoStatementSource, StatementSource } from '../reconciliation/statement-source';
import type { Database, Transaction } from '../store/database';
import type { BulkPayoutRow, InboxRow, OutboxRow, PaymentRow } from '../store/tables';
import type { NotificationDescription, RailDescription } from './description';
import type { AcceptedPayment, BulkRequest, Draft } from './draft';
import type { AnyEndpoint, Call } from './endpoint';
import type { Durations, InDoubt } from './uncertainty';
import { referenceOf } from './provider-events';
import type { ProviderCheckups } from './provider-checkups';
import type { ProviderWallets } from './provider-wallets';
import type { TokenShelf } from './access-token';

/** What one kind of payment of a rail does. */
export interface Operation {
  /** The workflow type an operator reads in Temporal, such as `stkPush`. */
  workflowType: string;
  /** The rail that has the account at the provider, where these payments go through another rail's. */
  account?: string;
  flow: Flow;
  policy: Durations;
  inDoubt: InDoubt;
  /** Sends the instruction. Called at most once per written attempt. Never throws for a provider's answer. */
  initiate(payment: PaymentRow, call: InstructionCall): Promise<Acceptance>;
  /** True where the answer does not wait for the provider: a refund's turn may come later. */
  answersWhenWritten?: true;
  /** True for refunds that the provider shows with their deposit, whose merchant is told of both. */
  isShownWithDeposit?: true;
  /** What a collection pays for, by which a customer who pays the same twice is found. */
  purchase?: Purchase;
  /** Details that only the instruction needs, such as a customer's address. They are dropped once it is over. */
  forgottenOnceInstructed?: readonly string[];
  /**
   * Asks the provider. Safe to repeat. Without the provider's own reference a payment is only asked about where
   * `recover` says that the provider knows ours.
   */
  retrieveStatus(payment: PaymentRow, call: ProviderCall): Promise<Finding>;
  /** Reads a stored notification. */
  readNotification(notification: InboxRow): Finding;
  /** False where notifications are unsigned: a success then needs the provider's own word. */
  notificationsAreProof: boolean;
  /** The ends that the provider notifies of; all of them unless told. Whether callbacks come is judged by these. */
  notifiesOf?: readonly PaymentState[];
  /** The result code of what the provider never received, so that it notifies of nothing. */
  neverReceivedCode?: string;
  /** Whether a stored notification only answers a question of ours, so that it says nothing about all the others. */
  answersUs?(notification: InboxRow): boolean;
  /**
   * What became of an attempt that left no answer behind. Only where the provider looks up, or drops repeats of, our
   * own reference; elsewhere such an attempt stays unknown until a notification tells.
   */
  recover?(payment: PaymentRow, call: ProviderCall): Promise<Recovery>;
  /** Takes the money of a payment that `retrieveStatus` finds approved. The provider must drop repeats of a key. */
  capture?(payment: PaymentRow, call: CaptureCall): Promise<Finding>;
  /**
   * Asks the provider for the receipt of a payment that succeeded without one. It is told by a notification, to the
   * rail's route that knows `token`. Safe to repeat; absent where the provider cannot be asked.
   */
  requestReceipt?(
    payment: PaymentRow,
    token: string,
    call: ProviderCall,
  ): Promise<{ kind: 'asked' } | { kind: 'not_asked'; text: string }>;
  /** The mail that reminds the recipient of a queued disbursement for the n-th time, from 0. */
  remind?(payment: PaymentRow, n: number): Reminder | undefined;
  /** Asks the provider to drop what it has queued. */
  cancel?(payment: PaymentRow, call: ProviderCall): Promise<'taken' | 'too_late' | 'unknown'>;
  /**
   * Has the provider take no payment any more for what was not paid in time: until then a customer may pay for what was
   * given up. Safe to repeat. Absent where a provider ends such a payment by itself.
   */
  cancelUnpaid?(payment: PaymentRow, call: ProviderCall): Promise<UnpaidCancellation>;
  /** What the merchant is told of a payment as it is: the body of its events, and of the webhook where there is one. */
  tell(payment: PaymentRow): Announcement;
  /** Whether the merchant is sent a webhook, too, about a payment that has just entered its state. */
  announces(payment: PaymentRow): boolean;
}

/** What a provider said to a cancellation: `refused` may as well mean that it was paid meanwhile as that it is cancelled. */
export interface UnpaidCancellation {
  kind: 'cancelled' | 'refused' | 'not_sent' | 'unknown';
  /** The provider's words. */
  text: string;
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

export interface InstructionCall extends ProviderCall {
  /** Counts the written attempts from 1. No two calls for a payment have the same. */
  attempt: number;
}

export interface CaptureCall extends ProviderCall {
  /** Of this attempt, and of its repetitions. At most 80 characters. */
  key: string;
}

export interface Announcement {
  /** The webhook id, where the body names it; made up elsewhere. */
  webhookId?: string;
  callbackType: string;
  endpoint: OutboxRow['endpoint'];
  body: Record<string, unknown>;
  /** The field of the body that tells when it is sent, and not what happened: it is stamped at each try. */
  sentAtField?: string;
}

/** A route on which a provider notifies us. Raw bytes in, the provider's own acknowledgement out. */
export interface NotificationRoute {
  method: 'GET' | 'POST';
  path: string;
  about: NotificationDescription;
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
      /** False where a stranger could have sent it: nothing in it is signed, and no secret of ours or its provider's. */
      isProven: boolean;
      eventKey: string;
      /** Absent when no payment matches yet: it is parked. */
      payment?: NotifiedPayment;
      body: string;
      acknowledgement: { status: number; body: unknown };
      /** What a repeat is answered, where that is something else. */
      repeated?: { status: number; body: unknown };
      /** Why it is stored and nothing more. */
      ignoredBecause?: string;
    }
  /** Somebody says that a payment has changed, and not how; nothing vouches for it. It is followed, ever more rarely. */
  | {
      kind: 'hint';
      payment: NotifiedPayment;
      body: string;
      acknowledgement: { status: number; body: unknown };
      /** Why nothing vouches for it, for the log, where something should. */
      why?: string;
    }
  /** Nothing to store: an event of no interest, or a sentence for a person, for which nothing was looked up. */
  | { kind: 'answer'; status: number; body: unknown; isFree?: true }
  /**
   * A person's browser, which is sent on, or shown a small page. Both may happen inside a merchant's frame. It has named
   * a payment, or came to a page for which nothing was looked up.
   */
  | { kind: 'redirect'; location: string; payment?: NotifiedPayment }
  | { kind: 'page'; title: string; text: string; payment?: NotifiedPayment; isFree?: true }
  /** Refused in the provider's own shape, or with the error body that is everybody else's. `why` is for the log. */
  | { kind: 'refuse'; status: number; body: unknown; why: string }
  | { kind: 'refuse'; error: PaymentError; why: string };

export interface Rail {
  /** `stk`, `momo`, `xb`, `walletpay`, `cardproc`: the prefix of workflow ids, tables and metrics. */
  name: string;
  operations: Partial<Record<PaymentKind, Operation>>;
  /**
   * What it does with the payments of a further provider, by the name that they have of it. A payment keeps the provider
   * that it began with, whatever the settings say by now.
   */
  operationsOf?: Readonly<Record<string, Rail['operations']>>;
  /** What the API serves for this rail. The worker never asks for it. */
  endpoints(api: RailApi): AnyEndpoint[];
  notificationRoutes(api: RailApi): NotificationRoute[];
  description: RailDescription;
  /** What a payment's customer or recipient should do now, where the rail knows more than the state says. */
  nextStep?(payment: PaymentRow): NextStepTold;
  /** The payment that a parked notification is about, if it exists by now. Without it they are a person's after a while. */
  matchNotification?(db: Database, body: string): Promise<NotifiedPayment | undefined>;
  /** Gives deposits back, or says what a person does instead where its provider takes no refunds from us. */
  refund?: Refunding | { byHand: string };
  /** Takes many payouts at once, where it has any. */
  payOut?: PayingOut;
  /** How its provider's statements are read, where it gives any. */
  statement?: StatementFormat;
  /** What its own provider tells of the money that it keeps for us. */
  wallets?: ProviderWallets;
  /** Where they are fetched, or why they are not. */
  statementSource?: StatementSource | NoStatementSource;
  /** What an operator can have examined at each of its providers before the first payment. */
  checkups?(): ProviderCheckups[];
}

export type NotifiedPayment = Pick<PaymentRow, 'payment_id' | 'workflow_id'>;

/** That something of a payment has changed, and not what; whoever says so has proven nothing. */
export interface StrangersHint {
  payment: NotifiedPayment;
  body: string;
  sourceAddress: string;
}

/** What the API lends to a rail's handlers. */
export interface RailApi {
  db: Database;
  /** Cancels a queued disbursement. */
  cancel(payment: PaymentRow): Promise<Cancellation>;
  /** Has the provider asked now. @returns the payment as it is after its answer, or when that took too long. */
  checkNow(payment: PaymentRow): Promise<PaymentRow>;
  /**
   * As `checkNow`, because of an unverified event: the provider is asked where such an event is followed now (see
   * payments/resolve/inbox.ts). @returns the payment as it is then.
   */
  checkOnUnverifiedEvent(payment: PaymentRow, hint: Omit<StrangersHint, 'payment'>): Promise<PaymentRow>;
  accept(call: Call, draft: Draft): Promise<AcceptedPayment>;
  /** Takes many payouts at once, all or none; the same order_id again gets the first one's. */
  acceptBulk(call: Call, bulk: BulkRequest): Promise<BulkPayoutRow>;
  /** Answers a request that was made before: waits for its acceptance, or tells what became of it. */
  answerAgain(payment: PaymentRow): Promise<AcceptedPayment>;
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
  /** Where access tokens are kept for all processes. */
  tokens: TokenShelf;
  observe: ObserveProviderCall;
}

/**
 * Told of every call to a provider: which, how it ended, and how long it took.
 * @param aheadMs by how much the provider's clock is ahead of ours at least, where its answer tells.
 */
export type ObserveProviderCall = (
  rail: string,
  call: string,
  answer: string,
  durationMs: number,
  aheadMs?: number,
) => void;

/** @returns what the rail does with such payments, everything that its provider tells bounded. */
export function operationOf(
  rail: Rail,
  { kind, provider }: Pick<PaymentRow, 'kind' | 'provider'>,
): Operation {
  const { [provider]: ofProvider = rail.operations } = rail.operationsOf ?? {};
  const operation = ofProvider[kind];
  if (!operation) throw new Error(`rail ${rail.name} has no ${kind}`);
  return withBoundedWords(operation);
}

/** @returns the rail whose account at the provider such payments go through: what is wrong with it is wrong for all of them. */
export function accountOf(rail: Rail, payment: Pick<PaymentRow, 'kind' | 'provider'>): string {
  return operationOf(rail, payment).account ?? rail.name;
}

// What a provider tells has the sizes it pleases; what we keep of it has those of our columns. Bounded once, where it
// comes in, for every rail: a text that does not fit would otherwise fail the transaction that settles a payment, for
// ever. What names something is kept whole or not at all; what was not kept is named in the details as `left_out`.

/** Characters, as in the columns of `payments` and `attempts`. */
const codeLengthMax = 64;
const textLengthMax = 400;
const name = /^[\x20-\x7e]{1,120}$/;
/** Long enough to tell another currency from ours. */
const currencyLengthMax = 16;
/** Bytes of one detail as JSON: a payment page's address fits, and all of them fit into a webhook's body (64 KiB). */
const detailBytesMax = 2_000;
/** More than any amount that we instruct (15 digits, `src/domain/money.ts`), and less than a BIGINT holds. */
const minorMax = 10n ** 18n;

type Unknown = Extract<Acceptance, { kind: 'unknown' }>;
type Details = Record<string, string>;
interface Told {
  code?: string;
  text?: string;
  currency?: string;
  providerReference?: string;
  receipt?: string;
  details?: Details;
}

/** The operation, with everything its provider tells bounded. */
function withBoundedWords(operation: Operation): Operation {
  const { recover, capture, cancelUnpaid } = operation;
  return {
    ...operation,
    initiate: async (payment, call) => boundedAcceptance(await operation.initiate(payment, call)),
    retrieveStatus: async (payment, call) => boundedFinding(await operation.retrieveStatus(payment, call)),
    readNotification: (notification) => boundedNotice(operation.readNotification(notification)),
    ...(recover && { recover: async (payment, call) => boundedAcceptance(await recover(payment, call)) }),
    ...(capture && { capture: async (payment, call) => boundedFinding(await capture(payment, call)) }),
    ...(cancelUnpaid && {
      cancelUnpaid: async (payment, call) => bounded(await cancelUnpaid(payment, call)),
    }),
  };
}

export function boundedFinding(finding: Finding): Finding {
  const amounts = Object.values(finding).filter((value): value is bigint => typeof value === 'bigint');
  if (amounts.some((amount) => amount < 0n || amount > minorMax)) {
    return { kind: 'unknown', text: 'it names an amount that no payment can have' };
  }
  return bounded(finding);
}

/** A notification that names something we cannot keep is about something else: without its name it would be about this. */
export function boundedNotice(finding: Finding): Finding {
  const reference = referenceOf(finding);
  return reference === undefined || name.test(reference)
    ? boundedFinding(finding)
    : { kind: 'unknown', text: 'it calls the payment by a name that cannot be kept' };
}

export function boundedAcceptance<T extends Acceptance>(acceptance: T): T | Unknown {
  if ('providerReference' in acceptance && !name.test(acceptance.providerReference)) {
    return { kind: 'unknown', text: 'the provider calls it by a name that cannot be kept' };
  }
  const kept = bounded(acceptance);
  return kept.kind === 'refused'
    ? { ...kept, providerCode: cutText(kept.providerCode, codeLengthMax) }
    : kept;
}

function bounded<T extends Told>(told: T): T {
  const leftOut: string[] = [];
  const kept: T = { ...told };
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
  // Half a character is none to the database.
  const details = Object.entries(told.details ?? {}).map(
    ([field, value]) => [field, Buffer.from(value).toString()] as const,
  );
  const fitting = details.filter(([, value]) => Buffer.byteLength(JSON.stringify(value)) <= detailBytesMax);
  leftOut.push(...details.filter((detail) => !fitting.includes(detail)).map(([field]) => field));
  if (leftOut.length > 0) fitting.push(['left_out', leftOut.join(', ')]);
  if (fitting.length > 0) kept.details = Object.fromEntries(fitting);
  else delete kept.details;
  return kept;
}

// What a collection is for in its merchant's own words: the rail says where that stands in its payments.

type ReferenceColumn = 'order_id' | 'account_reference';

export interface Purchase {
  /** The merchant's reference is the first of these that a payment has. */
  reference: readonly ReferenceColumn[];
  /** The one of them that the rail's payments cannot be without: what is paid into an account has one, too. */
  mayBeAccount?: ReferenceColumn;
  /** Who pays, where the rail knows. */
  payer?: 'phone_number';
  /** What its merchant calls the payment; our id where this is absent. */
  nameOf?(payment: PaymentRow): string | undefined;
}

// How a rail gives a deposit back because its merchant, or an operator in its name, asks for it.

/**
 * @param amountText decimal text in the currency that was paid; all that is left where it is absent.
 * @returns the refund, accepted and not done.
 * @throws PaymentError where the rail does not take it, such as REFUND_EXCEEDS_REMAINDER.
 */
export type Refunding = (
  api: Pick<RailApi, 'db' | 'accept'>,
  call: Call,
  deposit: PaymentRow,
  amountText: string | undefined,
) => Promise<PaymentRow>;

// How a rail takes many payouts at once from whoever asks in a merchant's name, as its own endpoint takes them.

/** Of one row, under the names of the rail's own single payout. */
export interface PayoutFault {
  /** Its place in the list, from 0. */
  n: number;
  /** Empty where it is about the row as a whole. */
  field: string;
  code: ErrorCode;
  /** In English, as the API tells it. */
  message: string;
}

export interface ManyPayouts {
  /** The merchant's name for the whole, for ever. */
  orderId: string;
  /** As the rail's endpoint is sent them, amounts as decimal texts. */
  rows: readonly Readonly<Record<string, string>>[];
  /** Runs last in the transaction that writes them; what it throws takes all of it back. */
  alongside?: (trx: Transaction, bulkId: string) => Promise<void>;
}

type Asking = Pick<Call, 'merchant' | 'requestId'>;

export interface PayingOut {
  /** Writes nothing. @throws PaymentError for a merchant who may not pay out. */
  check(api: Pick<RailApi, 'db'>, call: Asking, rows: ManyPayouts['rows']): Promise<PayoutFault[]>;
  /**
   * Takes all or none; the same again gets the first one's.
   * @throws PaymentError with the faults of all rows, or as FLOAT_INSUFFICIENT and OUTFLOW_LIMIT_REACHED for them together.
   */
  accept(api: Pick<RailApi, 'db' | 'acceptBulk'>, call: Asking, many: ManyPayouts): Promise<BulkPayoutRow>;
}
