/**
 * What a run of the checks looks at: everything, or what is new since everything before was proved. Each statement is
 * written once, and asks its scope for the rows to begin with.
 */

/** What is named by the payment or voucher that it is about: an index of each finds its rows by that. */
type Subject =
  | 'payments'
  | 'payment_log'
  | 'attempts'
  | 'outbox'
  | 'holds'
  | 'fx_quotes'
  | 'vouchers'
  | 'outflows'
  | 'paid_references'
  | 'ledger_entries'
  | 'idempotency_keys';

/** What is only ever added to, and the column that counts on. */
const counters = {
  ledger_entries: 'entry_id',
  ledger_postings: 'seq',
  payment_log: 'log_id',
  inbox: 'inbox_id',
} as const;
type Growing = keyof typeof counters;

/** Up to where everything is proved. */
export interface Marks {
  /** What was changed from then on, by the database's clock, is new: `2026-01-31 08:00:00.000`. */
  changedSince: string;
  /** The last row of each table that is proved. */
  last: Record<Growing, string>;
}

export interface Scope {
  /**
   * The first rows of a statement: all of them, or those about payments and vouchers with news, and of these a few at a
   * time. So a statement that begins with them adds nothing up over several payments.
   */
  about(table: Subject, alias: string, key?: string): string;
  /** A condition that only rows added since then meet. */
  added(table: Growing, alias: string): string;
  /** A condition on a moment that was written when the row was made. */
  begun(column: string): string;
  /** Picks the statement where one could not serve both. */
  pick<T>(forAll: T, forNews: T): T;
}

export const everything: Scope = {
  about: (table, alias) => `${table} ${alias}`,
  added: () => 'TRUE',
  begun: () => 'TRUE',
  pick: (forAll) => forAll,
};

/** Some of what has news, in the order of their ids: those after the one, up to the other, where there is one. */
export interface Slice {
  after?: string | undefined;
  upTo?: string | undefined;
}

/** @param runId under which proof_news lists what has news. */
export function newsOf(runId: string, { changedSince, last }: Marks, { after, upTo }: Slice = {}): Scope {
  const isIn = [
    `news.run_id = '${runId}'`,
    ...(after === undefined ? [] : [`news.id > '${after}'`]),
    ...(upTo === undefined ? [] : [`news.id <= '${upTo}'`]),
  ].join(' AND ');
  return {
    // The list is short, and what it names is found by an index: never the other way round.
    about: (table, alias, key = 'payment_id') =>
      `proof_news news STRAIGHT_JOIN ${table} ${alias} ON ${isIn} AND ${alias}.${key} = news.id`,
    added: (table, alias) => `${alias}.${counters[table]} > ${last[table]}`,
    begun: (column) => `${column} >= '${changedSince}'`,
    pick: (_forAll, forNews) => forNews,
  };
}
