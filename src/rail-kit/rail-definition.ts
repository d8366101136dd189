import type { ProcessName, SecretSetting } from '../secret-files';
import type { Rail, RailSettings } from './rail';

export interface FloatKind {
  /** Whether a float belongs to one country, or covers all countries of a currency. */
  perCountry: boolean;
}

/** One payout with its rail's field names. */
export type PayoutFields = Record<string, string>;

/** The fields of the rail's single payout. */
export interface PayoutForm {
  /** The recipient. */
  recipient: string;
  /** The merchant's reference. */
  reference: string;
  /** The message to the recipient. */
  message: string;
  needed: readonly string[];
  columns: readonly string[];
  /** A line of the example file that users start from. */
  example: readonly string[];
  /** Converts the filled-in cells to the payout that the rail accepts; where that differs. */
  read?(cells: PayoutFields, filled: PayoutFields): PayoutFields;
}

/** Every result that a shop must handle. */
export type SandboxEnd =
  'paid' | 'no_money' | 'declined' | 'silent' | 'late' | 'unreached' | 'person' | 'fails';

/** A test compares them with the simulator. */
export interface SandboxTries {
  /**
   * What decides the result: a customer's whole number, its last digits, an amount's last digits, or a receiver's
   * name.
   */
  by: 'number' | 'number_end' | 'amount_end' | 'receiver';
  tries: readonly { value: string; end: SandboxEnd }[];
}

/** A process without these keys calls nothing at the provider. */
export interface RailKeys {
  /** The secret that such calls need. */
  needs: SecretSetting;
  /** The settings in place of the account's, for a process that does not use that secret. */
  absent(env: NodeJS.ProcessEnv, process: ProcessName | undefined): NodeJS.ProcessEnv;
}

/** A rail before it has settings: its names, and its constructor. One per folder of `src/rails`. */
export interface RailDefinition {
  /** The prefix of workflow ids, tables and metrics. */
  name: string;
  /** In the documentation. */
  title: string;
  /** On the portal's pages, within a line. */
  portalName: { en: string; sw: string };
  /** Where its payouts are paid from floats: what a float covers. */
  float?: FloatKind;
  /** Where it pays many at once: the fields of a payout, for users who fill them in. */
  payoutForm?: PayoutForm;
  /** The results of its simulated provider by number or amount, for a sandbox's portal. */
  sandboxTries: readonly SandboxTries[];
  /** The keys of its account at the provider. */
  keys?: RailKeys;
  /** @throws ConfigError for missing settings. */
  create(settings: RailSettings): Rail;
}
