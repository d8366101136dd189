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
import type { PayoutGateRow, PayoutHoldRow, PayoutStopRow } from './control-tables';
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
  /** What becomes of an STK amount with cents: asked for without them, or refused. */
  stk_cents: 'floor' | 'refuse';
  permissions: string[];
  ip_allow: string[];
  checkout_hosts: string[];
  stk_rate: number;
  stk_burst: number;
  api_rate: number;
  api_burst: number;
  /** Seconds within which the same payment is not taken twice; 0 takes it every time. */
  duplicate_window_s: number;
  /** Whether who pays the same reference twice is looked for. */
  paid_twice: 'on' | 'off';
  time_zone: string | null;
  /** Sealed with the deployment's key; see merchants/secrets.ts. */
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
  /** What people call it; NULL for one that was given no name. */
  name: string | null;
  /** To a few minutes; see merchants/key-uses.ts. */
  last_used_at: Date | null;
  /** Words with commas between; see merchants/api-keys.ts. */
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
  /** The merchant's side: what was asked for and what is booked. */
  currency: Currency;
  requested_minor: string;
  /** The provider's side: what we told it to move. */
  instructed_currency: Currency;
  instructed_minor: string;
  confirmed_minor: string | null;
  /** What a deposit's wallet received, or a refund's gives, where that is another currency than the provider's. */
  credited_currency: Currency | null;
  credited_minor: string | null;
  /** How much of the confirmed amount the provider gave or took back by itself, in its own currency. */
  given_back_minor: string;
  /** How much of it refunds of ours gave back that the provider shows with the deposit, in the provider's currency. */
  refunded_minor: string;
  /** What the wallet gave for these, in its own. */
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
  /** Our own reason, where the provider gave none: NOT_STARTED, OUTCOME_UNKNOWN. */
  failure_code: string | null;
  corrected: number;
  request_id: string | null;
  /** The merchant's object, exactly as sent. */
  metadata: string | null;
  /** What only this rail knows, under the rail's own names. */
  details: Record<string, string>;
  created_at: Date;
  accepted_at: Date | null;
  /** When its merchant was told "accepted" before its provider was asked: it is not withdrawn after that. */
  answered_at: Date | null;
  finished_at: Date | null;
  /** When a stranger's question last made us ask the provider; written by the database's clock. */
  asked_at: Date | null;
  updated_at: Date;
  /** The Idempotency-Key it was requested with. */
  key_hash: Buffer | null;
  /** What makes another one the same as this, and from when until when that is refused, by the database's clock. */
  guard_hash: Buffer | null;
  guarded_from: Date | null;
  guarded_until: Date | null;
  /** By when it must have been looked at, in wall time; NULL when nothing is expected of it any more. */
  next_check_at: Date | null;
  /** When the sweeper last woke its workflow. */
  woken_at: Date | null;
  /** How often the sweeper has woken it for an overdue look since it was last looked at. */
  wakes: number;
  /** The schedule of its fee, fixed when it was accepted; NULL for none. */
  fee_id: string | null;
  /** In the currency of the wallet or float: what a payout sets aside for it, or a settled deposit was charged. */
  fee_minor: string | null;
  /** Counts from 1 how often its state, or what went back of it, has changed: merchants put what they are told in order by it. */
  sequence: number;
  /** How much time the sandbox has let pass for it, in milliseconds: 0 in live (see payments/read/payment-clock.ts). */
  clock_ahead_ms: string;
  /** As much of it as had passed when it was accepted, and when it ended. */
  accepted_ahead_ms: string;
  finished_ahead_ms: string;
}

/** How much time the sandbox has let pass in all: one row. */
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
  /** When it is followed, where nobody vouches for it; NULL for what is proven, which is followed at once. */
  follow_at: Date | null;
  /** How many hints before it, one after the other, have changed nothing. */
  repeats: number;
}

export interface OutboxRow extends PrunableBody {
  webhook_id: string;
  payment_id: string;
  merchant_id: string;
  to_state: PaymentState;
  callback_type: string;
  endpoint: 'callback_url' | 'webhook_url';
  /** The exact bytes that are signed and sent, save for the field that `sent_at_field` names; empty once pruned. */
  body: string;
  /** The field of the body that tells when it is sent: it is stamped at each try. */
  sent_at_field: string | null;
  request_id: string | null;
  /**
   * unaddressed: the merchant had no URL when it was due; it can be replayed once there is one.
   * superseded: a later status of the payment has replaced it before it arrived, so that it is not sent any more.
   */
  state: 'pending' | 'delivered' | 'dead' | 'unaddressed' | 'superseded';
  tries: number;
  next_at: Date;
  created_at: Date;
  settled_at: Date | null;
  /** The payment's when it was written; NULL for one that was written before there was any. */
  sequence: number | null;
  /** What may replace it, and what it replaces; see payments/transition/write-webhook.ts. */
  replaceable: number;
  replaces: number;
  /** The webhook of the later status that has replaced it: it is not sent any more, whatever became of it before. */
  superseded_by: string | null;
  /** A try is under way until then at the latest; NULL once it is over. */
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
  /** What the body becomes once the mail is settled; NULL for a mail without a secret. */
  redacted_body: string | null;
  /** dead: nobody tries any more, because the mail was refused for good or given up. */
  state: 'new' | 'sent' | 'dead';
  tries: number;
  /** Of the last try that failed. */
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
  /** payment and reason while open, NULL once closed: one open case per payment and reason, or per rail without one. */
  open_key: string | null;
  /** How often it was seen since it was opened, where it is about no payment. */
  times: number;
  /** The provider account that nothing is started through while it is open; NULL for most. */
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
    payout_gate: PayoutGateRow;
    payout_stops: PayoutStopRow;
    payout_holds: PayoutHoldRow;
  }
}
