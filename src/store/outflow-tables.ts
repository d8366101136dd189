/** The rows of limits on what goes out; see tables.ts, and controls/README.md. */
import type { Currency } from '../domain/money';

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

declare module 'knex/types/tables' {
  interface Tables {
    outflow_limits: OutflowLimitRow;
    outflow_gate: OutflowGateRow;
    outflow_turns: OutflowTurnRow;
    outflows: OutflowRow;
    outflow_defaults: OutflowDefaultRow;
  }
}
