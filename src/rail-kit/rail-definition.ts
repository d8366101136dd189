import type { Rail, RailSettings } from './rail';

export interface FloatKind {
  /** Whether a float is of one country, or of all of a currency. */
  perCountry: boolean;
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
  /** @throws ConfigError for what its settings lack. */
  create(settings: RailSettings): Rail;
}
