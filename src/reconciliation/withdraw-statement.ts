/**
 * Withdraws a statement that was uploaded by mistake. Nothing is deleted: its bookings are reversed, and its lines no longer
 * count. A line stays if an operator has decided about its receipt.
 */
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import { nextChange } from '../store/transaction';
import type { ProviderStatementRow, StatementLineRow } from '../store/tables';
import { matchSome } from './match-lines';
import { withdrawn } from './outcomes';
import { bookFees } from './provider-fees';
import { compare, type Period } from './reconcile';
import type { StatementFormat } from './statement';
import { leaveSuspense } from './suspense';
import { ProviderLocked, withProviderLock } from './provider-lock';
import { nameColumnOf, namedFrom } from './without-receipt';

export interface Withdrawal {
  by: string;
  approvedBy: string | undefined;
  reason: string;
}

export interface Withdrawn {
  statement: ProviderStatementRow;
  /** Lines that no longer count, and lines that stay because an operator has decided about their receipt. */
  lines: number;
  stay: number;
  /**
   * The withdrawal is committed, but another run holds the provider's lock: the statement's days must be compared again, or
   * payments that no other statement contains stay unreported.
   */
  uncompared?: Period;
}

/**
 * @param record runs at the end of the transaction.
 * @returns undefined if there is no such statement, or if it is already withdrawn.
 */
export async function withdrawStatement(
  db: Database,
  format: StatementFormat,
  statementId: string,
  { by, approvedBy, reason }: Withdrawal,
  record: (trx: Transaction, done: Withdrawn) => Promise<void>,
): Promise<Withdrawn | undefined> {
  const done = await withProviderLock(db, format.provider, async (trx) => {
    const statement = await trx('provider_statements')
      .where({ statement_id: statementId, provider: format.provider, withdrawn_no: 0 })
      .forUpdate()
      .first();
    if (!statement) return undefined;
    const before = await trx('provider_statements')
      .where({ provider: format.provider, file_hash: statement.file_hash })
      .where('withdrawn_no', '>', 0);
    await trx('provider_statements')
      .where({ statement_id: statementId })
      .update({
        withdrawn_no: before.length + 1,
        withdrawn_at: new Date(),
        withdrawn_by: by,
        approved_by: approvedBy ?? null,
        withdrawn_reason: reason,
      });
    const all = await trx('statement_lines').where({ statement_id: statementId }).orderBy('line_id');
    let lines = 0;
    for (const some of inChunks(all)) lines += await withdrawLines(trx, db, format, some);
    // Lines that were compared with these lines are compared again.
    for (const some of inChunks(all)) {
      const alike = await trx('statement_lines')
        .where({ provider: format.provider })
        .whereIn('provider_reference', [...new Set(some.map(({ provider_reference: id }) => id))])
        .whereNot({ statement_id: statementId })
        .orderBy('line_id')
        .pluck<string[]>('line_id');
      for (const ids of inChunks(alike)) await matchSome(trx, db, format, ids);
    }
    // The statement also covered payments without a line. `compare` below finds them again if another statement covers them.
    await trx('reconciliation_results')
      .where({ provider: format.provider, outcome: 'ours_only' })
      .where('occurred_at', '>=', statement.covers_from)
      .where('occurred_at', '<', statement.covers_to)
      .delete();
    const reported = { statement, lines, stay: all.length - lines };
    await record(trx, reported);
    return reported;
  });
  if (!done) return undefined;
  const period = { from: done.statement.covers_from, to: done.statement.covers_to };
  try {
    await compare(db, format, period);
  } catch (error) {
    if (!(error instanceof ProviderLocked)) throw error;
    return { ...done, uncompared: period };
  }
  return done;
}

/** @returns how many of the lines no longer count. */
async function withdrawLines(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<number> {
  const ids = lines.map(({ line_id: id }) => id);
  const unmatchedReceipts = await trx('unmatched_receipts').whereIn('line_id', ids).forUpdate();
  const decided = new Set(
    unmatchedReceipts.flatMap(({ state, line_id: id }) =>
      state === 'assigned' || state === 'returned' ? id : [],
    ),
  );
  const leaving = lines.filter(({ line_id: id }) => !decided.has(id));
  const gone = leaving.map(({ line_id: id }) => id);
  if (gone.length === 0) return 0;
  await forgetNames(trx, format, leaving);
  await leaveSuspense(
    trx,
    unmatchedReceipts.filter(({ state }) => state === 'open'),
    'explained',
  );
  await trx('unmatched_receipts')
    .whereIn('line_id', gone)
    .whereIn('state', ['open', 'explained'])
    .update({ state: 'withdrawn', closed_at: new Date() });
  await trx('unmatched_receipts').whereIn('returned_line_id', gone).update({ returned_line_id: null });
  await bookFees(
    trx,
    db,
    format,
    leaving.map((line) => ({ line, feeMinor: 0n, paymentId: null, rail: undefined })),
  );
  await trx('reconciliation_results')
    .insert(
      leaving.map((line) => ({
        subject: `line:${line.line_id}`,
        provider: line.provider,
        outcome: withdrawn,
        kind: line.kind,
        line_id: line.line_id,
        payment_id: null,
        currency: line.currency,
        amount_minor: line.amount_minor,
        ours_minor: null,
        occurred_at: line.occurred_at,
        fee_booked_minor: '0',
        note: 'its statement was withdrawn',
        decided_at: new Date(),
        rule: null,
      })),
    )
    .onConflict('subject')
    .merge();
  return gone.length;
}

/** Removes receipts that payments got from these lines automatically. Receipts from an operator's decision stay. */
async function forgetNames(
  trx: Transaction,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<void> {
  const results = await trx('reconciliation_results')
    .whereIn(
      'line_id',
      lines.map(({ line_id: id }) => id),
    )
    .where({ outcome: 'agreed' })
    .whereNotNull('payment_id');
  for (const { payment_id: id, line_id: lineId } of results) {
    const payment = await trx('payments')
      .where({ payment_id: id ?? '' })
      .first();
    const line = lines.find(({ line_id: own }) => own === lineId);
    if (!payment || !line || !payment.details[namedFrom]?.startsWith('statement')) continue;
    const column = nameColumnOf(format, payment.kind);
    if (payment[column] !== line.provider_reference) continue;
    const { [namedFrom]: _, ...details } = payment.details;
    await trx('payments')
      .where({ payment_id: payment.payment_id })
      .update({ [column]: null, details: JSON.stringify(details) as never, ...nextChange(trx) });
  }
}
