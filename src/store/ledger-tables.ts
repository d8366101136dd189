/** The rows of the ledger, and of what converts its currencies; see tables.ts. */
import type { Currency } from '../domain/money';

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
