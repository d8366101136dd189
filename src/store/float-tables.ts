/** The rows of the float proof: the providers' wallets beside our books; see payments/recovery/float-proof. */
import type { Currency } from '../domain/money';

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
    float_rounds: FloatRoundRow;
    float_wallets: FloatWalletRow;
    float_proofs: FloatProofRow;
    balance_questions: BalanceQuestionRow;
  }
}
