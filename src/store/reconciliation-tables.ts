/** The rows of the providers' statements and of their lines' results; see tables.ts. */
import type { Currency } from '../domain/money';

export interface ProviderStatementRow {
  statement_id: string;
  provider: string;
  /** SHA-256 of the file. */
  file_hash: Buffer;
  file_name: string;
  /** The period of the statement, end exclusive, as stated at its import. */
  covers_from: Date;
  covers_to: Date;
  /** Of the file of one wallet: the currencies that it names, comma-separated. NULL: it has the whole account. */
  covers_currencies: string | null;
  /** Of the stored lines; for a fetched file, only lines that no other file has. */
  line_count: number;
  stored_at: Date;
  /** 0 while the statement is valid; for a withdrawn one, how often the same file was withdrawn by then. */
  withdrawn_no: number;
  withdrawn_at: Date | null;
  withdrawn_by: string | null;
  approved_by: string | null;
  withdrawn_reason: string | null;
}

export interface StatementLineRow {
  line_id: string;
  statement_id: string;
  /** The line number in the file. */
  n: number;
  provider: string;
  provider_reference: string;
  our_reference: string | null;
  original_reference: string | null;
  kind: 'collection' | 'payout' | 'refund' | 'fee' | 'other';
  state: 'completed' | 'pending' | 'failed';
  currency: Currency;
  amount_minor: string;
  fee_minor: string | null;
  occurred_at: Date;
  phone: string | null;
  description: string | null;
  /** The rule by which its reader classified it; see StatementLine. */
  rule: string | null;
}

export interface ReconciliationResultRow {
  /** `line:<line_id>`, or `payment:<payment_id>` for a payment that is in no statement. */
  subject: string;
  provider: string;
  outcome: string;
  kind: StatementLineRow['kind'];
  line_id: string | null;
  payment_id: string | null;
  currency: Currency;
  /** As the provider states it; for a payment that is in no statement, as our books do. */
  amount_minor: string;
  ours_minor: string | null;
  /** The provider's fee by the line, which is booked; NULL for results from before fees. */
  fee_booked_minor: string | null;
  occurred_at: Date;
  note: string;
  decided_at: Date;
  /** The rule that explained it; NULL if it is unexplained, or from before rules were stored. */
  rule: string | null;
}

/** Money of a statement without a payment of ours. While it is open it is in suspense, if `entry_id` is set. */
export interface UnmatchedReceiptRow {
  receipt_id: string;
  provider: string;
  provider_reference: string;
  kind: StatementLineRow['kind'];
  line_id: string;
  currency: Currency;
  amount_minor: string;
  occurred_at: Date;
  /**
   * explained: a later reconciliation found it in our books. claimed and returned: an operator's decision. withdrawn:
   * no valid statement contains it.
   */
  state: 'open' | 'explained' | 'assigned' | 'returned' | 'withdrawn';
  /** The ledger entry that last put it into suspense. */
  entry_id: string | null;
  /** The payment that the money belongs to, as two operators decided, although no line names that payment. */
  beside_payment_id: string | null;
  /** Where it was assigned: a payment, or a merchant without one. */
  payment_id: string | null;
  merchant_id: string | null;
  /** The operator who assigned it, and the one who approved. */
  assigned_by: string | null;
  approved_by: string | null;
  reason: string | null;
  found_at: Date;
  closed_at: Date | null;
  /** How often it was put into suspense; NULL for rows from before unmatched receipts were booked. */
  bookings: number | null;
  /** For a returned one: the provider's reference of the return, and its statement line once there is one. */
  returned_reference: string | null;
  returned_line_id: string | null;
}

/** One row for each provider. Its lock serialises the judgement of its lines and decisions about them. */
interface ReconciliationTurnRow {
  provider: string;
}

/** The last fetch of a rail's statements. */
export interface StatementFetchRow {
  rail: string;
  tried_at: Date;
  succeeded_at: Date | null;
  /** The end of the period that was fetched last. */
  covers_to: Date | null;
  /** Attempts since the last success. */
  failures: number;
  failure: string | null;
}

/** A day on which a rule explained so much that a case was opened. */
interface RuleAlarmRow {
  provider: string;
  rule: string;
  currency: Currency;
  /** In UTC. */
  day: string;
  /** What it had explained when the case was opened. */
  amount_minor: string;
  noted_at: Date;
}

declare module 'knex/types/tables' {
  interface Tables {
    provider_statements: ProviderStatementRow;
    statement_lines: StatementLineRow;
    reconciliation_results: ReconciliationResultRow;
    unmatched_receipts: UnmatchedReceiptRow;
    reconciliation_locks: ReconciliationTurnRow;
    statement_fetches: StatementFetchRow;
    rule_alarms: RuleAlarmRow;
  }
}
