/** The rows of controls that hold outgoing money back; see tables.ts. */
import type { Currency } from '../domain/money';

/** The one row that a writer of an attempt locks shared, and a pause or resume locks exclusively. */
export interface PayoutLockRow {
  id: number;
}

/** A payout pause, in force or ended. NULL in the first three columns means all. */
export interface PayoutPauseRow {
  pause_id: string;
  merchant_id: string | null;
  rail: string | null;
  /** ISO 3166 alpha-3. */
  country: string | null;
  /** Whether refunds are on hold too. */
  with_refunds: number;
  reason: string;
  begun_by: string;
  begun_at: Date;
  /** The last row of the payments' log when the pause began: no later row is an attempt that it covers. */
  begun_log_id: string;
  /** NULL while it is in force. */
  ended_by: string | null;
  ended_at: Date | null;
  ended_log_id: string | null;
}

/** The hold of one payout: one row, written with the payment. */
export interface PayoutHoldRow {
  payment_id: string;
  reason: 'first_payment_cooldown' | 'new_recipients_per_day' | 'looks_paid';
  /** The limit that put it on hold. */
  limit_id: string | null;
  /** By the database's clock, and the sandbox's, as the next column. */
  held_at: Date;
  /** When the hold ends by itself; NULL if only an operator can release it. */
  until_at: Date | null;
  released_by: string | null;
  released_at: Date | null;
  /** The operator's note. */
  note: string | null;
}

// The rows of limits on payouts; see tables.ts and controls/README.md.

export const outflowLimitKinds = [
  'per_payment',
  'per_hour',
  'per_day',
  'per_recipient_day',
  'first_payment_cooldown',
  'new_recipients_per_day',
] as const;
export type OutflowLimitKind = (typeof outflowLimitKinds)[number];

/** A limit can be ended, but never changed. */
export interface OutflowLimitRow {
  limit_id: string;
  /** Of one merchant; NULL applies to each merchant separately. */
  merchant_id: string | null;
  /** Of one rail; NULL applies to all rails together. */
  rail: string | null;
  currency: Currency;
  kind: OutflowLimitKind;
  /** Minor units; NULL for a limit that counts recipients. */
  amount: string | null;
  /** Only for `first_payment_cooldown`. */
  cooldown_s: number | null;
  /** Only for `new_recipients_per_day`. */
  most: number | null;
  reason: string;
  from_at: Date;
  ended_at: Date | null;
  /** The sandbox's total clock offset at that time, in milliseconds. */
  from_ahead_ms: string;
  ended_ahead_ms: string;
}

/** One row: creating a payout locks it shared, a change of limits locks it exclusively. */
export interface OutflowLockRow {
  id: number;
  /** The number of limits in force. */
  limits: number;
}

/** The lock of this row serialises the sums of one merchant's payouts in one currency. */
export interface MerchantLockRow {
  merchant_id: string;
  currency: Currency;
}

/** A payout as limits count it. */
export interface OutflowRow {
  payment_id: string;
  merchant_id: string;
  rail: string;
  currency: Currency;
  /** SHA-256 of the recipient. */
  recipient_hash: Buffer | null;
  amount: string;
  /**
   * By the clock of limit windows (`clockOf` in controls/limits.ts): real time in live, and in a sandbox that was never
   * moved.
   */
  accepted_at: Date;
  /** When it became certain that the payout is not sent: limits no longer count it. */
  released_at: Date | null;
  /** The default limits in force; NULL if there were none, or they were not stored yet. */
  defaults_id: string | null;
}

/** One amount of the default limits of a process. Never changed. */
export interface OutflowDefaultRow {
  /** The id of one set of default limits (controls/default-limits.ts). */
  defaults_id: string;
  currency: Currency;
  kind: OutflowLimitKind;
  /** Minor units. */
  amount: string;
}

// The rows of the float check: the providers' wallets and our books; see src/floats.

/** One row: when the wallets are checked next, and which process does it. */
export interface FloatRoundRow {
  id: number;
  leased_by: string | null;
  leased_until: Date | null;
  /** The last stable posting: no posting before it can still appear. */
  counted_seq: string;
  finished_at: Date | null;
}

export type FloatVerdict =
  /** The wallet matches our books, within the payments in progress. */
  | 'agrees'
  /** It holds less. */
  | 'short'
  /** It holds more. */
  | 'over'
  /** The provider did not report it. */
  | 'unknown';

export interface FloatWalletKey {
  provider: string;
  /** ISO 3166 alpha-3; empty if the wallet has no country. */
  country: string;
  currency: Currency;
}

/** Amounts are minor units. */
export interface FloatWalletRow extends FloatWalletKey {
  /** The last posting in its sums. */
  counted_seq: string;
  /** The net amount that our books moved in this wallet up to `counted_seq`: money in minus money out. */
  counted_minor: string;
  /** The sum of the same amounts without signs. */
  turnover_minor: string;
  /** Booked amounts that may or may not have moved this wallet yet: see `Moved`. */
  unplaced_minor: string;
  /** The least and the most that the wallet holds and our books do not contain. NULL before the first report. */
  offset_lo: string | null;
  offset_hi: string | null;
  /** The turnover when the offset was stated or measured: fees of later turnover may be missing. */
  turnover_from: string;
  unplaced_from: string;
  /** The share of its turnover that the provider may keep as fees; NULL for the deployment's default. */
  fee_per_mille: number | null;
  /** The operator who stated the opening adjustment; NULL if it was measured. */
  opening_by: string | null;
  opening_at: Date | null;
  /** The last check and its result. */
  asked_at: Date | null;
  verdict: FloatVerdict;
  /** How often in a row. */
  in_a_row: number;
  /** The provider's last report: the balance, and the range that our books did not contain then. */
  reported_at: Date | null;
  balance_minor: string | null;
  seen_lo: string | null;
  seen_hi: string | null;
  seen_turnover: string | null;
  seen_unplaced: string | null;
  /** The missing or excess amount beyond the payments in progress. */
  gap_minor: string;
  /** Transfers that an operator recorded and the wallet does not show yet. */
  coming_minor: string;
  going_minor: string;
  /** The most that was missing when its payouts were paused, or during the pause; NULL unless money is missing. */
  paused_for_minor: string | null;
  note: string;
}

/** One provider's answer about one wallet. */
export interface FloatCheckRow extends FloatWalletKey {
  check_id: string;
  asked_at: Date;
  verdict: FloatVerdict;
  balance_minor: string | null;
  /** The range that our books expected. */
  least_minor: string | null;
  most_minor: string | null;
  gap_minor: string;
  note: string;
}

/** The last balance query of a provider that answers later, to an address of ours. */
export interface BalanceQuestionRow {
  provider: string;
  /** The random part of the address. */
  token: string;
  asked_at: Date;
  /** When the answer arrived. */
  reported_at: Date | null;
  /** When the answer was compared with our books; this happens once. */
  taken_at: Date | null;
  /** Minor units; NULL if the answer contained no balance. */
  balance_minor: string | null;
  /** Why there is no balance. */
  note: string;
}

declare module 'knex/types/tables' {
  interface Tables {
    outflow_limits: OutflowLimitRow;
    outflow_lock: OutflowLockRow;
    merchant_locks: MerchantLockRow;
    outflows: OutflowRow;
    outflow_defaults: OutflowDefaultRow;
    float_check_runs: FloatRoundRow;
    float_wallets: FloatWalletRow;
    float_checks: FloatCheckRow;
    balance_queries: BalanceQuestionRow;
  }
}
