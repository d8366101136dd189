/** The rows of the ledger, and of what converts its currencies; see tables.ts. */
import type { Currency } from '../domain/money';
import type { VoucherState } from '../domain/voucher';

export interface LedgerAccountRow {
  account_id: string;
  code: string;
  class: string;
  merchant_id: string | null;
  rail: string | null;
  country: string | null;
  currency: Currency;
  /** NULL for platform accounts that every payment touches: their balance is the sum of their postings. */
  balance: string | null;
  /** 1 for platform accounts, and for an account that a provider's taking back has left in debt. */
  may_go_negative: number;
  created_at: Date;
}

export interface LedgerEntryRow {
  entry_id: string;
  source_type: string;
  source_id: string;
  leg: string;
  payment_id: string | null;
  reason: string | null;
  /** Of the operator's action that made it. */
  action_id: string | null;
  at: Date;
}

export interface LedgerPostingRow {
  seq: string;
  entry_id: string;
  account_id: string;
  currency: Currency;
  amount: string;
}

export interface HoldRow {
  payment_id: string;
  account_id: string;
  reserved_account_id: string;
  currency: Currency;
  /** Minor units set aside; of a hold that was released, what was set aside last. */
  amount: string;
  state: 'open' | 'posted' | 'released';
  created_at: Date;
  closed_at: Date | null;
  /** Of a deposit that may be taken back: what should be set aside, which its wallet may not have. NULL for money going out. */
  wanted: string | null;
  /** What had gone back of it when it began to be contested, in the wallet's minor units; NULL when that is over. */
  gone_before: string | null;
}

export interface FxRateRow {
  rate_id: string;
  base: Currency;
  quote: Currency;
  rate: string;
  source: string;
  observed_at: Date;
}

/** The rate a payment's money was converted at: `instruct` towards the provider, `credit` towards the wallet. */
export interface FxQuoteRow {
  payment_id: string;
  purpose: 'instruct' | 'credit';
  base: Currency;
  quote: Currency;
  rate: string;
  source: string;
  observed_at: Date;
  from_minor: string;
  to_minor: string;
  /** What was added to the converted amount, so that a wallet receives the amount that was ordered. NULL in old rows. */
  rounding_minor: string | null;
  created_at: Date;
}

// The rows of what merchants are charged for their payments; see tables.ts, and fees/README.md.

export const feeOperations = ['collection', 'payout'] as const;
/** collection: deposits over any rail. */
export type FeeOperation = (typeof feeOperations)[number];

/** Ended, and never changed. */
export interface FeeScheduleRow {
  fee_id: string;
  /** Of one merchant, or NULL: of every merchant that has none of its own. */
  merchant_id: string | null;
  /** Of one rail, or NULL: of every rail that has none of its own. */
  rail: string | null;
  operation: FeeOperation;
  /** Of the wallet that a collection is credited to, or the float that a payout is taken from. */
  currency: Currency;
  /** Minor units, in every payment. */
  fixed: string;
  /** Millionths of the amount: 12.5 per mille are 12500. */
  per_million: number;
  /** Minor units; NULL for none. */
  minimum: string | null;
  maximum: string | null;
  reason: string;
  from_at: Date;
  ended_at: Date | null;
  /** Whose it is and of what while it is in force, NULL once it has ended: one for each. */
  open_key: string | null;
}

// The rows of vouchers; see tables.ts.

export interface VoucherRow {
  voucher_id: string;
  merchant_id: string;
  workflow_id: string;
  state: VoucherState;
  /** SHA-256 of the code, which stands in the mail and nowhere else. */
  code_hash: Buffer;
  code_last4: string;
  email: string;
  currency: Currency;
  amount_minor: string;
  mail_id: string;
  request_id: string | null;
  created_at: Date;
  expires_at: Date;
  finished_at: Date | null;
  /** The Idempotency-Key it was made with. */
  key_hash: Buffer | null;
  /** The request that redeemed it. */
  ended_by: string | null;
  /** By when somebody must have looked at it, and whose wakes nobody has taken: as a payment's. */
  next_check_at: Date | null;
  woken_at: Date | null;
  wakes: number;
}

/** The seal of one UTC day of the ledger: written once, and the next one begins with its head. See ledger/chain.ts. */
export interface LedgerLinkRow {
  /** 1, 2, 3 …, so that one that is taken away leaves a gap. */
  n: string;
  /** `2026-01-31` */
  day: string;
  /** It covers the postings whose `seq` is above this … */
  after_seq: string;
  /** … up to and with this. */
  last_seq: string;
  postings: string;
  /** The head of the link before; zeros in the first. */
  previous: Buffer;
  head: Buffer;
  /** By the database's clock. */
  sealed_at: Date;
}

/** What `malipo verify` has proved: one row, and none while nothing stands; see verify/proof.ts. */
export interface ProofRow {
  id: number;
  run_id: string;
  /** Of the database and the checks: a proof of another database, or by other checks, proves nothing. */
  fingerprint: Buffer;
  /** By the database's clock: rows that were changed before are proved. */
  changed_since: Date;
  /** The last of each table that is proved. */
  entry_id: string;
  seq: string;
  log_id: string;
  inbox_id: string;
  proved_at: Date;
  /** When everything was checked last. */
  full_at: Date;
}

/** What was posted to an account up to the proved posting. */
export interface ProofSumRow {
  account_id: string;
  currency: Currency;
  postings: string;
  total: string;
  digest: string;
}

/** A payment or voucher that a run looks at; gone with the run. */
export interface ProofNewsRow {
  run_id: string;
  id: string;
  noted_at: Date;
}

/** What the last look at the books found, whoever looked: one row. */
export interface VerdictRow {
  id: number;
  /** NULL while nobody has looked. */
  looked_at: Date | null;
  promises_broken: number;
  /** The run whose proof the looks at the news went on from that found all of it; NULL where a look at everything did. */
  found_from: string | null;
}

declare module 'knex/types/tables' {
  interface Tables {
    fee_schedules: FeeScheduleRow;
    ledger_links: LedgerLinkRow;
    proofs: ProofRow;
    proof_sums: ProofSumRow;
    proof_news: ProofNewsRow;
    verdicts: VerdictRow;
  }
}
