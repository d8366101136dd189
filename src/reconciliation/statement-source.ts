/** Fetches statements from a provider's API and stores them. */
import type { Database } from '../store/database';
import { keepStatement, type KeptStatement } from './keep-statement';
import type { Period } from './reconcile';
import { StatementError, type StatementFormat } from './statement';

/** The caller's side of a fetch. */
export interface StatementCall {
  /** Call it before each request, because all requests together may take long. */
  alive(): void;
  /** Aborted when the caller no longer waits. */
  signal: AbortSignal;
}

/** No statement: `unavailable` may succeed later, `refused` only after somebody changes something, such as a permission. */
export interface NotFetched {
  kind: 'unavailable' | 'refused';
  /** For an operator; without secrets and data of customers. */
  text: string;
}

export type FetchedStatement =
  | NotFetched
  | {
      kind: 'fetched';
      /** In the form that the rail's StatementFormat reads. It contains the period, so two empty statements are two files. */
      content: Buffer;
      name: string;
      /** The period of the statement; shorter than requested if the provider does not have the rest yet. */
      covers: Period;
    };

export interface StatementSource {
  /** Safe to repeat. An incomplete statement counts as not fetched. */
  fetch(period: Period, call: StatementCall): Promise<FetchedStatement>;
}

/** Why this rail cannot fetch statements, and what to do instead. */
export interface NoStatementSource {
  missing: string;
}

export type BroughtStatement = NotFetched | { kind: 'kept'; statement: KeptStatement; covers: Period };

/** More than one month of a busy account. Fetch a larger statement in parts. */
export const statementBytesMax = 64 * 1024 * 1024;

/** Fetches the statement of a period and stores it completely or not at all. The same statement again changes nothing. */
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
    return { kind: 'refused', text: 'the statement is too large: request fewer days' };
  try {
    const file = { name, content, ...covers, isFetched: true } as const;
    return { kind: 'kept', statement: await keepStatement(db, format, file), covers };
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    // A truncated answer may be complete the next time.
    return { kind: 'unavailable', text: `the answer cannot be read (${error.message})` };
  }
}
