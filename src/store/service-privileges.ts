import type { Tables } from 'knex/types/tables';

/** Readiness reads it; only the migrator writes it. */
type MigrationTable = 'knex_migrations' | 'migration_steps';

/** `UPDATE (name)` is for one column. */
export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | `UPDATE (${string})`;

const read = ['SELECT'] as const;
/** Append-only tables: the ledger and every log. */
const append = ['SELECT', 'INSERT'] as const;
const change = ['SELECT', 'INSERT', 'UPDATE'] as const;
/** Tables of permissions and controls: only the listed columns change. */
const changeOnly = (...columns: string[]): readonly Privilege[] => [
  ...append,
  ...columns.map((column): Privilege => `UPDATE (${column})`),
];
/** Tables whose rows expire. */
const forget = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/**
 * The complete privileges of the account of the API, the worker and the command line, by table. An attacker with one of
 * these processes can neither rewrite entries nor drop the triggers that protect them. The migrator grants exactly
 * these, and revokes any others. A new table needs a line here.
 */
export const servicePrivileges: Record<keyof Tables | MigrationTable, readonly Privilege[]> = {
  merchants: change,
  api_keys: changeOnly('revoked_at', 'last_used_at', 'scopes'),
  // Written once, and deleted after a week.
  api_requests: ['SELECT', 'INSERT', 'DELETE'],
  payments: change,
  payment_log: append,
  sandbox_clock: change,
  attempts: change,
  inbox: change,
  outbox: change,
  webhook_deliveries: append,
  webhook_endpoints: changeOnly(
    ...['webhook_secret', 'previous_webhook_secret', 'position', 'event_id', 'tries', 'skipped', 'next_at'],
    ...['last_status', 'last_error', 'delivered_at', 'ended_at'],
  ),
  // Written once, and deleted with the events.
  endpoint_tries: ['SELECT', 'INSERT', 'DELETE'],
  endpoint_resends: forget,
  events: forget,
  event_heads: change,
  ledger_accounts: change,
  ledger_entries: append,
  ledger_postings: append,
  day_digests: append,
  holds: change,
  idempotency_keys: forget,
  processes: forget,
  duplicate_guards: forget,
  order_ids: change,
  bulk_payouts: append,
  bulk_rows: append,
  rate_limit_buckets: forget,
  access_tokens: forget,
  missing_receipts: forget,
  // Rates are never changed, and old ones are deleted.
  fx_rates: ['SELECT', 'INSERT', 'DELETE'],
  fx_quotes: append,
  mails: change,
  vouchers: change,
  cases: change,
  // A statement that was imported by mistake is withdrawn.
  provider_statements: change,
  statement_lines: append,
  // A line that is missing from a statement is not missing once a later statement has it.
  reconciliation_results: forget,
  unmatched_receipts: change,
  // Never changed: a lock needs the UPDATE privilege.
  reconciliation_locks: change,
  statement_fetches: change,
  rule_alarms: change,
  prunings: change,
  operators: changeOnly('token_hash', 'rotated_at', 'revoked_at'),
  audit_log: append,
  audit_rows: append,
  // The row exists from the beginning.
  audit_head: ['SELECT', 'UPDATE'],
  approvals: changeOnly('state', 'decided_by', 'decided_at', 'reason'),
  approval_rules: change,
  // Never changed: a lock needs the UPDATE privilege.
  payout_lock: ['SELECT', 'UPDATE'],
  payout_pauses: changeOnly('ended_by', 'ended_at', 'ended_log_id'),
  // The row exists from the beginning.
  float_check_runs: ['SELECT', 'UPDATE'],
  float_wallets: change,
  balance_queries: change,
  // Answers are never changed, and old ones are deleted.
  float_checks: ['SELECT', 'INSERT', 'DELETE'],
  outflow_limits: changeOnly('ended_at', 'ended_ahead_ms'),
  // The row exists from the beginning.
  outflow_lock: ['SELECT', 'UPDATE'],
  merchant_locks: change,
  outflows: changeOnly('released_at'),
  outflow_defaults: append,
  // A sandbox that moves its clock sets `until_at` earlier. `malipo verify` (S1) finds a change without such a move.
  payout_holds: changeOnly('reason', 'until_at', 'released_by', 'released_at', 'note'),
  paid_references: forget,
  fee_schedules: changeOnly('ended_at', 'open_key'),
  verified_state: forget,
  verify_sums: forget,
  verify_changes: forget,
  // The row exists from the beginning.
  verify_results: ['SELECT', 'UPDATE'],
  // The row exists from the beginning.
  notification_watch: ['SELECT', 'UPDATE'],
  notification_health: change,
  notification_counts: forget,
  notification_denials: forget,
  users: [
    ...changeOnly(
      ...['password_hash', 'password_set_at', 'locale', 'totp_secret', 'totp_last_step', 'passkeys'],
      ...['operator_name', 'ended_at', 'credentials_version', 'refused_tries', 'refused_at'],
    ),
    // Invitations that were never accepted are deleted.
    'DELETE',
  ],
  memberships: [...changeOnly('role', 'accepted_at', 'decides_since'), 'DELETE'],
  user_sessions: [
    ...changeOnly('session_hash', 'seen_at', 'verified_at', 'passed_second', 'credentials_version'),
    'DELETE',
  ],
  user_links: forget,
  recovery_codes: forget,
  passkeys: [...changeOnly('challenged_ms', 'sign_count', 'last_used_at'), 'DELETE'],
  payout_batches: [
    ...changeOnly('state', 'asked_at', 'decided_by', 'decided_at', 'reason', 'bulk_id', 'payouts'),
    ...(['UPDATE (second_person)', 'UPDATE (ended_why)', 'DELETE'] as const),
  ],
  former_deciders: [...changeOnly('until_at'), 'DELETE'],
  key_confirmations: [...changeOnly('state', 'decided_by', 'decided_at', 'ended_why'), 'DELETE'],
  knex_migrations: read,
  migration_steps: read,
};

/** Procedures that report what the service's privileges hide, or make the one change that they exclude. */
export const serviceProcedures = ['append_only_triggers', 'forget_answers'] as const;
