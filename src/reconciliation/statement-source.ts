/** How a provider with an API for it is asked for its statement, and what is done with what it answers. */
import type { Database } from '../store/database';
import { keepStatement, type KeptStatement } from './keep-statement';
import type { Period } from './reconcile';
import { StatementError, type StatementFormat } from './statement';

/** Whoever waits for the statement. */
export interface StatementCall {
  /** Told before each request, since all of them together may take long. */
  alive(): void;
  /** Aborted once nobody waits any more. */
  signal: AbortSignal;
}

/** Nothing came: `unavailable` may be otherwise soon, `refused` only once a person has changed something. */
export interface NotFetched {
  kind: 'unavailable' | 'refused';
  /** For an operator. Holds no secret, and nothing of a customer. */
  text: string;
}

export type FetchedStatement =
  | NotFetched
  | {
      kind: 'fetched';
      /** As the rail's StatementFormat reads it; with its period in it, so that two empty nights are two files. */
      content: Buffer;
      name: string;
      /** What it is a statement of: less than was asked for where the provider does not have the rest, or not yet. */
      covers: Period;
    };

export interface StatementSource {
  /** Safe to repeat. What did not come whole is nothing. */
  fetch(period: Period, call: StatementCall): Promise<FetchedStatement>;
}

/** Why nothing can be fetched here, and what to do instead. */
export interface NoStatementSource {
  missing: string;
}

export type BroughtStatement = NotFetched | { kind: 'kept'; statement: KeptStatement; covers: Period };

/** More than a month of a busy account; what is larger has to be asked for in parts. */
export const statementBytesMax = 64 * 1024 * 1024;

/** Fetches what the provider says of the period and keeps it, whole or not at all. The same statement again changes nothing. */
export async function bringStatement(
  db: Database,
  format: StatementFormat,
  source: StatementSource,
  period: Period,
  call: StatementCall,
): Promise<BroughtStatement> {
  const fetched = await source.fetch(period, call);
  if (fetched.kind !== 'fetched') return fetched;
  const { content, name, covers } = fetched;
  if (content.length > statementBytesMax)
    return { kind: 'refused', text: 'the statement is too large: ask for fewer days' };
  try {
    const file = { name, content, ...covers, isFetched: true } as const;
    return { kind: 'kept', statement: await keepStatement(db, format, file), covers };
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    // What was cut off on its way is whole the next time.
    return { kind: 'unavailable', text: `what came cannot be read (${error.message})` };
  }
}
