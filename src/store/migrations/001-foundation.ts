import type { Knex } from 'knex';

/**
 * Plain SQL that MySQL 8.4 and MariaDB 10.11 read alike. References compare byte by byte: 'ABC' is not 'abc', and 'a' is
 * not 'a '. The collation that does not pad is the one thing the two servers name differently.
 */
async function tableOptions(knex: Knex): Promise<string> {
  const [[{ version }]] = (await knex.raw('SELECT VERSION() AS version')) as [[{ version: string }]];
  const collation = version.includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return `ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=${collation}`;
}
const id = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin';
const word = (length: number) => `VARCHAR(${length}) CHARACTER SET ascii COLLATE ascii_bin`;
const text = (length: number) => `VARCHAR(${length})`;
const at = 'DATETIME(3)';

const tables: Record<string, string> = {
  merchants: `
    merchant_id ${id} PRIMARY KEY,
    name ${text(200)} NOT NULL,
    status ${word(16)} NOT NULL DEFAULT 'active',
    callback_url ${text(2000)} NULL,
    webhook_url ${text(2000)} NULL,
    return_url ${text(2000)} NULL,
    cancel_url ${text(2000)} NULL,
    wallet_currency ${word(3)} NOT NULL DEFAULT 'USD',
    permissions JSON NOT NULL,
    ip_allow JSON NOT NULL,
    checkout_hosts JSON NOT NULL,
    stk_rate INT NOT NULL DEFAULT 60,
    stk_burst INT NOT NULL DEFAULT 100,
    api_rate INT NOT NULL DEFAULT 600,
    api_burst INT NOT NULL DEFAULT 1000,
    webhook_secret ${word(512)} NOT NULL,
    previous_webhook_secret ${word(512)} NULL,
    created_at ${at} NOT NULL,
    updated_at ${at} NOT NULL,
    CHECK (status IN ('active', 'suspended', 'inactive'))`,
  api_keys: `
    api_key ${word(80)} PRIMARY KEY,
    merchant_id ${id} NOT NULL,
    secret_hash BINARY(32) NOT NULL,
    created_at ${at} NOT NULL,
    revoked_at ${at} NULL,
    KEY by_merchant (merchant_id),
    FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id)`,
  payments: `
    payment_id ${id} PRIMARY KEY,
    merchant_id ${id} NOT NULL,
    rail ${word(24)} NOT NULL,
    kind ${word(16)} NOT NULL,
    workflow_id ${word(120)} NOT NULL,
    state ${word(16)} NOT NULL,
    is_final TINYINT NOT NULL DEFAULT 0,
    currency ${word(3)} NOT NULL,
    requested_minor BIGINT NOT NULL,
    instructed_currency ${word(3)} NOT NULL,
    instructed_minor BIGINT NOT NULL,
    confirmed_minor BIGINT NULL,
    account_reference ${text(500)} NULL,
    order_id ${text(1000)} NULL,
    phone_number ${word(20)} NULL,
    provider ${word(40)} NOT NULL,
    provider_reference ${text(120)} NULL,
    provider_receipt ${text(120)} NULL,
    callback_token ${word(64)} NULL,
    parent_id ${id} NULL,
    result_code ${text(64)} NULL,
    result_text ${text(1000)} NULL,
    failure_code ${word(64)} NULL,
    corrected TINYINT NOT NULL DEFAULT 0,
    request_id ${text(80)} NULL,
    metadata TEXT NULL,
    details JSON NOT NULL,
    created_at ${at} NOT NULL,
    accepted_at ${at} NULL,
    finished_at ${at} NULL,
    updated_at ${at} NOT NULL,
    UNIQUE KEY one_workflow (workflow_id),
    UNIQUE KEY one_callback_token (callback_token),
    UNIQUE KEY one_provider_reference (rail, provider_reference),
    UNIQUE KEY one_receipt (rail, provider_receipt),
    KEY by_merchant (merchant_id, created_at),
    KEY by_order (order_id(100)),
    KEY by_account_reference (account_reference(100)),
    KEY unfinished (is_final, updated_at),
    KEY by_parent (parent_id),
    FOREIGN KEY (merchant_id) REFERENCES merchants (merchant_id),
    CHECK (requested_minor > 0),
    CHECK (instructed_minor > 0),
    CHECK (confirmed_minor IS NULL OR confirmed_minor >= 0)`,
  payment_log: `
    log_id BIGINT AUTO_INCREMENT PRIMARY KEY,
    payment_id ${id} NOT NULL,
    from_state ${word(16)} NOT NULL,
    to_state ${word(16)} NOT NULL,
    cause ${word(40)} NOT NULL,
    evidence ${text(500)} NULL,
    at ${at} NOT NULL,
    KEY by_payment (payment_id, log_id)`,
  attempts: `
    payment_id ${id} NOT NULL,
    n INT NOT NULL,
    operation ${word(24)} NOT NULL,
    provider_key ${word(80)} NOT NULL,
    state ${word(16)} NOT NULL,
    code ${text(64)} NULL,
    detail ${text(1000)} NULL,
    sent_at ${at} NOT NULL,
    answered_at ${at} NULL,
    PRIMARY KEY (payment_id, operation, n),
    CHECK (state IN ('sent', 'accepted', 'refused', 'unknown', 'not_sent'))`,
  inbox: `
    inbox_id BIGINT AUTO_INCREMENT PRIMARY KEY,
    rail ${word(24)} NOT NULL,
    event_key BINARY(32) NOT NULL,
    payment_id ${id} NULL,
    source_address ${word(64)} NULL,
    body MEDIUMTEXT NOT NULL,
    state ${word(16)} NOT NULL DEFAULT 'new',
    reason ${text(500)} NULL,
    received_at ${at} NOT NULL,
    processed_at ${at} NULL,
    UNIQUE KEY one_event (rail, event_key),
    KEY by_payment (payment_id),
    KEY by_state (state, received_at),
    CHECK (state IN ('new', 'applied', 'ignored', 'parked'))`,
  outbox: `
    webhook_id ${id} PRIMARY KEY,
    payment_id ${id} NOT NULL,
    merchant_id ${id} NOT NULL,
    to_state ${word(16)} NOT NULL,
    callback_type ${word(32)} NOT NULL,
    endpoint ${word(16)} NOT NULL,
    body TEXT NOT NULL,
    request_id ${text(80)} NULL,
    state ${word(16)} NOT NULL DEFAULT 'pending',
    tries INT NOT NULL DEFAULT 0,
    next_at ${at} NOT NULL,
    created_at ${at} NOT NULL,
    settled_at ${at} NULL,
    KEY by_payment (payment_id),
    KEY by_state (state, next_at),
    KEY by_merchant (merchant_id, created_at),
    CHECK (state IN ('pending', 'delivered', 'dead', 'unaddressed')),
    CHECK (endpoint IN ('callback_url', 'webhook_url'))`,
  webhook_deliveries: `
    delivery_id BIGINT AUTO_INCREMENT PRIMARY KEY,
    webhook_id ${id} NOT NULL,
    n INT NOT NULL,
    url ${text(2000)} NULL,
    http_status INT NULL,
    duration_ms INT NOT NULL,
    error ${text(500)} NULL,
    response_excerpt ${text(1000)} NULL,
    at ${at} NOT NULL,
    KEY by_webhook (webhook_id, delivery_id)`,
  ledger_accounts: `
    account_id BIGINT AUTO_INCREMENT PRIMARY KEY,
    code ${word(160)} NOT NULL,
    class ${word(24)} NOT NULL,
    merchant_id ${id} NULL,
    rail ${word(24)} NULL,
    country ${word(3)} NULL,
    currency ${word(3)} NOT NULL,
    balance BIGINT NULL,
    may_go_negative TINYINT NOT NULL DEFAULT 0,
    created_at ${at} NOT NULL,
    UNIQUE KEY one_code (code),
    KEY by_merchant (merchant_id),
    CHECK (balance IS NULL OR balance >= 0 OR may_go_negative = 1)`,
  ledger_entries: `
    entry_id BIGINT AUTO_INCREMENT PRIMARY KEY,
    source_type ${word(32)} NOT NULL,
    source_id ${word(64)} NOT NULL,
    leg ${word(32)} NOT NULL,
    payment_id ${id} NULL,
    reason ${text(500)} NULL,
    at ${at} NOT NULL,
    UNIQUE KEY once (source_type, source_id, leg),
    KEY by_payment (payment_id)`,
  ledger_postings: `
    seq BIGINT AUTO_INCREMENT PRIMARY KEY,
    entry_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    currency ${word(3)} NOT NULL,
    amount BIGINT NOT NULL,
    KEY by_entry (entry_id),
    KEY by_account (account_id, seq),
    FOREIGN KEY (entry_id) REFERENCES ledger_entries (entry_id),
    FOREIGN KEY (account_id) REFERENCES ledger_accounts (account_id),
    CHECK (amount <> 0)`,
  holds: `
    payment_id ${id} PRIMARY KEY,
    account_id BIGINT NOT NULL,
    reserved_account_id BIGINT NOT NULL,
    currency ${word(3)} NOT NULL,
    amount BIGINT NOT NULL,
    state ${word(16)} NOT NULL DEFAULT 'open',
    created_at ${at} NOT NULL,
    closed_at ${at} NULL,
    KEY by_account (account_id, state),
    CHECK (amount > 0),
    CHECK (state IN ('open', 'posted', 'released'))`,
  idempotency_keys: `
    merchant_id ${id} NOT NULL,
    key_hash BINARY(32) NOT NULL,
    body_hash BINARY(32) NOT NULL,
    payment_id ${id} NULL,
    state ${word(16)} NOT NULL DEFAULT 'running',
    http_status INT NULL,
    response MEDIUMTEXT NULL,
    created_at ${at} NOT NULL,
    PRIMARY KEY (merchant_id, key_hash),
    KEY by_age (created_at),
    CHECK (state IN ('running', 'answered'))`,
  duplicate_guards: `
    guard_key BINARY(32) PRIMARY KEY,
    payment_id ${id} NOT NULL,
    until_at ${at} NOT NULL,
    KEY by_age (until_at)`,
  rate_limit_buckets: `
    bucket ${word(120)} PRIMARY KEY,
    tokens DOUBLE NOT NULL,
    refilled_at DATETIME(6) NOT NULL`,
  fx_rates: `
    rate_id BIGINT AUTO_INCREMENT PRIMARY KEY,
    base ${word(3)} NOT NULL,
    quote ${word(3)} NOT NULL,
    rate DECIMAL(20,10) NOT NULL,
    source ${text(100)} NOT NULL,
    observed_at ${at} NOT NULL,
    KEY latest (base, quote, observed_at),
    CHECK (rate > 0)`,
  cases: `
    case_id BIGINT AUTO_INCREMENT PRIMARY KEY,
    payment_id ${id} NULL,
    reason ${word(48)} NOT NULL,
    detail ${text(1000)} NOT NULL,
    opened_at ${at} NOT NULL,
    closed_at ${at} NULL,
    closed_by ${text(100)} NULL,
    resolution ${text(1000)} NULL,
    open_key ${word(100)} NULL,
    UNIQUE KEY one_open (open_key),
    KEY by_payment (payment_id),
    KEY still_open (closed_at)`,
};

/** The ledger is append-only, whoever connects: these triggers refuse what a grant could forget (`verify` check L7). */
const appendOnly = ['ledger_entries', 'ledger_postings', 'payment_log'];

export async function up(knex: Knex): Promise<void> {
  const options = await tableOptions(knex);
  for (const [name, columns] of Object.entries(tables)) {
    await knex.raw(`CREATE TABLE ${name} (${columns}) ${options}`);
  }
  for (const table of appendOnly) {
    for (const action of ['UPDATE', 'DELETE']) {
      await knex.raw(
        `CREATE TRIGGER ${table}_no_${action.toLowerCase()} BEFORE ${action} ON ${table} FOR EACH ROW
         SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '${table} is append-only'`,
      );
    }
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(tables).reverse()) {
    await knex.raw(`DROP TABLE IF EXISTS ${name}`);
  }
}
