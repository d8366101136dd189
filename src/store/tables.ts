/** One interface per table, as the driver returns it: BIGINT as a string of digits, DATETIME as Date. */
import type { PaymentKind, PaymentState } from '../domain/payment';
import type { Currency } from '../domain/money';
import type {
  FxQuoteRow,
  FxRateRow,
  HoldRow,
  LedgerAccountRow,
  LedgerEntryRow,
  LedgerPostingRow,
  VoucherRow,
} from './ledger-tables';
import type {
  PrunableBody,
  PruningRow,
  AccessTokenRow,
  MissingReceiptRow,
  IdempotencyKeyRow,
  ProcessRow,
  DuplicateGuardRow,
  OrderIdRow,
  RateLimitBucketRow,
  BulkPayoutRow,
  BulkRowRow,
} from './request-tables';
import type { PayoutLockRow, PayoutHoldRow, PayoutPauseRow } from './control-tables';
export type * from './request-tables';
export type * from './ledger-tables';
export type * from './control-tables';
export type * from './endpoint-tables';
export type * from './user-tables';
export type * from './reconciliation-tables';

export interface MerchantRow {
  merchant_id: string;
  name: string;
  status: 'active' | 'suspended' | 'inactive';
  callback_url: string | null;
  webhook_url: string | null;
  return_url: string | null;
  cancel_url: string | null;
  wallet_currency: string;
  /** An STK amount with cents is rounded down, or rejected. */
  stk_cents: 'floor' | 'refuse';
  permissions: string[];
  ip_allow: string[];
  checkout_hosts: string[];
  stk_rate: number;
  stk_burst: number;
  api_rate: number;
  api_burst: number;
  /** Seconds within which the same payment is rejected as a duplicate; 0 for never. */
  duplicate_window_s: number;
  /** Whether duplicate payments of a reference are detected. */
  duplicate_alert: 'on' | 'off';
  time_zone: string | null;
  /** Encrypted with the deployment's key; see merchants/secrets.ts. */
  webhook_secret: string;
  previous_webhook_secret: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface ApiKeyRow {
  api_key: string;
  merchant_id: string;
  secret_hash: Buffer;
  created_at: Date;
  revoked_at: Date | null;
  /** The key's name; NULL without one. */
  name: string | null;
  /** To a few minutes; see merchants/key-uses.ts. */
  last_used_at: Date | null;
  /** Comma-separated words; see merchants/api-keys.ts. */
  scopes: string;
}

export interface PaymentRow {
  payment_id: string;
  merchant_id: string;
  rail: string;
  kind: PaymentKind;
  workflow_id: string;
  state: PaymentState;
  is_final: number;
  /** The merchant's side: the requested and booked amounts. */
  currency: Currency;
  requested_minor: string;
  /** The provider's side: the submitted amounts. */
  instructed_currency: Currency;
  instructed_minor: string;
  confirmed_minor: string | null;
  /** The wallet's currency for a deposit or refund, if it differs from the provider's. */
  credited_currency: Currency | null;
  credited_minor: string | null;
  /** How much of the confirmed amount the provider returned by itself, in its own currency. */
  returned_minor: string;
  /** How much of it our refunds returned and the provider shows with the deposit, in the provider's currency. */
  refunded_minor: string;
  /** What the wallet paid for these, in its own currency. */
  refund_debited_minor: string;
  account_reference: string | null;
  order_id: string | null;
  phone_number: string | null;
  provider: string;
  provider_reference: string | null;
  provider_receipt: string | null;
  callback_token: string | null;
  parent_id: string | null;
  result_code: string | null;
  result_text: string | null;
  /** Our own reason, if the provider gave none: NOT_STARTED, OUTCOME_UNKNOWN. */
  failure_code: string | null;
  corrected: number;
  request_id: string | null;
  /** The merchant's object, exactly as received. */
  metadata: string | null;
  /** Values of this rail alone, under the rail's own names. */
  details: Record<string, string>;
  created_at: Date;
  accepted_at: Date | null;
  /** When its merchant got "accepted" before the submission to the provider: after that it is never withdrawn. */
  answered_at: Date | null;
  finished_at: Date | null;
  /** When an unauthenticated request last caused a status query; by the database's clock. */
  asked_at: Date | null;
  updated_at: Date;
  /** The Idempotency-Key of its request. */
  key_hash: Buffer | null;
  /**
   * The digest that identifies a duplicate, and the period in which duplicates are rejected, by the database's clock.
   */
  guard_hash: Buffer | null;
  guarded_from: Date | null;
  guarded_until: Date | null;
  /** The wall time of the next status check; NULL if nothing more is expected. */
  next_check_at: Date | null;
  /** When the sweeper last woke its workflow. */
  signalled_at: Date | null;
  /** How often the sweeper has signalled its workflow for an overdue check since its last check. */
  signals: number;
  /** The schedule of its fee, set when it was created; NULL for none. */
  fee_id: string | null;
  /** In the currency of the wallet or float: the fee that a payout reserves, or a settled deposit was charged. */
  fee_minor: string | null;
  /** Counts the changes of its state and of its returned amount from 1. Merchants order webhooks by it. */
  sequence: number;
  /** The sandbox's clock offset of this payment, in milliseconds: 0 in live (payments/read/payment-clock.ts). */
  clock_ahead_ms: string;
  /** The offset when it was created, and when it ended. */
  accepted_ahead_ms: string;
  finished_ahead_ms: string;
}

/** The sandbox's total clock offset: one row. */
interface SandboxClockRow {
  id: number;
  ahead_ms: string;
}

export interface PaymentLogRow {
  log_id: string;
  payment_id: string;
  from_state: PaymentState;
  to_state: PaymentState;
  cause: string;
  evidence: string | null;
  at: Date;
}

export interface AttemptRow {
  payment_id: string;
  n: number;
  operation: string;
  provider_key: string;
  state: 'sent' | 'accepted' | 'refused' | 'unknown' | 'not_sent';
  code: string | null;
  detail: string | null;
  sent_at: Date;
  answered_at: Date | null;
}

export interface InboxRow extends PrunableBody {
  inbox_id: string;
  rail: string;
  event_key: Buffer;
  payment_id: string | null;
  source_address: string | null;
  state: 'new' | 'applied' | 'ignored' | 'parked';
  reason: string | null;
  received_at: Date;
  processed_at: Date | null;
  /** When a status check follows an unverified notification; NULL for a verified one, which is applied at once. */
  follow_at: Date | null;
  /** How many unverified notifications in a row before it have changed nothing. */
  repeats: number;
}

export interface OutboxRow extends PrunableBody {
  webhook_id: string;
  payment_id: string;
  merchant_id: string;
  to_state: PaymentState;
  callback_type: string;
  endpoint: 'callback_url' | 'webhook_url';
  /** The exact bytes that are signed and sent, except for the field named by `sent_at_field`; empty once deleted. */
  body: string;
  /** The field of the body with the time of sending: it is set at each attempt. */
  sent_at_field: string | null;
  request_id: string | null;
  /**
   * unaddressed: the merchant had no URL when it was due; it can be replayed once there is one. superseded: a later
   * status of the payment replaced it before delivery, so it is not sent.
   */
  state: 'pending' | 'delivered' | 'dead' | 'unaddressed' | 'superseded';
  tries: number;
  next_at: Date;
  created_at: Date;
  settled_at: Date | null;
  /** The payment's sequence at that time; NULL for rows from before the column. */
  sequence: number | null;
  /** Which rows may replace it, and which it replaces; see payments/transition/write-webhook.ts. */
  replaceable: number;
  replaces: number;
  /** The webhook of the later status that replaced it: it is not sent again, whatever its state. */
  superseded_by: string | null;
  /** An attempt is in progress until then at the latest; NULL afterwards. */
  claimed_until: Date | null;
}

export interface WebhookDeliveryRow {
  delivery_id: string;
  webhook_id: string;
  n: number;
  url: string | null;
  http_status: number | null;
  duration_ms: number;
  error: string | null;
  response_excerpt: string | null;
  at: Date;
}

export interface MailRow extends PrunableBody {
  mail_id: string;
  payment_id: string | null;
  kind: string;
  recipient: string;
  subject: string;
  /** The body after the mail is settled; NULL for a mail without a secret. */
  redacted_body: string | null;
  /** dead: no more attempts, because the server rejected it for good or all attempts failed. */
  state: 'new' | 'sent' | 'dead';
  tries: number;
  /** Of the last failed attempt. */
  error: string | null;
  created_at: Date;
  sent_at: Date | null;
}

export interface CaseRow {
  case_id: string;
  payment_id: string | null;
  reason: string;
  detail: string;
  opened_at: Date;
  closed_at: Date | null;
  closed_by: string | null;
  resolution: string | null;
  /**
   * Payment and reason while open, NULL once closed: one open case per payment and reason, or per rail without a
   * payment.
   */
  open_key: string | null;
  /** How often it was seen since it was opened, for a case without a payment. */
  times: number;
  /** The provider account that is paused while the case is open; NULL for most. */
  stops: string | null;
}

declare module 'knex/types/tables' {
  interface Tables {
    merchants: MerchantRow;
    api_keys: ApiKeyRow;
    payments: PaymentRow;
    payment_log: PaymentLogRow;
    sandbox_clock: SandboxClockRow;
    attempts: AttemptRow;
    inbox: InboxRow;
    outbox: OutboxRow;
    webhook_deliveries: WebhookDeliveryRow;
    ledger_accounts: LedgerAccountRow;
    ledger_entries: LedgerEntryRow;
    ledger_postings: LedgerPostingRow;
    holds: HoldRow;
    idempotency_keys: IdempotencyKeyRow;
    processes: ProcessRow;
    duplicate_guards: DuplicateGuardRow;
    order_ids: OrderIdRow;
    bulk_payouts: BulkPayoutRow;
    bulk_rows: BulkRowRow;
    rate_limit_buckets: RateLimitBucketRow;
    access_tokens: AccessTokenRow;
    missing_receipts: MissingReceiptRow;
    fx_rates: FxRateRow;
    fx_quotes: FxQuoteRow;
    mails: MailRow;
    vouchers: VoucherRow;
    cases: CaseRow;
    prunings: PruningRow;
    payout_lock: PayoutLockRow;
    payout_pauses: PayoutPauseRow;
    payout_holds: PayoutHoldRow;
  }
}
