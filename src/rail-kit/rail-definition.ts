import type { Rail, RailSettings } from './rail';

export interface FloatKind {
  /** Whether a float is of one country, or of all of a currency. */
  perCountry: boolean;
}

/** One payout under the names of its rail. */
export type PayoutFields = Record<string, string>;

/** The fields of the rail's single payout. */
export interface PayoutForm {
  /** Who is paid. */
  recipient: string;
  /** What its merchant calls it. */
  reference: string;
  /** What the recipient reads. */
  message: string;
  needed: readonly string[];
  columns: readonly string[];
  /** A line of the file that people start from. */
  example: readonly string[];
  /** The payout as the rail takes it, of what was filled in; where that differs. */
  read?(cells: PayoutFields, filled: PayoutFields): PayoutFields;
}

/** Every end that a shop must deal with. */
export type SandboxEnd =
  'paid' | 'no_money' | 'declined' | 'silent' | 'late' | 'unreached' | 'person' | 'fails';

/** Compared with the simulator by a test. */
export interface SandboxTries {
  /** What decides: the whole number of a customer, its last digits, the last digits of an amount, or a receiver's name. */
  by: 'number' | 'number_end' | 'amount_end' | 'receiver';
  tries: readonly { value: string; end: SandboxEnd }[];
}

/** A rail before it has settings: what it is called, and how it is made. One per folder of `src/rails`. */
export interface RailDefinition {
  /** The prefix of workflow ids, tables and metrics. */
  name: string;
  /** In the documentation. */
  title: string;
  /** On the portal's pages, within a line. */
  portalName: { en: string; sw: string };
  /** Where its payouts are paid from floats: how it keeps them. */
  float?: FloatKind;
  /** Where it pays many at once: what a payout has, for who fills it in. */
  payoutForm?: PayoutForm;
  /** What its simulated provider does with which number or amount, for the portal of a sandbox. */
  sandboxTries: readonly SandboxTries[];
  /** @throws ConfigError for what its settings lack. */
  create(settings: RailSettings): Rail;
}
