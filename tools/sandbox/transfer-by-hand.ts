/**
 * Money that exists when a test or a tool starts, as an operator would have booked it: with its action and its line in
 * the audit log.
 */
import { v7 as uuid } from 'uuid';
import { formatAmount } from '../../src/domain/money';
import { transfer, type Transfer } from '../../src/ledger/conversions';
import type { Database, Transaction } from '../../src/store/database';
import type { LedgerEntryRow } from '../../src/store/tables';
import { recordAction } from '../../src/users/audit-log';
import { duringAction } from '../../src/users/current-action';

/** @returns the id of the transfer. */
export function transferByHand(db: Database, wanted: Transfer): Promise<string> {
  const actionId = uuid();
  return duringAction(actionId, () =>
    transfer(db, {
      ...wanted,
      async alongside(trx) {
        await writeDown(trx, actionId);
        await wanted.alongside?.(trx);
      },
    }),
  );
}

/** Does in one transaction what only operators do: a transfer, an unmatched receipt, or a payment's final state. */
export function byHand(trx: Transaction, work: () => Promise<unknown>): Promise<void> {
  const actionId = uuid();
  return duringAction(actionId, async () => {
    await work();
    await writeDown(trx, actionId);
  });
}

/** The audit line of the booking: `malipo verify` (A3) compares both. */
async function writeDown(trx: Transaction, actionId: string): Promise<void> {
  const entry = await trx('ledger_entries').where({ action_id: actionId }).first();
  const { action, id, given } = entry ? await reportedOf(trx, entry) : closed;
  const details = { given, action_id: actionId };
  await recordAction(trx, { by: 'nobody', action, subject: { kind: 'action', id }, details });
}

const closed = { action: 'case.resolve', id: '', given: {} };

async function reportedOf(trx: Transaction, entry: LedgerEntryRow): Promise<typeof closed> {
  const { entry_id: entryId, source_type: type, source_id: id, leg } = entry;
  if (type === 'unmatched')
    return { action: leg.startsWith('returned') ? 'unmatched.returned' : 'unmatched.assign', id, given: {} };
  if (type !== 'transfer') return closed;
  const postings = await trx('ledger_postings').where({ entry_id: entryId });
  const [into] = postings.filter(({ amount }) => !amount.startsWith('-'));
  if (!into) return closed;
  const given = { amount: formatAmount(BigInt(into.amount), into.currency), currency: into.currency };
  return { action: 'float.add', id, given };
}
