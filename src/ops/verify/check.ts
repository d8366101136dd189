/** What a check of the books is: a promise the product makes, and the query that finds every row breaking it. */
import type { Rails } from '../../payments/rail/context';
import type { Database, Transaction } from '../../store/database';
import type { Scope } from './scope';

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

interface Finder {
  (snapshot: Snapshot): Promise<Violation[]>;
  /** What it asks of a scope, by which one check is told from another; none where it is more than statements. */
  text?: (scope: Scope) => string;
}

/** One fault in the code can break a hundred thousand rows; this many of them are enough to see which. */
export const violationsMax = 1_000;

/** One that looks at little anyway is a text: it asks in every scope for all there is. */
export type Statement = string | ((scope: Scope) => string);

/** A check by statements that each yield `id` and `detail` of what they find. */
export function bySql(...statements: Statement[]): Finder {
  const find = async ({ trx, scope }: Snapshot) => {
    const found: Violation[] = [];
    for (const statement of statements) found.push(...(await violationsOf(trx, textOf(statement, scope))));
    return found;
  };
  return Object.assign(find, {
    text: (scope: Scope) => statements.map((statement) => textOf(statement, scope)).join(';'),
  });
}

function textOf(statement: Statement, scope: Scope): string {
  return typeof statement === 'string' ? statement : statement(scope);
}

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
