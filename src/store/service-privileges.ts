import type { Tables } from 'knex/types/tables';

/** Read by readiness, written by the migrator alone. */
type MigrationTable = 'knex_migrations' | 'migration_steps';

/** `UPDATE (name)` is about one column. */
export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | `UPDATE (${string})`;

const read = ['SELECT'] as const;
/** What is written once and stands: the ledger and every log. */
const append = ['SELECT', 'INSERT'] as const;
const change = ['SELECT', 'INSERT', 'UPDATE'] as const;
/** Of what says who may do what: only the columns that change; the others stand as they were written. */
const changeOnly = (...columns: string[]): readonly Privilege[] => [
  ...append,
  ...columns.map((column): Privilege => `UPDATE (${column})`),
];
/** What loses its meaning with time. */
const forget = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/**
 * What the account that the API, the worker and the command line use may do, table by table, and nothing else: whoever
 * takes one of these processes over can neither rewrite what was booked nor drop what refuses it. The migrator grants
 * exactly this, and takes away what is more. A new table needs its line here.
 */
export const servicePrivileges: Record<keyof Tables | MigrationTable, readonly Privilege[]> = {
  merchants: change,
  api_keys: changeOnly('revoked_at', 'last_used_at', 'scopes'),
  // Written once, and forgotten after a week.
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
  // Written once, and forgotten with the events.
  endpoint_tries: ['SELECT', 'INSERT', 'DELETE'],
  endpoint_resends: forget,
  events: forget,
  event_heads: change,
  ledger_accounts: change,
  ledger_entries: append,
  ledger_postings: append,
  ledger_links: append,
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
  // What was observed is never changed, and old observations are forgotten.
  fx_rates: ['SELECT', 'INSERT', 'DELETE'],
  fx_quotes: append,
  mails: change,
  vouchers: change,
  cases: change,
  // One that was brought by mistake is withdrawn.
  provider_statements: change,
  statement_lines: append,
  // What is missing from a statement is missing no more once a later one has it.
  reconciliation_results: forget,
  orphans: change,
  // Never changed: to lock it takes the right to.
  reconciliation_turns: change,
  statement_fetches: change,
  rule_alarms: change,
  prunings: change,
  operators: changeOnly('token_hash', 'rotated_at', 'revoked_at'),
  audit_log: append,
  audit_rows: append,
  // The row is there from the beginning.
  audit_head: ['SELECT', 'UPDATE'],
  approvals: changeOnly('state', 'decided_by', 'decided_at', 'reason'),
  approval_rules: change,
  // Never changed: to lock it takes the right to.
  payout_gate: ['SELECT', 'UPDATE'],
  payout_stops: changeOnly('ended_by', 'ended_at', 'ended_log_id'),
  // The row is there from the beginning.
  float_rounds: ['SELECT', 'UPDATE'],
  float_wallets: change,
  balance_questions: change,
  // Answers are never changed, and old ones are forgotten.
  float_proofs: ['SELECT', 'INSERT', 'DELETE'],
  outflow_limits: changeOnly('ended_at', 'ended_ahead_ms'),
  // The row is there from the beginning.
  outflow_gate: ['SELECT', 'UPDATE'],
  outflow_turns: change,
  outflows: changeOnly('released_at'),
  outflow_defaults: append,
  // A sandbox whose time is moved brings `until_at` nearer; `malipo verify` (S1) sees where nobody has moved it.
  payout_holds: changeOnly('reason', 'until_at', 'released_by', 'released_at', 'note'),
  paid_references: forget,
  fee_schedules: changeOnly('ended_at', 'open_key'),
  proofs: forget,
  proof_sums: forget,
  proof_news: forget,
  // The row is there from the beginning.
  verdicts: ['SELECT', 'UPDATE'],
  // The row is there from the beginning.
  callback_watch: ['SELECT', 'UPDATE'],
  callback_health: change,
  callback_counts: forget,
  callback_refusals: forget,
  users: [
    ...changeOnly(
      ...['password_hash', 'password_set_at', 'locale', 'totp_secret', 'totp_last_step', 'passkeys'],
      ...['operator_name', 'ended_at', 'credentials_version', 'refused_tries', 'refused_at'],
    ),
    // Who was invited and has never come is forgotten.
    'DELETE',
  ],
  memberships: [...changeOnly('role', 'accepted_at', 'decides_since'), 'DELETE'],
  user_sessions: [
    ...changeOnly('session_hash', 'seen_at', 'proved_at', 'passed_second', 'credentials_version'),
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

/** Procedures that tell the service what its own privileges hide from it, or do the one thing that they leave out. */
export const serviceProcedures = ['append_only_triggers', 'forget_answers'] as const;
