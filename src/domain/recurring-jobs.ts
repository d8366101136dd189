/**
 * The contract between the workflows that a Temporal Schedule starts and their activities. Only names, moments,
 * counts and amounts pass.
 */

/** The rail whose account at its provider is read. */
export interface StatementNight {
  rail: string;
}

/** The statement that was fetched and stored. Moments are ISO 8601; the end is exclusive. */
export interface StatementOfNight {
  from: string;
  to: string;
  statementId: string;
  lines: number;
}

export interface Verification {
  /** The violated invariants, and how many rows violate each: empty where the books are right. */
  broken: { check: string; violations: number }[];
  /** Milliseconds. */
  tookMs: number;
  /** Why everything was checked, where more than the new rows was. */
  because?: string;
}

export interface FloatCheck {
  /** A balance differs for the first time: it is requested again before any action. */
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
  /** @param input.at when the night began: the days before it are fetched. */
  fetchStatement(input: StatementNight & { at: string }): Promise<StatementOfNight>;
  /** @returns how many lines and payments of those days are unexplained. */
  compareStatement(input: StatementNight & StatementOfNight): Promise<{ unexplained: number }>;
  /** Deletes rows older than their retention. @returns how many rows of each kind. */
  pruneOldRows(): Promise<Record<string, number>>;
  /** Writes the day digests of the ledger's past days, then checks every invariant. */
  verifyBooks(): Promise<Verification>;
  /** Requests the balances from every provider, and compares them with our books. */
  checkFloats(): Promise<FloatCheck>;
  /** @returns how many rates are new. */
  refreshExchangeRates(): Promise<{ stored: number }>;
}
