/** The rows that tell whether providers notify us of what became of payments; see payments/recovery/watch-callbacks.ts. */
import type { PaymentKind } from '../domain/payment';

/** Up to where the log of the payments was read: one row. */
export interface CallbackWatchRow {
  id: number;
  log_id: string;
  watched_at: Date;
}

/** Whose callbacks they are. */
export interface CallbackSource {
  rail: string;
  /** The rail that has the account at the provider. */
  account: string;
  kind: PaymentKind;
}

export interface CallbackHealthRow extends CallbackSource {
  verdict: 'unknown' | 'healthy' | 'late' | 'stopped';
  since: Date;
  /** Of the payments that ended last, how many in a row had no callback in time, or had one. */
  missed_in_a_row: number;
  come_in_a_row: number;
  /** Since the beginning. */
  expected: string;
  come: string;
  /** When the payment ended that a callback was expected of last, or had come of. */
  expected_at: Date | null;
  come_at: Date | null;
}

/** What was counted in ten minutes. */
export interface CallbackCountRow extends CallbackSource {
  slot_at: Date;
  expected: number;
  come: number;
  /** Of those that came, how many told us before we asked. */
  told_first: number;
  /** How many came after how long, one number for each step of payments/resolve/callbacks/lags.ts: `12,3,0,…`. */
  lags: string;
}

/** How many notifications were refused in ten minutes. */
export interface CallbackRefusalRow {
  slot_at: Date;
  rail: string;
  refused: number;
}

declare module 'knex/types/tables' {
  interface Tables {
    callback_watch: CallbackWatchRow;
    callback_health: CallbackHealthRow;
    callback_counts: CallbackCountRow;
    callback_refusals: CallbackRefusalRow;
  }
}
