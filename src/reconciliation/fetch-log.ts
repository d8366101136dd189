/** How the fetching of statements goes, one row for each rail: what doctor and the metrics tell of it. */
import { cutText } from '../domain/cut-text';
import type { Database } from '../store/database';
import type { StatementFetchRow } from '../store/tables';

const failureLengthMax = 350;

export async function noteFetched(db: Database, rail: string, coversTo: Date): Promise<void> {
  const now = new Date();
  await db('statement_fetches')
    .insert({ rail, tried_at: now, succeeded_at: now, covers_to: coversTo, failures: 0, failure: null })
    .onConflict('rail')
    .merge();
}

/** @param failure holds no secret, and nothing of a customer. */
export async function noteNotFetched(db: Database, rail: string, failure: string): Promise<void> {
  const text = cutText(failure, failureLengthMax);
  await db('statement_fetches')
    .insert({ rail, tried_at: new Date(), failures: 1, failure: text })
    .onConflict('rail')
    .merge({ tried_at: new Date(), failures: db.raw('statement_fetches.failures + 1'), failure: text });
}

export function findFetches(db: Database): Promise<StatementFetchRow[]> {
  return db('statement_fetches').orderBy('rail');
}
