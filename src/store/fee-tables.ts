/** The rows of what merchants are charged for their payments; see tables.ts, and fees/README.md. */
import type { Currency } from '../domain/money';

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

declare module 'knex/types/tables' {
  interface Tables {
    fee_schedules: FeeScheduleRow;
  }
}
