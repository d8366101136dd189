import { openAccount, type Account } from '../ledger/accounts';
import { postEntries, type Entry } from '../ledger/post-entry';
import type { Database, Transaction } from '../store/database';
import type { StatementLineRow } from '../store/tables';
import type { Judged } from './match-lines';
import { clearingRailOf, type StatementFormat } from './statement';

interface Kept extends Pick<Judged, 'feeMinor' | 'paymentId' | 'rail'> {
  line: Pick<StatementLineRow, 'line_id' | 'currency'>;
}

/**
 * Books the provider's fees against its clearing account, once for each line. If the fee of a line has changed, the earlier
 * booking is reversed.
 */
export async function bookFees(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  judged: readonly Kept[],
): Promise<void> {
  const booked = await bookedFor(trx, judged);
  const entries: Entry[] = [];
  for (const { line, feeMinor, paymentId, rail = clearingRailOf(format) } of judged) {
    const before = booked.get(line.line_id);
    if ((before?.feeMinor ?? 0n) === feeMinor) continue;
    const { currency } = line;
    const n = before?.entries ?? 0;
    if (before && before.feeMinor !== 0n)
      entries.push({
        source: { type: 'provider_fee', id: line.line_id, leg: `back:${String(n + 1)}` },
        lines: before.postings.map(({ account, amountMinor }) => ({ account, amountMinor: -amountMinor })),
      });
    if (feeMinor === 0n) continue;
    const fees = { class: 'provider_fees', provider: format.provider, currency } as const;
    entries.push({
      source: { type: 'provider_fee', id: line.line_id, leg: n === 0 ? 'fee' : `fee:${String(n + 2)}` },
      ...(paymentId === null ? {} : { paymentId }),
      lines: [
        { account: await openAccount(db, fees), amountMinor: -feeMinor },
        { account: await openAccount(db, { class: 'clearing', rail, currency }), amountMinor: feeMinor },
      ],
    });
  }
  if (entries.length > 0) await postEntries(trx, entries);
}

interface Booked {
  /** The booked fee, in minor units. */
  feeMinor: bigint;
  entries: number;
  /** The booked balance of each account. */
  postings: { account: Account; amountMinor: bigint }[];
}

/** The bookings of the lines, by line id. */
async function bookedFor(trx: Transaction, judged: readonly Kept[]): Promise<Map<string, Booked>> {
  const rows = (await trx('ledger_entries as e')
    .join('ledger_postings as p', 'p.entry_id', 'e.entry_id')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .where('e.source_type', 'provider_fee')
    .whereIn(
      'e.source_id',
      judged.map(({ line }) => line.line_id),
    )
    .groupBy('e.source_id', 'a.account_id', 'a.class', 'a.currency')
    .select(
      'e.source_id',
      'a.account_id',
      'a.class',
      'a.currency',
      trx.raw('CAST(SUM(p.amount) AS CHAR) AS minor'),
      trx.raw('COUNT(*) AS entries'),
    )) as unknown as (Pick<Account, 'class' | 'currency'> & {
    source_id: string;
    account_id: string;
    minor: string;
    entries: string;
  })[];
  const booked = new Map<string, Booked>();
  for (const { source_id: id, account_id: accountId, class: of, currency, minor, entries } of rows) {
    const one = booked.get(id) ?? { feeMinor: 0n, entries: 0, postings: [] };
    booked.set(id, one);
    const amountMinor = BigInt(minor);
    if (of === 'provider_fees') {
      one.feeMinor = -amountMinor;
      one.entries = Number(entries);
    }
    if (amountMinor !== 0n) one.postings.push({ account: { accountId, class: of, currency }, amountMinor });
  }
  return booked;
}
