/** The seal of one UTC day of the ledger: written once, and the next one begins with its head. See ledger/chain.ts. */
export interface LedgerLinkRow {
  /** 1, 2, 3 …, so that one that is taken away leaves a gap. */
  n: string;
  /** `2026-01-31` */
  day: string;
  /** It covers the postings whose `seq` is above this … */
  after_seq: string;
  /** … up to and with this. */
  last_seq: string;
  postings: string;
  /** The head of the link before; zeros in the first. */
  previous: Buffer;
  head: Buffer;
  /** By the database's clock. */
  sealed_at: Date;
}

declare module 'knex/types/tables' {
  interface Tables {
    ledger_links: LedgerLinkRow;
  }
}
