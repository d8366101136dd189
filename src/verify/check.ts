/** What a check of the books is: a promise the product makes, and the query that finds every row breaking it. */
import type { Rails } from '../rail-kit/context';
import type { Database, Transaction } from '../store/database';

export interface Violation {
  /** Of the offending row: bare for payments and webhooks, such as `entry 12` for the others. */
  id: string;
  detail: string;
}

export interface Snapshot {
  trx: Transaction;
  rails: Rails;
  scope: Scope;
}

export interface Check {
  /** The number of the invariant, by which runbooks and tests call it. */
  id: string;
  promise: string;
  /** @returns nothing while the promise is kept. */
  find: Finder;
}

type Ask = (snapshot: Snapshot) => Promise<Violation[]>;

export interface Finder {
  (snapshot: Snapshot): Promise<Violation[]>;
  /** What it asks of a scope, by which one check is told from another; none where it is more than statements. */
  text?: (scope: Scope) => string;
  /** Its questions one by one; without them it is one, about everything at once. */
  questions?: readonly Question[];
}

interface Question {
  ask: Ask;
  /** It is about each payment or voucher by itself: asked about a few at a time, it finds the same. */
  isOfEach: boolean;
}

/** One fault in the code can break a hundred thousand rows; this many of them are enough to see which. */
export const violationsMax = 1_000;

/** One that looks at little anyway is a text: it asks in every scope for all there is. An empty one asks nothing. */
export type Statement = string | ((scope: Scope) => string);

/** A check by statements that each yield `id` and `detail` of what they find. */
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

/** A check that begins with what its scope is about, and looks at each payment or voucher of that by itself. */
export function ofEach(find: Ask): Finder {
  return asked(find, true, () => find.toString());
}

const asked = (ask: Ask, isOfEach: boolean, text: (scope: Scope) => string): Finder =>
  Object.assign((snapshot: Snapshot) => ask(snapshot), { text, questions: [{ ask, isOfEach }] });

/** A check of several questions. */
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

/** It names in its scope's words what it begins with: the scope of a few payments gives it these. */
const isOfEach = (statement: Statement) => textOf(statement, spy).includes(spied);

const spied = '(news)';
const spy: Scope = {
  about: () => spied,
  added: () => 'TRUE',
  begun: () => 'TRUE',
  pick: (_forAll, forNews) => forNews,
};

export async function violationsOf(
  trx: Transaction,
  statement: string,
  bindings: (string | number)[] = [],
): Promise<Violation[]> {
  const rows = await rowsOf<Violation>(trx, `${statement} LIMIT ${String(violationsMax)}`, bindings);
  return rows.map(({ id, detail }) => ({ id, detail }));
}

/** The rows of a statement that reads better as SQL than as a chain of calls. */
export async function rowsOf<T>(
  db: Database | Transaction,
  statement: string,
  bindings: (string | number)[] = [],
): Promise<T[]> {
  const [rows] = (await db.raw(statement, bindings)) as unknown as [T[]];
  return rows;
}

/** `'a', 'b'` for an IN list of our own words; never for anything that came from outside. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

// What a run of the checks looks at: everything, or what is new since everything before was proved. Each statement is
// written once, and asks its scope for the rows to begin with.

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
