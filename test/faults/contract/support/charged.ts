/** On a stage, every payment costs its merchant a fee, and every wallet can pay it. */
import { setFee } from '../../../../src/fees/schedules';
import { transferByHand } from '../../../../tools/sandbox/transfer-by-hand';
import { feeOperations } from '../../../../src/store/ledger-tables';
import type { Database } from '../../../../src/store/database';
import type { PaymentRow } from '../../../../src/store/tables';

const feeMinor = 7n;
/** Of all wallets and floats of the rails. */
const currencies = ['KES', 'UGX', 'TZS', 'ZMW', 'USD'] as const;

export async function chargeEverything(db: Database): Promise<void> {
  for (const currency of currencies) {
    for (const operation of feeOperations) {
      const fee = { operation, currency, fixed: feeMinor.toString(), reason: 'a test' };
      await setFee(db, fee, { by: 'nobody' });
    }
  }
}

/** A refund returns the whole amount, including the fee that its wallet paid. */
export async function fundFees(db: Database, merchantId: string): Promise<void> {
  for (const currency of currencies) {
    await transferByHand(db, {
      ...{ from: { class: 'bank', currency }, to: { class: 'wallet', merchantId, currency } },
      ...{ amountMinor: 1_000n, reason: 'for the fees of a test', whenShort: 'BALANCE_INSUFFICIENT' },
    });
  }
}

/** Charged once if it was paid, not charged otherwise, and refunded if it was returned. */
export async function expectChargedOnce(
  db: Database,
  { payment_id: id, kind, state }: PaymentRow,
): Promise<void> {
  const rows = await db('ledger_postings as l')
    .join('ledger_entries as e', 'e.entry_id', 'l.entry_id')
    .join('ledger_accounts as a', 'a.account_id', 'l.account_id')
    .where({ 'e.payment_id': id, 'a.class': 'fees' })
    .orderBy('l.seq')
    .select<{ amount: string }[]>('l.amount');
  const due = { succeeded: [feeMinor], returned: [feeMinor, -feeMinor] } as Record<string, bigint[]>;
  const charged = kind === 'refund' ? [] : (due[state] ?? []);
  expect(rows.map(({ amount }) => BigInt(amount))).toEqual(charged);
}
