import type { Currency } from '../domain/money';

/** The rows of the portal's users; see tables.ts. */

export interface UserRow {
  user_id: string;
  /** In lower case. */
  email: string;
  /** Argon2id in its usual text form; NULL until the invitation is accepted. */
  password_hash: string | null;
  locale: string;
  /** Encrypted; see users/second-factor.ts. */
  totp_secret: string | null;
  /** The 30-second step of the last accepted code: no code is accepted twice. */
  totp_last_step: string | null;
  /** The user's number of passkeys. */
  passkeys: number;
  /** The operator of this user, if any. */
  operator_name: string | null;
  created_by: string;
  created_at: Date;
  password_set_at: Date | null;
  /** Increases with each change of the user's credentials. */
  credentials_version: number;
  /** Wrong passwords and codes in a row, within an hour. */
  refused_tries: number;
  /** The time of the last of them. */
  refused_at: Date | null;
  /** Since when this user can no longer sign in, for good. */
  ended_at: Date | null;
}

export interface MembershipRow {
  merchant_id: string;
  user_id: string;
  role: 'owner' | 'developer' | 'finance' | 'viewer';
  created_by: string;
  created_at: Date;
  /** NULL while the invitation is open: until then the role gives no rights. */
  accepted_at: Date | null;
  /** Since when the member may decide on money; NULL means since `accepted_at`, or a role that may not. */
  decides_since: Date | null;
}

/** A member who could decide on a merchant's money until then: for a time they still count as one who can. */
export interface FormerDeciderRow {
  merchant_id: string;
  user_id: string;
  until_at: Date;
}

/** The payout scope that a user has requested for a key; see users/key-confirmations.ts. */
export interface KeyConfirmationRow {
  confirmation_id: string;
  merchant_id: string;
  api_key: string;
  state: 'waiting' | 'confirmed' | 'refused';
  asked_by: string;
  asked_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
  /** Why it was rejected without a decision. */
  ended_why: EndedWhy | null;
}

/** Why a request for a second user ended. */
export type EndedWhy = 'maker_removed' | 'maker_role' | 'maker_ended' | 'merchant_closed' | 'key_ended';

export interface UserSessionRow {
  /** Hash of the browser's secret, under a key; see keyed-hash.ts. */
  session_hash: Buffer;
  /** The id that its owner sees. */
  session_id: string;
  user_id: string;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
  /** 1 after the second factor was verified. */
  passed_second: number;
  /** When its owner last proved their identity: by the second factor, or by the password without one. */
  verified_at: Date | null;
  address: string;
  agent: string;
  /** The user's version when the session began: the session is invalid once the version differs. */
  credentials_version: number;
}

export interface UserLinkRow {
  /** Hash of the mailed secret, under a key; see keyed-hash.ts. */
  link_hash: Buffer;
  kind: 'invitation' | 'reset';
  user_id: string;
  /** Of an invitation: the merchant that the user joins; NULL for an operator. */
  merchant_id: string | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
  /** The user's version when the link was made. A link without one is not valid. */
  credentials_version: number | null;
}

export interface RecoveryCodeRow {
  user_id: string;
  code_hash: Buffer;
  used_at: Date | null;
}

/** A public key of a user's device; see users/passkeys.ts. */
export interface PasskeyRow {
  passkey_id: string;
  user_id: string;
  /** SHA-256 of the credential's id. */
  credential_hash: Buffer;
  /** Base64url. */
  credential_id: string;
  /** COSE. */
  public_key: Buffer;
  /** The device's counter; 0 if it has none. */
  sign_count: string;
  /** The transports for browsers, comma-separated. */
  transports: string;
  /** The owner's name for it. */
  name: string;
  /** When the last answered challenge was made: earlier ones are not accepted. Milliseconds. */
  challenged_ms: string;
  created_at: Date;
  last_used_at: Date | null;
}

/** Payouts that a user has prepared in the portal; see portal/payouts. */
export interface PayoutBatchRow {
  batch_id: string;
  merchant_id: string;
  rail: string;
  /** The maker's name for it. */
  name: string;
  row_count: number;
  /** JSON of the rows in the form of the rail's endpoint; NULL once they are payments. */
  payouts: string | null;
  /** SHA-256 of the rows, to warn about the same file. */
  rows_hash: Buffer;
  state: 'draft' | 'waiting' | 'sent' | 'rejected';
  made_by: string;
  made_at: Date;
  /** Since when it waits for another user. */
  asked_at: Date | null;
  decided_by: string | null;
  decided_at: Date | null;
  /** Why it was rejected. */
  reason: string | null;
  /** The bulk payout that it became. */
  bulk_id: string | null;
  /** 1 if another user could decide when it was prepared or submitted; NULL in rows of earlier code. */
  second_person: number | null;
  /** Why it was rejected without a decision. */
  ended_why: EndedWhy | null;
}

// The rows of operators and of the audit log; see tables.ts.

export interface OperatorRow {
  /** Never reused, because the audit log contains it. */
  name: string;
  role: 'operator' | 'approver' | 'auditor';
  /** Hash of the token, under a key; see keyed-hash.ts. */
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
  /** Of the line before it; zeros in the first. */
  previous_hash: Buffer;
  hash: Buffer;
  /** The key of MALIPO_AUDIT_KEY that signed it; NULL for none, which `malipo verify` does not accept. */
  key_id: string | null;
}

/** A row of a control that a line of the audit log has changed; see users/control-rows.ts. */
export interface AuditRowRow {
  /** The number of the line. */
  seq: string;
  table_name: string;
  /** The row's key; several columns are separated by `|`. */
  row_id: string;
  /** The columns in the digest, comma-separated. */
  columns_hashed: string;
  /** SHA-256 of the row after the change; NULL if it was deleted. */
  digest: Buffer | null;
}

/** The end of the audit log's hash chain: one row. */
interface AuditHeadRow {
  id: number;
  seq: string;
  hash: Buffer;
}

/** An operator's request for a second operator, and its result; see users/approvals.ts. */
export interface ApprovalRow {
  approval_id: string;
  /** The action's name, such as `float.withdraw`; empty for requests from before actions were stored. */
  action: string;
  /** The version of its input; 0 for requests from before actions were stored. */
  version: number;
  /** JSON, after validation by its schema. */
  input: string | null;
  /** JSON: the description of the request, by language, as it was shown. */
  texts: string | null;
  /** The kind of the rule that needs a second operator. */
  kind: string;
  /** For a request that moves money: the amount in minor units. */
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

/** The amount from which a second operator is needed. */
export interface ApprovalRuleRow {
  kind: string;
  /** Empty for all currencies without their own rule. */
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
