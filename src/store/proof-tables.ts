import type { Currency } from '../domain/money';

/** What `malipo verify` has proved: one row, and none while nothing stands; see verify/proof.ts. */
export interface ProofRow {
  id: number;
  run_id: string;
  /** Of the database and the checks: a proof of another database, or by other checks, proves nothing. */
  fingerprint: Buffer;
  /** By the database's clock: rows that were changed before are proved. */
  changed_since: Date;
  /** The last of each table that is proved. */
  entry_id: string;
  seq: string;
  log_id: string;
  inbox_id: string;
  proved_at: Date;
  /** When everything was checked last. */
  full_at: Date;
}

/** What was posted to an account up to the proved posting. */
export interface ProofSumRow {
  account_id: string;
  currency: Currency;
  postings: string;
  total: string;
  digest: string;
}

/** A payment or voucher that a run looks at; gone with the run. */
export interface ProofNewsRow {
  run_id: string;
  id: string;
  noted_at: Date;
}

/** What the last look at the books found, whoever looked: one row. */
export interface VerdictRow {
  id: number;
  /** NULL while nobody has looked. */
  looked_at: Date | null;
  promises_broken: number;
  /** The run whose proof the looks at the news went on from that found all of it; NULL where a look at everything did. */
  found_from: string | null;
}

declare module 'knex/types/tables' {
  interface Tables {
    proofs: ProofRow;
    proof_sums: ProofSumRow;
    proof_news: ProofNewsRow;
    verdicts: VerdictRow;
  }
}
