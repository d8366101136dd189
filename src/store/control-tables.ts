/** The rows by which operators hold money back that is to go out; see tables.ts. */
import type { Currency } from '../domain/money';

/** The one row that whoever writes an attempt shares, and whoever stops or starts takes. */
export interface PayoutGateRow {
  id: number;
}

/** What is stopped, and was; NULL of the first three is all of them. */
export interface PayoutStopRow {
  stop_id: string;
  merchant_id: string | null;
  rail: string | null;
  /** ISO 3166 alpha-3. */
  country: string | null;
  /** Whether refunds wait as well. */
  with_refunds: number;
  reason: string;
  begun_by: string;
  begun_at: Date;
  /** The last row of the payments' log when it came into force: no attempt of what it holds back is logged after it. */
  begun_log_id: string;
  /** NULL while it is in force. */
  ended_by: string | null;
  ended_at: Date | null;
  ended_log_id: string | null;
}

/** A payout that waits by itself, or has: one row, written with the payment. */
export interface PayoutHoldRow {
  payment_id: string;
  reason: 'first_payment_cooldown' | 'new_recipients_per_day' | 'looks_paid';
  /** The limit that it waits for. */
  limit_id: string | null;
  /** By the database's clock, and the sandbox's, as the next. */
  held_at: Date;
  /** When it goes on by itself; NULL where nobody but an operator lets it go. */
  until_at: Date | null;
  released_by: string | null;
  released_at: Date | null;
  /** What the operator had to say. */
  note: string | null;
}

// The rows of limits on what goes out; see tables.ts, and controls/README.md.

export const outflowLimitKinds = [
  'per_payment',
  'per_hour',
  'per_day',
  'per_recipient_day',
  'first_payment_cooldown',
  'new_recipients_per_day',
] as const;
export type OutflowLimitKind = (typeof outflowLimitKinds)[number];

/** Ended, and never changed. */
export interface OutflowLimitRow {
  limit_id: string;
  /** Of one merchant, or NULL: of each merchant by itself. */
  merchant_id: string | null;
  /** Of one rail, or NULL: of all rails together. */
  rail: string | null;
  currency: Currency;
  kind: OutflowLimitKind;
  /** Minor units; NULL for a limit that counts recipients. */
  amount: string | null;
  /** Of `first_payment_cooldown`. */
  cooldown_s: number | null;
  /** Of `new_recipients_per_day`. */
  most: number | null;
  reason: string;
  from_at: Date;
  ended_at: Date | null;
  /** How much time the sandbox had let pass by then, in milliseconds. */
  from_ahead_ms: string;
  ended_ahead_ms: string;
}

/** One row, which a payout shares while it is accepted, and a change of limits has for itself. */
export interface OutflowGateRow {
  id: number;
  /** How many are in force. */
  limits: number;
}

/** Whoever has its lock is the only one who counts what this merchant pays out in this currency. */
export interface OutflowTurnRow {
  merchant_id: string;
  currency: Currency;
}

/** A payout as limits count it. */
export interface OutflowRow {
  payment_id: string;
  merchant_id: string;
  rail: string;
  currency: Currency;
  /** SHA-256 of whom it pays. */
  recipient_hash: Buffer | null;
  amount: string;
  /** By the clock of windows (see `clockOf` in controls/limits.ts): real in live, and in a sandbox that was never moved. */
  accepted_at: Date;
  /** When it was certain that it does not go out: it counts no more. */
  released_at: Date | null;
  /** Which default limits were in force; NULL where none were, or for what was accepted before they were kept. */
  defaults_id: string | null;
}

/** One amount of the default limits as a process has had them. Never changed. */
export interface OutflowDefaultRow {
  /** Names all of them: see controls/default-limits.ts. */
  defaults_id: string;
  currency: Currency;
  kind: OutflowLimitKind;
  /** Minor units. */
  amount: string;
}

// The rows of the float proof: the providers' wallets beside our books; see src/floats.

/** When the wallets are asked next, and who is at it: one row. */
export interface FloatRoundRow {
  id: number;
  leased_by: string | null;
  leased_until: Date | null;
  /** The last posting that is old: no other comes to be there before it. */
  counted_seq: string;
  finished_at: Date | null;
}

export type FloatVerdict =
  /** It holds what our books say, as far as can be told while payments are under way. */
  | 'agrees'
  /** It holds less. */
  | 'short'
  /** It holds more. */
  | 'over'
  /** The provider did not tell. */
  | 'unknown';

export interface FloatWalletKey {
  provider: string;
  /** ISO 3166 alpha-3; empty where the wallet is of no country. */
  country: string;
  currency: Currency;
}

/** Amounts are minor units. */
export interface FloatWalletRow extends FloatWalletKey {
  /** The last posting that its sums have. */
  counted_seq: string;
  /** What our books have moved there up to `counted_seq`: what came in, less what went out. */
  counted_minor: string;
  /** The same without signs. */
  turnover_minor: string;
  /** What was booked of which nobody can say that it has moved this wallet since: see `Moved`. */
  unplaced_minor: string;
  /** What it holds that our books do not know of: at least, and at most. NULL before it was told first. */
  offset_lo: string | null;
  offset_hi: string | null;
  /** The turnover when that was stated or learnt: fees of what came after may be missing. */
  turnover_from: string;
  unplaced_from: string;
  /** What the provider may keep of its turnover for itself; NULL as the deployment has it. */
  fee_per_mille: number | null;
  /** Who stated it last; NULL while it is only learnt. */
  baseline_by: string | null;
  baseline_at: Date | null;
  /** When it was asked about last, and what came of it. */
  asked_at: Date | null;
  verdict: FloatVerdict;
  /** How often one after another. */
  in_a_row: number;
  /** When the provider told of it last, and what: the balance, and what then may be there that our books do not know of. */
  told_at: Date | null;
  balance_minor: string | null;
  seen_lo: string | null;
  seen_hi: string | null;
  seen_turnover: string | null;
  seen_unplaced: string | null;
  /** How much is missing, or too much, beyond what may be under way. */
  gap_minor: string;
  /** What was said to be put there by hand, or taken out, and has not shown. */
  coming_minor: string;
  going_minor: string;
  /** As much may have been missing when its payouts were stopped last, or while they were; NULL unless it is short. */
  stopped_for_minor: string | null;
  note: string;
}

/** One answer about one wallet. */
export interface FloatProofRow extends FloatWalletKey {
  proof_id: string;
  asked_at: Date;
  verdict: FloatVerdict;
  balance_minor: string | null;
  /** What our books said that it would hold. */
  least_minor: string | null;
  most_minor: string | null;
  gap_minor: string;
  note: string;
}

/** The question that was asked last of a provider that answers later, at an address of ours. */
export interface BalanceQuestionRow {
  provider: string;
  /** The random part of the address. */
  token: string;
  asked_at: Date;
  /** When the answer came. */
  told_at: Date | null;
  /** When it was held against our books: it is once. */
  taken_at: Date | null;
  /** Minor units; NULL where nothing was told that is a balance. */
  balance_minor: string | null;
  /** Why not. */
  note: string;
}

declare module 'knex/types/tables' {
  interface Tables {
    outflow_limits: OutflowLimitRow;
    outflow_gate: OutflowGateRow;
    outflow_turns: OutflowTurnRow;
    outflows: OutflowRow;
    outflow_defaults: OutflowDefaultRow;
    float_rounds: FloatRoundRow;
    float_wallets: FloatWalletRow;
    float_proofs: FloatProofRow;
    balance_questions: BalanceQuestionRow;
  }
}
