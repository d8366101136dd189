import type { Database, Transaction } from '../store/database';
import type { OrphanRow, StatementLineRow } from '../store/tables';
import type { Judged } from './match-lines';
import { told } from './outcomes';
import { cameIn, type StatementFormat } from './statement';
import { leaveSuspense, putIntoSuspense } from './suspense';

/**
 * Money without an owner is offered once, by the line's identity, and is in suspense for as long as it is. What has found
 * its payment by itself is offered no more.
 */
export async function keepOrphans(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  judged: readonly Judged[],
): Promise<void> {
  const owned = new Map(
    judged
      .filter(({ outcome }) => outcome === 'fee' || told.includes(outcome))
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
