/**
 * Takes back a statement that was brought by mistake: nothing of it is deleted, what was booked for it is booked back, and
 * its lines count no more. What a person has decided about the money of a line stands, and so does that line.
 */
import type { Database, Transaction } from '../store/database';
import { inChunks } from '../store/in-chunks';
import { nextChange } from '../store/transaction';
import type { ProviderStatementRow, StatementLineRow } from '../store/tables';
import { matchSome } from './match-lines';
import { withdrawn } from './outcomes';
import { bookFees } from './provider-fees';
import { compare } from './reconcile';
import type { StatementFormat } from './statement';
import { leaveSuspense } from './suspense';
import { inTurn } from './turn';
import { nameColumnOf, namedFrom } from './without-receipt';

export interface Withdrawal {
  by: string;
  approvedBy: string | undefined;
  reason: string;
}

export interface Withdrawn {
  statement: ProviderStatementRow;
  /** Lines that count no more, and lines that stay because a person has decided about their money. */
  lines: number;
  stay: number;
}

/**
 * @param record runs as the last of the transaction.
 * @returns undefined where no such statement stands.
 */
export async function withdrawStatement(
  db: Database,
  format: StatementFormat,
  statementId: string,
  { by, approvedBy, reason }: Withdrawal,
  record: (trx: Transaction, done: Withdrawn) => Promise<void>,
): Promise<Withdrawn | undefined> {
  const done = await inTurn(db, format.provider, async (trx) => {
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
    // Lines that were held against these are judged anew.
    for (const some of inChunks(all)) {
      const alike = await trx('statement_lines')
        .where({ provider: format.provider })
        .whereIn('provider_reference', [...new Set(some.map(({ provider_reference: id }) => id))])
        .whereNot({ statement_id: statementId })
        .orderBy('line_id')
        .pluck<string[]>('line_id');
      for (const ids of inChunks(alike)) await matchSome(trx, db, format, ids);
    }
    // What no statement of that time has, was said because of this one, too: it is said again where another covers it.
    await trx('reconciliation_results')
      .where({ provider: format.provider, outcome: 'ours_only' })
      .where('occurred_at', '>=', statement.covers_from)
      .where('occurred_at', '<', statement.covers_to)
      .delete();
    const told = { statement, lines, stay: all.length - lines };
    await record(trx, told);
    return told;
  });
  if (done) await compare(db, format, { from: done.statement.covers_from, to: done.statement.covers_to });
  return done;
}

/** @returns how many of them count no more. */
async function withdrawLines(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  lines: readonly StatementLineRow[],
): Promise<number> {
  const ids = lines.map(({ line_id: id }) => id);
  const orphans = await trx('orphans').whereIn('line_id', ids).forUpdate();
  const decided = new Set(
    orphans.flatMap(({ state, line_id: id }) => (state === 'claimed' || state === 'returned' ? id : [])),
  );
  const leaving = lines.filter(({ line_id: id }) => !decided.has(id));
  const gone = leaving.map(({ line_id: id }) => id);
  if (gone.length === 0) return 0;
  await forgetNames(trx, format, leaving);
  await leaveSuspense(
    trx,
    orphans.filter(({ state }) => state === 'open'),
    'explained',
  );
  await trx('orphans')
    .whereIn('line_id', gone)
    .whereIn('state', ['open', 'explained'])
    .update({ state: 'withdrawn', closed_at: new Date() });
  await trx('orphans').whereIn('returned_line_id', gone).update({ returned_line_id: null });
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

/** The receipts that payments had from these lines by themselves. What a person said stays. */
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
