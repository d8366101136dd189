import type { Currency } from '../domain/money';

/** The rows of the people who work in the portal; see tables.ts. */

export interface UserRow {
  user_id: string;
  /** In small letters. */
  email: string;
  /** Argon2id in its usual text form; NULL until the invitation is accepted. */
  password_hash: string | null;
  locale: string;
  /** Sealed; see users/second-factor.ts. */
  totp_secret: string | null;
  /** The 30 seconds of the last code that was taken: none is taken twice. */
  totp_last_step: string | null;
  /** How many passkeys there are of this user. */
  passkeys: number;
  /** The operator who this is, if any. */
  operator_name: string | null;
  created_by: string;
  created_at: Date;
  password_set_at: Date | null;
  /** Rises with each change of what the user proves themselves by. */
  credentials_version: number;
  /** Wrong passwords and codes, one after the other within an hour. */
  refused_tries: number;
  /** When the last of them was. */
  refused_at: Date | null;
  /** Since when nobody signs in as this user any more, for good. */
  ended_at: Date | null;
}

export interface MembershipRow {
  merchant_id: string;
  user_id: string;
  role: 'owner' | 'developer' | 'finance' | 'viewer';
  created_by: string;
  created_at: Date;
  /** NULL while the invitation is open: until then it gives nothing. */
  accepted_at: Date | null;
  /** Since when the member may decide on money; NULL for since `accepted_at`, and for who may not. */
  decides_since: Date | null;
}

/** Who could decide on a merchant's money until then: for a while they count as one who could. */
export interface FormerDeciderRow {
  merchant_id: string;
  user_id: string;
  until_at: Date;
}

/** The right to pay out that somebody has asked for a key; see users/key-confirmations.ts. */
export interface KeyConfirmationRow {
  confirmation_id: string;
  merchant_id: string;
  api_key: string;
  state: 'waiting' | 'confirmed' | 'refused';
  asked_by: string;
  asked_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
  /** Why it is refused without anybody's decision. */
  ended_why: EndedWhy | null;
}

/** What ended something that waited for a second person. */
export type EndedWhy = 'maker_removed' | 'maker_role' | 'maker_ended' | 'merchant_closed' | 'key_ended';

export interface UserSessionRow {
  /** Of what the browser holds, under a key; see keyed-hash.ts. */
  session_hash: Buffer;
  /** What its owner knows it by. */
  session_id: string;
  user_id: string;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
  /** 1 once the second factor was shown. */
  passed_second: number;
  /** When its owner proved it last: by the second factor, or the password of who has none. */
  proved_at: Date | null;
  address: string;
  agent: string;
  /** Of the user when it began: it is over once that is another. */
  credentials_version: number;
}

export interface UserLinkRow {
  /** Of what was mailed, under a key; see keyed-hash.ts. */
  link_hash: Buffer;
  kind: 'invitation' | 'reset';
  user_id: string;
  /** Of an invitation: whose member the user becomes; NULL for an operator. */
  merchant_id: string | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
  /** Of the user when it was made. One without it is good for nothing. */
  credentials_version: number | null;
}

export interface RecoveryCodeRow {
  user_id: string;
  code_hash: Buffer;
  used_at: Date | null;
}

/** A public key of somebody's device; see users/passkeys.ts. */
export interface PasskeyRow {
  passkey_id: string;
  user_id: string;
  /** SHA-256 of the credential's id. */
  credential_hash: Buffer;
  /** Base64url. */
  credential_id: string;
  /** COSE. */
  public_key: Buffer;
  /** As the device counts; 0 of one that does not. */
  sign_count: string;
  /** How browsers reach it, with commas between. */
  transports: string;
  /** What its owner calls it. */
  name: string;
  /** When the last challenge was made that it has answered: none before it is taken any more. Milliseconds. */
  challenged_ms: string;
  created_at: Date;
  last_used_at: Date | null;
}

/** Payouts that somebody has put together in the portal; see portal/payouts. */
export interface PayoutBatchRow {
  batch_id: string;
  merchant_id: string;
  rail: string;
  /** What its maker calls it. */
  name: string;
  row_count: number;
  /** JSON of the rows as the rail's endpoint takes them; NULL once they are payments. */
  payouts: string | null;
  /** SHA-256 of them: the same file once more is told. */
  rows_hash: Buffer;
  state: 'draft' | 'waiting' | 'sent' | 'rejected';
  made_by: string;
  made_at: Date;
  /** Since when it waits for somebody else. */
  asked_at: Date | null;
  decided_by: string | null;
  decided_at: Date | null;
  /** Why it was rejected. */
  reason: string | null;
  /** What it became. */
  bulk_id: string | null;
  /** 1 where somebody else could decide when it was put together, or asked for; NULL of earlier code. */
  second_person: number | null;
  /** Why it is rejected without anybody's decision. */
  ended_why: EndedWhy | null;
}

// The rows of operators and of the log of what they did; see tables.ts.

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
    users: UserRow;
    memberships: MembershipRow;
    user_sessions: UserSessionRow;
    user_links: UserLinkRow;
    recovery_codes: RecoveryCodeRow;
    passkeys: PasskeyRow;
    payout_batches: PayoutBatchRow;
    former_deciders: FormerDeciderRow;
    key_confirmations: KeyConfirmationRow;
    operators: OperatorRow;
    audit_log: AuditLogRow;
    audit_rows: AuditRowRow;
    audit_head: AuditHeadRow;
    approvals: ApprovalRow;
    approval_rules: ApprovalRuleRow;
  }
}
