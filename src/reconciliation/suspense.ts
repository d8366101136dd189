/**
 * The money that a provider's statement tells of and no payment of ours explains: what came in is in suspense until it has
 * an owner, and what went out without us stands against it there.
 */
import { openAccount, type Account } from '../ledger/accounts';
import { postEntries, type Entry, type Line } from '../ledger/post-entry';
import type { Database, Transaction } from '../store/database';
import type { LedgerAccountRow, LedgerPostingRow, OrphanRow } from '../store/tables';
import { cameIn, clearingRailOf, type StatementFormat } from './statement';

const sourceOf = ({ orphan_id: id }: OrphanRow, word: string, n: number) => ({
  type: 'orphan',
  id,
  leg: `${word}:${String(n)}`,
});

/** Books open orphans, each against what its provider holds of ours. The caller holds their locks. */
export async function putIntoSuspense(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  orphans: readonly OrphanRow[],
): Promise<void> {
  if (orphans.length === 0) return;
  const entries: Entry[] = [];
  for (const orphan of orphans) {
    const { provider, currency } = orphan;
    const amountMinor = cameIn(orphan);
    entries.push({
      source: sourceOf(orphan, 'found', (orphan.bookings ?? 0) + 1),
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
  for (const orphan of orphans) {
    const entry = posted.find(({ source_id: id }) => id === orphan.orphan_id);
    await trx('orphans')
      .where({ orphan_id: orphan.orphan_id })
      .update({
        state: 'open',
        closed_at: null,
        payment_id: null,
        entry_id: entry?.entry_id ?? null,
        bookings: (orphan.bookings ?? 0) + 1,
        amount_minor: orphan.amount_minor,
      });
  }
}

type Posting = Pick<LedgerPostingRow, 'entry_id' | 'amount'> &
  Pick<LedgerAccountRow, 'account_id' | 'class' | 'currency'>;

/**
 * Takes booked orphans out of suspense: back to what the provider holds of ours, or to the account of whom it belongs to.
 * @throws PaymentError `BALANCE_INSUFFICIENT` where that has to pay for what went out, and cannot.
 */
export async function leaveSuspense(
  trx: Transaction,
  orphans: readonly OrphanRow[],
  word: 'explained' | 'claimed' | 'returned',
  to?: Account,
): Promise<void> {
  const booked = orphans.filter(({ entry_id: id }) => id !== null);
  if (booked.length === 0) return;
  const postings = await trx('ledger_postings as p')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .whereIn(
      'p.entry_id',
      booked.map(({ entry_id: id }) => id ?? ''),
    )
    .select<Posting[]>('p.entry_id', 'p.amount', 'a.account_id', 'a.class', 'a.currency');
  const entries = booked.map((orphan): Entry => {
    const own = postings.filter(({ entry_id: id }) => id === orphan.entry_id);
    const lines = own.map(({ account_id: accountId, class: of, currency, amount }): Line => ({
      account: of === 'clearing' && to ? to : { accountId, class: of as Account['class'], currency },
      amountMinor: -BigInt(amount),
    }));
    return {
      source: sourceOf(orphan, word, orphan.bookings ?? 0),
      ...(orphan.reason === null ? {} : { reason: orphan.reason }),
      lines,
    };
  });
  await postEntries(trx, entries, 'BALANCE_INSUFFICIENT');
}
