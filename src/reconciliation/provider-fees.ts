import { openAccount } from '../ledger/accounts';
import { postEntries, type Entry } from '../ledger/post-entry';
import type { Database, Transaction } from '../store/database';
import type { Judged } from './match-lines';
import { clearingRailOf, type StatementFormat } from './statement';

/** Books what the provider kept, as the lines say, against what it holds of ours: once for each line. */
export async function bookFees(
  trx: Transaction,
  db: Database,
  format: StatementFormat,
  judged: readonly Judged[],
): Promise<void> {
  const kept = judged.filter(({ feeMinor }) => feeMinor !== 0n);
  if (kept.length === 0) return;
  const booked = await trx('ledger_entries')
    .whereIn(
      ['source_type', 'source_id', 'leg'],
      kept.map(({ line }) => ['provider_fee', line.line_id, 'fee']),
    )
    .pluck('source_id');
  const entries: Entry[] = [];
  for (const { line, feeMinor, paymentId, rail = clearingRailOf(format) } of kept) {
    if (booked.includes(line.line_id)) continue;
    const { currency } = line;
    const fees = { class: 'provider_fees', provider: format.provider, currency } as const;
    entries.push({
      source: { type: 'provider_fee', id: line.line_id, leg: 'fee' },
      ...(paymentId === null ? {} : { paymentId }),
      lines: [
        { account: await openAccount(db, fees), amountMinor: -feeMinor },
        { account: await openAccount(db, { class: 'clearing', rail, currency }), amountMinor: feeMinor },
      ],
    });
  }
  await postEntries(trx, entries);
}
