import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { ReconciliationResultRow, StatementLineRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { findEvidence } from './find-evidence';
import { judge, type Judgement } from './judge';
import type { StatementFormat } from './statement';

/** What one line turned out to be. */
interface Judged extends Judgement {
  line: StatementLineRow;
}

/**
 * Judges each of the lines beside our books, in their order, and keeps what it turned out to be. Done again, it changes
 * nothing but what has changed in our books.
 */
export async function matchLines(
  db: Database,
  format: StatementFormat,
  lineIds: readonly string[],
): Promise<void> {
  // One after the other: a line may be told of by one in the chunk before.
  for (const ids of inChunks(lineIds)) {
    const lines = await db('statement_lines').whereIn('line_id', ids).orderBy('line_id');
    // Only the first line that names a payment by our own reference tells of it, in the same chunk, too.
    for (const some of withoutRivals(lines)) {
      const evidenceOf = await findEvidence(db, format, some);
      const judged = some.map((line) => ({ line, ...judge(line, evidenceOf(line)) }));
      await inTransaction(db, (trx) => keepJudged(trx, judged));
    }
  }
}

/** Lines that may be of one payment are judged one after the other. */
function withoutRivals(lines: StatementLineRow[]): StatementLineRow[][] {
  const rounds: StatementLineRow[][] = [];
  const seen = new Map<string, number>();
  for (const line of lines) {
    const name = line.our_reference ?? `line ${line.line_id}`;
    const round = seen.get(name) ?? 0;
    seen.set(name, round + 1);
    (rounds[round] ??= []).push(line);
  }
  return rounds;
}

async function keepJudged(trx: Transaction, judged: readonly Judged[]): Promise<void> {
  const subjects = judged.map(({ line }) => `line:${line.line_id}`);
  const known = await trx('reconciliation_results').whereIn('subject', subjects).forUpdate();
  const before = new Map(known.map((result) => [result.subject, result]));
  const rows = judged.map(resultOf).filter((row) => !isSame(before.get(row.subject), row));
  if (rows.length > 0) await trx('reconciliation_results').insert(rows).onConflict('subject').merge();
  await keepOrphans(trx, judged);
}

function resultOf({ line, outcome, paymentId, oursMinor, note }: Judged): ReconciliationResultRow {
  return {
    subject: `line:${line.line_id}`,
    provider: line.provider,
    outcome,
    kind: line.kind,
    line_id: line.line_id,
    payment_id: paymentId,
    currency: line.currency,
    amount_minor: line.amount_minor,
    ours_minor: oursMinor === null ? null : String(oursMinor),
    occurred_at: line.occurred_at,
    note,
    decided_at: new Date(),
  };
}

function isSame(before: ReconciliationResultRow | undefined, now: ReconciliationResultRow): boolean {
  return (
    before?.outcome === now.outcome &&
    before.payment_id === now.payment_id &&
    before.ours_minor === now.ours_minor &&
    before.note === now.note
  );
}

/** Money without an owner is offered once, by the line's identity; what has found its payment by itself is offered no more. */
async function keepOrphans(trx: Transaction, judged: readonly Judged[]): Promise<void> {
  const orphans = judged.filter(({ outcome }) => outcome === 'theirs_only').map(({ line }) => line);
  const foundAt = new Date();
  if (orphans.length > 0) {
    await trx('orphans')
      .insert(
        orphans.map((line) => ({
          provider: line.provider,
          provider_reference: line.provider_reference,
          kind: line.kind,
          line_id: line.line_id,
          currency: line.currency,
          amount_minor: line.amount_minor,
          occurred_at: line.occurred_at,
          state: 'open' as const,
          found_at: foundAt,
        })),
      )
      .onConflict(['provider', 'provider_reference', 'kind'])
      .ignore();
  }
  const owned = judged.filter(({ outcome, paymentId }) => outcome === 'agreed' && paymentId !== null);
  const wereOrphans = await trx('orphans')
    .whereIn(
      'line_id',
      owned.map(({ line }) => line.line_id),
    )
    .where({ state: 'open' })
    .whereNull('entry_id')
    .pluck('line_id');
  for (const { line, paymentId } of owned.filter(({ line }) => wereOrphans.includes(line.line_id))) {
    const closing = { closed_at: foundAt, claimed_by: 'malipo', reason: 'our books have it now' };
    await trx('orphans')
      .where({ line_id: line.line_id, state: 'open' })
      .whereNull('entry_id')
      .update({ state: 'claimed', payment_id: paymentId, ...closing });
  }
}
