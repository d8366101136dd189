import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import type { ReconciliationResultRow, StatementLineRow, UnmatchedReceiptRow } from '../store/tables';
import { openDayVolumes, type DayVolumes } from './day-volumes';
import { findEvidence } from './find-evidence';
import { judge, type Judgement } from './judge';
import { matchedOutcomes, withoutWithdrawn } from './outcomes';
import { bookFees } from './provider-fees';
import { isIncoming, type StatementFormat } from './statement';
import { leaveSuspense, putIntoSuspense } from './suspense';
import { withProviderLock } from './provider-lock';
import { nameByLines } from './without-receipt';

/** A line with its result. */
export interface Judged extends Judgement {
  line: StatementLineRow;
}

/**
 * Compares the lines with our books, in their order, stores the results and books what they need. Repeating it changes only
 * what has changed in our books.
 */
export async function matchLines(
  db: Database,
  format: StatementFormat,
  lineIds: readonly string[],
): Promise<void> {
  const volumes = openDayVolumes(format.provider);
  // One chunk after the other, because a line may be compared with one of an earlier chunk.
  for (const ids of inChunks(lineIds)) {
    await withProviderLock(db, format.provider, (trx) => matchSome(trx, db, format, ids, volumes));
  }
}

/** Like matchLines, for few lines, in the caller's transaction, which holds the lock of the provider. */
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
  // A new match can change the results of other lines, such as refunds of the same payment.
  const judged = named.size > 0 ? await judgeEach(trx, format, lines, volumes) : first;
  await keepJudged(trx, judged);
  await storeUnmatched(trx, db, format, judged);
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

/** Lines without a payment and without an operator's decision. */
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
 * Stores each unmatched receipt once, by the line's identity, and books it in suspense. A receipt whose payment is found later
 * becomes `explained`, and its booking is reversed.
 */
async function storeUnmatched(
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
    await trx('unmatched_receipts')
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
  const unmatchedReceipts = await trx('unmatched_receipts')
    .whereIn(
      'line_id',
      judged.map(({ line }) => line.line_id),
    )
    .forUpdate();
  const toBook = unmatchedReceipts.flatMap((unmatched) => {
    const line = ownerless.find(({ line_id: id }) => id === unmatched.line_id);
    return line && isIncoming(line) !== 0n && isToBook(unmatched, line)
      ? { ...unmatched, amount_minor: line.amount_minor }
      : [];
  });
  const misread = unmatchedReceipts.filter(
    ({ state, receipt_id: id }) => state === 'open' && toBook.some((each) => each.receipt_id === id),
  );
  await leaveSuspense(trx, misread, 'explained');
  await putIntoSuspense(trx, db, format, toBook);
  const explained = unmatchedReceipts.filter(({ line_id: id, state }) => state === 'open' && owned.has(id));
  await leaveSuspense(trx, explained, 'explained');
  for (const unmatched of explained) {
    await trx('unmatched_receipts')
      .where({ receipt_id: unmatched.receipt_id })
      .update({
        state: 'explained',
        payment_id: owned.get(unmatched.line_id)?.paymentId ?? null,
        closed_at: new Date(),
      });
  }
  for (const { line, gaveBack } of judged) {
    if (gaveBack === undefined) continue;
    await trx('unmatched_receipts')
      .where({ receipt_id: gaveBack })
      .whereNull('returned_line_id')
      .update({ returned_line_id: line.line_id });
  }
}

/** Whether the receipt must be booked: new, from before receipts were booked, no longer explained, or with a new amount. */
function isToBook(unmatched: UnmatchedReceiptRow, line: StatementLineRow): boolean {
  if (unmatched.state === 'explained' || unmatched.state === 'withdrawn') return true;
  return (
    unmatched.state === 'open' &&
    (unmatched.entry_id === null || unmatched.amount_minor !== line.amount_minor)
  );
}

/** A receipt of a withdrawn statement that this line has again gets the data of this line. */
async function takeUpWithdrawn(trx: Transaction, ownerless: readonly StatementLineRow[]): Promise<void> {
  for (const line of ownerless)
    await trx('unmatched_receipts')
      .where({ provider: line.provider, provider_reference: line.provider_reference, kind: line.kind })
      .where({ state: 'withdrawn' })
      .update({
        line_id: line.line_id,
        currency: line.currency,
        amount_minor: line.amount_minor,
        occurred_at: line.occurred_at,
      });
}
