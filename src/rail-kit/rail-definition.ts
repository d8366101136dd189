import type { Rail, RailSettings } from './rail';

/** A rail before it has settings: what it is called, and how it is made. One per folder of `src/rails`. */
export interface RailDefinition {
  /** The prefix of workflow ids, tables and metrics. */
  name: string;
  /** In the documentation. */
  title: string;
  /** On the portal's pages, within a line. */
  portalName: { en: string; sw: string };
  /** @throws ConfigError for what its settings lack. */
  create(settings: RailSettings): Rail;
}
