import type { Tables } from 'knex/types/tables';

/** Read by readiness, written by the migrator alone. */
type MigrationTable = 'knex_migrations' | 'migration_steps';

export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

const read = ['SELECT'] as const;
/** What is written once and stands: the ledger and every log. */
const append = ['SELECT', 'INSERT'] as const;
const change = ['SELECT', 'INSERT', 'UPDATE'] as const;
/** What loses its meaning with time. */
const forget = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/**
 * What the account that the API, the worker and the command line use may do, table by table, and nothing else: whoever
 * takes one of these processes over can neither rewrite what was booked nor drop what refuses it. The migrator grants
 * exactly this, and takes away what is more. A new table needs its line here.
 */
export const servicePrivileges: Record<keyof Tables | MigrationTable, readonly Privilege[]> = {
  merchants: change,
  api_keys: change,
  // Written once, and forgotten after a week.
  api_requests: ['SELECT', 'INSERT', 'DELETE'],
  payments: change,
  payment_log: append,
  sandbox_clock: change,
  attempts: change,
  inbox: change,
  outbox: change,
  webhook_deliveries: append,
  webhook_endpoints: change,
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
  prunings: change,
  operators: change,
  audit_log: append,
  // The row is there from the beginning.
  audit_head: ['SELECT', 'UPDATE'],
  approvals: change,
  approval_rules: change,
  // Never changed: to lock it takes the right to.
  payout_gate: ['SELECT', 'UPDATE'],
  payout_stops: change,
  // The row is there from the beginning.
  float_rounds: ['SELECT', 'UPDATE'],
  float_wallets: change,
  balance_questions: change,
  // Answers are never changed, and old ones are forgotten.
  float_proofs: ['SELECT', 'INSERT', 'DELETE'],
  outflow_limits: change,
  // The row is there from the beginning.
  outflow_gate: ['SELECT', 'UPDATE'],
  outflow_turns: change,
  outflows: change,
  outflow_defaults: append,
  payout_holds: change,
  paid_references: forget,
  fee_schedules: change,
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
  users: change,
  memberships: forget,
  user_sessions: forget,
  user_links: forget,
  recovery_codes: forget,
  passkeys: forget,
  payout_batches: forget,
  knex_migrations: read,
  migration_steps: read,
};

/** Procedures that tell the service what its own privileges hide from it, or do the one thing that they leave out. */
export const serviceProcedures = ['append_only_triggers', 'forget_answers'] as const;
