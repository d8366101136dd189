/** The contract between the nightly workflow of a provider account and its activities. Only names, moments and counts pass. */

/** The rail whose account at its provider is asked. */
export interface StatementNight {
  rail: string;
}

/** What was fetched and kept. Moments are ISO 8601; the end is left out. */
export interface StatementOfNight {
  from: string;
  to: string;
  statementId: string;
  lines: number;
}

export interface StatementActivities {
  /** @param input.at when the night began: the days before it are asked for. Safe to repeat. */
  fetchStatement(input: StatementNight & { at: string }): Promise<StatementOfNight>;
  /** Safe to repeat. @returns how many lines and payments of those days are unexplained. */
  compareStatement(input: StatementNight & StatementOfNight): Promise<{ unexplained: number }>;
}
