/** The rows of operators and of the log of what they did; see tables.ts. */
import type { Currency } from '../domain/money';

export interface OperatorRow {
  /** Never given to another: it stands in the audit log. */
  name: string;
  role: 'operator' | 'approver' | 'auditor';
  /** Of the token, under a key; see keyed-hash.ts. */
  token_hash: Buffer;
  created_by: string;
  created_at: Date;
  rotated_at: Date | null;
  revoked_at: Date | null;
}

/** One line of the audit log; see users/audit-log.ts. */
export interface AuditLogRow {
  /** Counts from 1 without a gap. */
  seq: string;
  at: Date;
  acted_by: string;
  action: string;
  subject_kind: string;
  subject_id: string;
  /** JSON, as it was hashed. */
  details: string;
  /** Of the line before it; zeros before the first. */
  previous_hash: Buffer;
  hash: Buffer;
  /** Of MALIPO_AUDIT_KEY, under which it was written; NULL for none, which `malipo verify` does not accept. */
  key_id: string | null;
}

/** A row of a control that a line of the audit log has changed; see users/control-rows.ts. */
export interface AuditRowRow {
  /** Of the line. */
  seq: string;
  table_name: string;
  /** Its key; of several columns with `|` between them. */
  row_id: string;
  /** The columns that the digest is made of, with commas between them. */
  columns_hashed: string;
  /** SHA-256 of the row after the change; NULL where it was deleted. */
  digest: Buffer | null;
}

/** The end of the audit log's chain: one row. */
interface AuditHeadRow {
  id: number;
  seq: string;
  hash: Buffer;
}

/** What one operator has asked for, and what became of it; see users/approvals.ts. */
export interface ApprovalRow {
  approval_id: string;
  /** Of the action, such as `float.withdraw`; empty for what was asked for before actions were kept. */
  action: string;
  /** Of its input. 0 for what was asked for before actions were kept. */
  version: number;
  /** JSON, as its schema has taken it. */
  input: string | null;
  /** JSON: what is asked for in words, by language, as it read when it was asked for. */
  texts: string | null;
  /** Of the rule that needs a second operator. */
  kind: string;
  /** Of what moves money: how much, in minor units. */
  currency: Currency | null;
  amount_minor: string | null;
  asked_by: string;
  asked_at: Date;
  expires_at: Date;
  state: 'pending' | 'approved' | 'rejected';
  decided_by: string | null;
  decided_at: Date | null;
  reason: string | null;
}

/** From what on a second operator is needed. */
export interface ApprovalRuleRow {
  kind: string;
  /** Empty for all that have no rule of their own. */
  currency: string;
  /** Minor units; NULL for never. */
  from_minor: string | null;
  set_by: string;
  set_at: Date;
}

declare module 'knex/types/tables' {
  interface Tables {
    operators: OperatorRow;
    audit_log: AuditLogRow;
    audit_rows: AuditRowRow;
    audit_head: AuditHeadRow;
    approvals: ApprovalRow;
    approval_rules: ApprovalRuleRow;
  }
}
