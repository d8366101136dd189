/** The contract between the workflows that a Temporal Schedule starts and their activities. Only names, moments, counts and amounts pass. */

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

export interface Verification {
  /** The invariants that are broken, and how many rows break each: empty where the books are right. */
  broken: { check: string; violations: number }[];
  /** Milliseconds. */
  tookMs: number;
  /** Why everything was checked, where more than the news was. */
  because?: string;
}

export interface FloatCheck {
  /** A balance differs for the first time: it is asked for once more before anything is done about it. */
  isDoubted: boolean;
  /** Amounts are in minor units, as text. */
  balances: {
    provider: string;
    country: string;
    currency: string;
    verdict: string;
    differsByMinor: string;
  }[];
}

/** Each is safe to repeat. */
export interface JobActivities {
  /** @param input.at when the night began: the days before it are asked for. */
  fetchStatement(input: StatementNight & { at: string }): Promise<StatementOfNight>;
  /** @returns how many lines and payments of those days are unexplained. */
  compareStatement(input: StatementNight & StatementOfNight): Promise<{ unexplained: number }>;
  /** Deletes what is older than its retention. @returns how many rows of each kind. */
  pruneOldRows(): Promise<Record<string, number>>;
  /** Seals the days of the ledger that are over, then checks every invariant. */
  verifyBooks(): Promise<Verification>;
  /** Asks every provider for its balances, and compares them with our books. */
  checkFloats(): Promise<FloatCheck>;
  /** @returns how many rates are new. */
  refreshExchangeRates(): Promise<{ stored: number }>;
}
