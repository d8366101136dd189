/** The type of a check of the books: an invariant, and the query that finds the rows that violate it. */
import type { Rails } from '../rail-kit/context';
import type { Database, Transaction } from '../store/database';

export interface Violation {
  /** The id of the violating row: bare for payments and webhooks, and for others such as `entry 12`. */
  id: string;
  detail: string;
}

export interface Snapshot {
  trx: Transaction;
  rails: Rails;
  scope: Scope;
}

export interface Check {
  /** The number of the invariant, such as `L1`, in runbooks and tests. */
  id: string;
  promise: string;
  /** @returns the violations; none if the invariant holds. */
  find: Finder;
}

type Ask = (snapshot: Snapshot) => Promise<Violation[]>;

export interface Finder {
  (snapshot: Snapshot): Promise<Violation[]>;
  /** The SQL text in a scope. It identifies the check in the fingerprint. */
  text?: (scope: Scope) => string;
  /** The queries of the check; without them the check is one query about everything. */
  questions?: readonly Question[];
}

export interface Question {
  ask: Ask;
  /** The query checks each payment or voucher by itself, so it finds the same in any slice of them. */
  isOfEach: boolean;
}

/** One bug can break a hundred thousand rows; this many violations are enough to find it. */
export const violationsMax = 1_000;

/** SQL, or a function of the scope. A plain text reads everything in every scope, because it reads little. An empty text is skipped. */
export type Statement = string | ((scope: Scope) => string);

/** A check by SQL statements. Each selects `id` and `detail` of the violations. */
export function bySql(...statements: Statement[]): Finder {
  return together(...statements.map(byStatement));
}

function byStatement(statement: Statement): Finder {
  const ask = async ({ trx, scope }: Snapshot) => {
    const text = textOf(statement, scope);
    return text === '' ? [] : violationsOf(trx, text);
  };
  return asked(ask, isOfEach(statement), (scope) => textOf(statement, scope));
}

/** A check in code that reads only the payments and vouchers of its scope, each by itself. */
export function ofEach(find: Ask): Finder {
  return asked(find, true, () => find.toString());
}

const asked = (ask: Ask, isOfEach: boolean, text: (scope: Scope) => string): Finder =>
  Object.assign((snapshot: Snapshot) => ask(snapshot), { text, questions: [{ ask, isOfEach }] });

/** Joins several finders to one. */
export function together(...finders: Finder[]): Finder {
  const find = async (snapshot: Snapshot) => {
    const found: Violation[] = [];
    for (const ask of finders) found.push(...(await ask(snapshot)));
    return found;
  };
  return Object.assign(find, {
    text: (scope: Scope) => finders.map((each) => textOfFinder(each, scope)).join(';'),
    questions: finders.flatMap(questionsOf),
  });
}

export const questionsOf = (find: Finder): readonly Question[] =>
  find.questions ?? [{ ask: find, isOfEach: false }];

export const textOfFinder = (find: Finder, scope: Scope): string => find.text?.(scope) ?? find.toString();

function textOf(statement: Statement, scope: Scope): string {
  return typeof statement === 'string' ? statement : statement(scope);
}

/** Whether the statement reads the list of changed payments of its scope: then it checks each payment by itself. */
const isOfEach = (statement: Statement) => textOf(statement, spy).includes(spied);

const spied = '(changes)';
const spy: Scope = {
  about: () => spied,
  added: () => 'TRUE',
  begun: () => 'TRUE',
  pick: (_forAll, forChanges) => forChanges,
};

export async function violationsOf(
  trx: Transaction,
  statement: string,
  bindings: (string | number)[] = [],
): Promise<Violation[]> {
  const rows = await rowsOf<Violation>(trx, `${statement} LIMIT ${String(violationsMax)}`, bindings);
  return rows.map(({ id, detail }) => ({ id, detail }));
}

/** The rows of an SQL statement. */
export async function rowsOf<T>(
  db: Database | Transaction,
  statement: string,
  bindings: (string | number)[] = [],
): Promise<T[]> {
  const [rows] = (await db.raw(statement, bindings)) as unknown as [T[]];
  return rows;
}

/** `'a', 'b'` for an IN list of our own words. Never pass a value from outside: nothing is escaped. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

// The scope of a run: everything, or the changes since the last verified state. Each statement is written once, and takes
// its first rows from the scope.

/** Tables with an index by the payment or voucher. */
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

/** Tables that only grow, and their increasing column. */
const counters = {
  ledger_entries: 'entry_id',
  ledger_postings: 'seq',
  payment_log: 'log_id',
  inbox: 'inbox_id',
} as const;
type Growing = keyof typeof counters;

/** The end of the verified data. */
export interface Marks {
  /** Changes from this time on, by the database's clock, are not verified: `2026-01-31 08:00:00.000`. */
  changedSince: string;
  /** The last verified row of each table. */
  last: Record<Growing, string>;
}

export interface Scope {
  /**
   * The first rows of a statement: all of them, or those of changed payments and vouchers, a slice at a time. So a statement
   * with these rows must not sum over several payments.
   */
  about(table: Subject, alias: string, key?: string): string;
  /** A condition for rows that were added since the marks. */
  added(table: Growing, alias: string): string;
  /** A condition for rows that were created since the marks, by their column with the creation time. */
  begun(column: string): string;
  /** Picks a statement if the two scopes need different ones. */
  pick<T>(forAll: T, forChanges: T): T;
}

export const everything: Scope = {
  about: (table, alias) => `${table} ${alias}`,
  added: () => 'TRUE',
  begun: () => 'TRUE',
  pick: (forAll) => forAll,
};

/** A part of the changed payments and vouchers, by id: after the first bound, up to and with the second. */
export interface Slice {
  after?: string | undefined;
  upTo?: string | undefined;
}

/** @param runId the run whose list of changes in verify_changes is used. */
export function changesOf(runId: string, { changedSince, last }: Marks, { after, upTo }: Slice = {}): Scope {
  const isIn = [
    `changes.run_id = '${runId}'`,
    ...(after === undefined ? [] : [`changes.id > '${after}'`]),
    ...(upTo === undefined ? [] : [`changes.id <= '${upTo}'`]),
  ].join(' AND ');
  return {
    // STRAIGHT_JOIN, because the list is short and each of its ids is found by an index.
    about: (table, alias, key = 'payment_id') =>
      `verify_changes changes STRAIGHT_JOIN ${table} ${alias} ON ${isIn} AND ${alias}.${key} = changes.id`,
    added: (table, alias) => `${alias}.${counters[table]} > ${last[table]}`,
    begun: (column) => `${column} >= '${changedSince}'`,
    pick: (_forAll, forChanges) => forChanges,
  };
}
