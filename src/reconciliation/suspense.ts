/**
 * Books unmatched receipts of statements in suspense, until an operator assigns them: incoming money as a credit, outgoing
 * money as a debit.
 */
import { openAccount, type Account } from '../ledger/accounts';
import { postEntries, type Entry, type Line } from '../ledger/post-entry';
import type { Database, Transaction } from '../store/database';
import type { LedgerAccountRow, LedgerPostingRow, UnmatchedReceiptRow } from '../store/tables';
import { isIncoming, clearingRailOf, type StatementFormat } from './statement';

const sourceOf = ({ receipt_id: id }: UnmatchedReceiptRow, word: string, n: number) => ({
  type: 'unmatched',
  id,
  leg: `${word}:${String(n)}`,
});

/** Books open receipts against the provider's clearing account. The caller has locked the rows. */
export async function putIntoSuspense(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  unmatchedReceipts: readonly UnmatchedReceiptRow[],
): Promise<void> {
  if (unmatchedReceipts.length === 0) return;
  const entries: Entry[] = [];
  for (const unmatched of unmatchedReceipts) {
    const { provider, currency } = unmatched;
    const amountMinor = isIncoming(unmatched);
    entries.push({
      source: sourceOf(unmatched, 'found', (unmatched.bookings ?? 0) + 1),
      lines: [
        {
          account: await openAccount(db, { class: 'clearing', rail: clearingRailOf(format), currency }),
          amountMinor: -amountMinor,
        },
        { account: await openAccount(db, { class: 'suspense', provider, currency }), amountMinor },
      ],
    });
  }
  await postEntries(trx, entries);
  const posted = await trx('ledger_entries')
    .whereIn(
      ['source_type', 'source_id', 'leg'],
      entries.map(({ source }) => [source.type, source.id, source.leg]),
    )
    .select('entry_id', 'source_id');
  for (const unmatched of unmatchedReceipts) {
    const entry = posted.find(({ source_id: id }) => id === unmatched.receipt_id);
    await trx('unmatched_receipts')
      .where({ receipt_id: unmatched.receipt_id })
      .update({
        state: 'open',
        closed_at: null,
        payment_id: null,
        entry_id: entry?.entry_id ?? null,
        bookings: (unmatched.bookings ?? 0) + 1,
        amount_minor: unmatched.amount_minor,
      });
  }
}

type Posting = Pick<LedgerPostingRow, 'entry_id' | 'amount'> &
  Pick<LedgerAccountRow, 'account_id' | 'class' | 'currency'>;

/**
 * Takes booked receipts out of suspense: back to the provider's clearing account, or to the owner's account.
 * @throws PaymentError `BALANCE_INSUFFICIENT` if the owner's account cannot pay for outgoing money.
 */
export async function leaveSuspense(
  trx: Transaction,
  unmatchedReceipts: readonly UnmatchedReceiptRow[],
  word: 'explained' | 'assigned' | 'returned',
  to?: Account,
): Promise<void> {
  const booked = unmatchedReceipts.filter(({ entry_id: id }) => id !== null);
  if (booked.length === 0) return;
  const postings = await trx('ledger_postings as p')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .whereIn(
      'p.entry_id',
      booked.map(({ entry_id: id }) => id ?? ''),
    )
    .select<Posting[]>('p.entry_id', 'p.amount', 'a.account_id', 'a.class', 'a.currency');
  const entries = booked.map((unmatched): Entry => {
    const own = postings.filter(({ entry_id: id }) => id === unmatched.entry_id);
    const lines = own.map(({ account_id: accountId, class: of, currency, amount }): Line => ({
      account: of === 'clearing' && to ? to : { accountId, class: of as Account['class'], currency },
      amountMinor: -BigInt(amount),
    }));
    return {
      source: sourceOf(unmatched, word, unmatched.bookings ?? 0),
      ...(unmatched.reason === null ? {} : { reason: unmatched.reason }),
      lines,
    };
  });
  await postEntries(trx, entries, 'BALANCE_INSUFFICIENT');
}
