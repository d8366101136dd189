import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { ReconciliationResultRow, StatementLineRow, OrphanRow } from '../store/tables';
import { openDayVolumes, type DayVolumes } from './day-volumes';
import { findEvidence } from './find-evidence';
import { judge, type Judgement } from './judge';
import { matchedOutcomes, withoutWithdrawn } from './outcomes';
import { bookFees } from './provider-fees';
import { cameIn, type StatementFormat } from './statement';
import { leaveSuspense, putIntoSuspense } from './suspense';
import { inTurn } from './turn';
import { nameByLines } from './without-receipt';

/** What one line turned out to be. */
export interface Judged extends Judgement {
  line: StatementLineRow;
}

/**
 * Judges each of the lines beside our books, in their order, and keeps what it turned out to be, with what is booked for
 * it. Done again, it changes nothing but what has changed in our books.
 */
export async function matchLines(
  db: Database,
  format: StatementFormat,
  lineIds: readonly string[],
): Promise<void> {
  const volumes = openDayVolumes(format.provider);
  // One after the other: a line may be told of by one in the chunk before.
  for (const ids of inChunks(lineIds)) {
    await inTurn(db, format.provider, (trx) => matchSome(trx, db, format, ids, volumes));
  }
}

/** As matchLines, of lines that are few enough for one question, in the transaction of somebody who has the turn. */
export async function matchSome(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  ids: readonly string[],
  volumes = openDayVolumes(format.provider),
): Promise<void> {
  const lines = await withoutWithdrawn(trx('statement_lines').whereIn('line_id', ids).orderBy('line_id'));
  const first = await judgeEach(trx, format, lines, volumes);
  const named = await nameByLines(trx, format, first.flatMap(nobodys));
  // Others may be about the same: what went back of it names what it was.
  const judged = named.size > 0 ? await judgeEach(trx, format, lines, volumes) : first;
  await keepJudged(trx, judged);
  await keepOrphans(trx, db, format, judged);
  await bookFees(trx, db, format, judged);
}

async function judgeEach(
  trx: Transaction,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
  volumes: DayVolumes,
): Promise<Judged[]> {
  const evidence = await findEvidence(trx, format, lines, volumes);
  return lines.map((line) => {
    const judgement = judge(line, evidence.of(line));
    evidence.heard(line, judgement);
    return { line, ...judgement };
  });
}

/** It names no payment, and no person has said whose it is. */
const nobodys = ({ line, outcome, paymentId, isDecided }: Judged): StatementLineRow[] =>
  outcome === 'theirs_only' && paymentId === null && !isDecided ? [line] : [];

async function keepJudged(trx: Transaction, judged: readonly Judged[]): Promise<void> {
  const subjects = judged.map(({ line }) => `line:${line.line_id}`);
  const known = await trx('reconciliation_results').whereIn('subject', subjects).forUpdate();
  const before = new Map(known.map((result) => [result.subject, result]));
  const rows = judged.map(resultOf).filter((row) => !isSame(before.get(row.subject), row));
  if (rows.length > 0) await trx('reconciliation_results').insert(rows).onConflict('subject').merge();
}

function resultOf({
  line,
  outcome,
  paymentId,
  oursMinor,
  note,
  feeMinor,
  rule,
}: Judged): ReconciliationResultRow {
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
    fee_booked_minor: String(feeMinor),
    note,
    decided_at: new Date(),
    rule,
  };
}

function isSame(before: ReconciliationResultRow | undefined, now: ReconciliationResultRow): boolean {
  return (
    before?.outcome === now.outcome &&
    before.payment_id === now.payment_id &&
    before.ours_minor === now.ours_minor &&
    before.fee_booked_minor === now.fee_booked_minor &&
    before.note === now.note &&
    before.rule === now.rule
  );
}

/**
 * Money without an owner is offered once, by the line's identity, and is in suspense for as long as it is. What has found
 * its payment by itself is offered no more.
 */
async function keepOrphans(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  judged: readonly Judged[],
): Promise<void> {
  const owned = new Map(
    judged
      .filter(({ outcome }) => outcome === 'fee' || matchedOutcomes.includes(outcome))
      .map((each) => [each.line.line_id, each]),
  );
  const ownerless = judged.filter(({ outcome }) => outcome === 'theirs_only').map(({ line }) => line);
  if (ownerless.length > 0) {
    await trx('orphans')
      .insert(
        ownerless.map((line) => ({
          provider: line.provider,
          provider_reference: line.provider_reference,
          kind: line.kind,
          line_id: line.line_id,
          currency: line.currency,
          amount_minor: line.amount_minor,
          occurred_at: line.occurred_at,
          state: 'open' as const,
          found_at: new Date(),
          bookings: 0,
        })),
      )
      .onConflict(['provider', 'provider_reference', 'kind'])
      .ignore();
    await takeUpWithdrawn(trx, ownerless);
  }
  const orphans = await trx('orphans')
    .whereIn(
      'line_id',
      judged.map(({ line }) => line.line_id),
    )
    .forUpdate();
  const toBook = orphans.flatMap((orphan) => {
    const line = ownerless.find(({ line_id: id }) => id === orphan.line_id);
    return line && cameIn(line) !== 0n && isToBook(orphan, line)
      ? { ...orphan, amount_minor: line.amount_minor }
      : [];
  });
  const misread = orphans.filter(
    ({ state, orphan_id: id }) => state === 'open' && toBook.some((each) => each.orphan_id === id),
  );
  await leaveSuspense(trx, misread, 'explained');
  await putIntoSuspense(trx, db, format, toBook);
  const explained = orphans.filter(({ line_id: id, state }) => state === 'open' && owned.has(id));
  await leaveSuspense(trx, explained, 'explained');
  for (const orphan of explained) {
    await trx('orphans')
      .where({ orphan_id: orphan.orphan_id })
      .update({
        state: 'explained',
        payment_id: owned.get(orphan.line_id)?.paymentId ?? null,
        closed_at: new Date(),
      });
  }
  for (const { line, gaveBack } of judged) {
    if (gaveBack === undefined) continue;
    await trx('orphans')
      .where({ orphan_id: gaveBack })
      .whereNull('returned_line_id')
      .update({ returned_line_id: line.line_id });
  }
}

/** New, of before orphans were booked, explained by what is true no more, or booked as its line was misread before. */
function isToBook(orphan: OrphanRow, line: StatementLineRow): boolean {
  if (orphan.state === 'explained' || orphan.state === 'withdrawn') return true;
  return orphan.state === 'open' && (orphan.entry_id === null || orphan.amount_minor !== line.amount_minor);
}

/** What was known from a statement that was withdrawn is known from this line now. */
async function takeUpWithdrawn(trx: Transaction, ownerless: readonly StatementLineRow[]): Promise<void> {
  for (const line of ownerless)
    await trx('orphans')
      .where({ provider: line.provider, provider_reference: line.provider_reference, kind: line.kind })
      .where({ state: 'withdrawn' })
      .update({
        line_id: line.line_id,
        currency: line.currency,
        amount_minor: line.amount_minor,
        occurred_at: line.occurred_at,
      });
}
