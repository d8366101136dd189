/** The rows of the providers' statements and of what became of their lines; see tables.ts. */
import type { Currency } from '../domain/money';

export interface ProviderStatementRow {
  statement_id: string;
  provider: string;
  /** SHA-256 of the file. */
  file_hash: Buffer;
  file_name: string;
  /** What it is a statement of, the end left out, as whoever brought it said. */
  covers_from: Date;
  covers_to: Date;
  /** Of the lines that were kept; of a file that was fetched, only what no other one has. */
  line_count: number;
  stored_at: Date;
  /** 0 while it stands; of those that were withdrawn, how many times the same file was by then. */
  withdrawn_no: number;
  withdrawn_at: Date | null;
  withdrawn_by: string | null;
  approved_by: string | null;
  withdrawn_reason: string | null;
}

export interface StatementLineRow {
  line_id: string;
  statement_id: string;
  /** The line of the file. */
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
  /** By what its reader told what it is; see StatementLine. */
  rule: string | null;
}

export interface ReconciliationResultRow {
  /** `line:<line_id>`, or `payment:<payment_id>` of what no statement has. */
  subject: string;
  provider: string;
  outcome: string;
  kind: StatementLineRow['kind'];
  line_id: string | null;
  payment_id: string | null;
  currency: Currency;
  /** As the provider says; of what only we have, as we say. */
  amount_minor: string;
  ours_minor: string | null;
  /** What the line says that the provider kept, which is booked; NULL where it was decided before fees were. */
  fee_booked_minor: string | null;
  occurred_at: Date;
  note: string;
  decided_at: Date;
  /** By what it is explained; NULL of what is not, and of what was decided before rules were kept. */
  rule: string | null;
}

/** Money of a statement that no payment of ours explains. While it is open it is in suspense, if `entry_id` says so. */
export interface OrphanRow {
  orphan_id: string;
  provider: string;
  provider_reference: string;
  kind: StatementLineRow['kind'];
  line_id: string;
  currency: Currency;
  amount_minor: string;
  occurred_at: Date;
  /**
   * explained: our books had it by a later look. Claimed and returned are what a person said. withdrawn: no statement
   * that stands tells of it.
   */
  state: 'open' | 'explained' | 'claimed' | 'returned' | 'withdrawn';
  /** The ledger entry that put it into suspense last. */
  entry_id: string | null;
  /** The payment that the money came beside, as two people said, though no line names that payment. */
  beside_payment_id: string | null;
  /** Whose it turned out to be: a payment's, or a merchant's without one. */
  payment_id: string | null;
  merchant_id: string | null;
  /** Who said so, and who else agreed. */
  claimed_by: string | null;
  approved_by: string | null;
  reason: string | null;
  found_at: Date;
  closed_at: Date | null;
  /** How often it was put into suspense; NULL of one that is of before orphans were booked. */
  bookings: number | null;
  /** Of one that was returned: what the provider calls that, and the line that tells of it, once one does. */
  returned_reference: string | null;
  returned_line_id: string | null;
}

/** One row for each provider: whoever judges its lines, or decides about them, holds its lock meanwhile. */
interface ReconciliationTurnRow {
  provider: string;
}

/** How the fetching of a rail's statements went last. */
export interface StatementFetchRow {
  rail: string;
  tried_at: Date;
  succeeded_at: Date | null;
  /** Until when the last that was fetched is a statement. */
  covers_to: Date | null;
  /** Tries since the last success. */
  failures: number;
  failure: string | null;
}

/** A day on which a rule explained so much that a person was asked. */
interface RuleAlarmRow {
  provider: string;
  rule: string;
  currency: Currency;
  /** In UTC. */
  day: string;
  /** What it explained when a person was asked. */
  amount_minor: string;
  noted_at: Date;
}

declare module 'knex/types/tables' {
  interface Tables {
    provider_statements: ProviderStatementRow;
    statement_lines: StatementLineRow;
    reconciliation_results: ReconciliationResultRow;
    orphans: OrphanRow;
    reconciliation_turns: ReconciliationTurnRow;
    statement_fetches: StatementFetchRow;
    rule_alarms: RuleAlarmRow;
  }
}
