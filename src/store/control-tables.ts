/** The rows by which operators hold money back that is to go out; see tables.ts. */

/** The one row that whoever writes an attempt shares, and whoever stops or starts takes. */
export interface PayoutGateRow {
  id: number;
}

/** What is stopped, and was; NULL of the first three is all of them. */
export interface PayoutStopRow {
  stop_id: string;
  merchant_id: string | null;
  rail: string | null;
  /** ISO 3166 alpha-3. */
  country: string | null;
  /** Whether refunds wait as well. */
  with_refunds: number;
  reason: string;
  begun_by: string;
  begun_at: Date;
  /** The last row of the payments' log when it came into force: no attempt of what it holds back is logged after it. */
  begun_log_id: string;
  /** NULL while it is in force. */
  ended_by: string | null;
  ended_at: Date | null;
  ended_log_id: string | null;
}

/** A payout that waits by itself, or has: one row, written with the payment. */
export interface PayoutHoldRow {
  payment_id: string;
  reason: 'first_payment_cooldown' | 'new_recipients_per_day' | 'looks_paid';
  /** The limit that it waits for. */
  limit_id: string | null;
  /** By the database's clock, and the sandbox's, as the next. */
  held_at: Date;
  /** When it goes on by itself; NULL where nobody but an operator lets it go. */
  until_at: Date | null;
  released_by: string | null;
  released_at: Date | null;
  /** What the operator had to say. */
  note: string | null;
}
