/** The rows of operators and of the log of what they did; see tables.ts. */

export interface OperatorRow {
  /** Never given to another: it stands in the audit log. */
  name: string;
  role: 'operator' | 'approver' | 'auditor';
  /** SHA-256 of the token. */
  token_hash: Buffer;
  created_by: string;
  created_at: Date;
  rotated_at: Date | null;
  revoked_at: Date | null;
}

/** One line of the audit log; see operators/audit-log.ts. */
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
}

/** The end of the audit log's chain: one row. */
interface AuditHeadRow {
  id: number;
  seq: string;
  hash: Buffer;
}

declare module 'knex/types/tables' {
  interface Tables {
    operators: OperatorRow;
    audit_log: AuditLogRow;
    audit_head: AuditHeadRow;
  }
}
