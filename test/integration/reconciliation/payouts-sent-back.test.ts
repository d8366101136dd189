/** PayPal sent a payout and got it back. Our books say that it failed, so no money may remain in suspense. */
import { randomUUID } from 'node:crypto';
import { paypalStatement } from '../../../src/rails/walletpay/providers/paypal/statement';
import { reconcile } from '../../../src/reconciliation/reconcile';
import type { StatementFormat } from '../../../src/reconciliation/statement';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { period } from '../../support/reconciliation/statement-support';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(async () => {
  await expectClean({ db: test.db });
});
afterAll(() => test.drop());

/** The lines of a payout of 15.00 and of its return. */
function statementOf(out = randomUUID(), back = randomUUID()) {
  const transaction = (id: string, code: string, value: string, more: object = {}) => ({
    transaction_info: {
      transaction_id: id,
      transaction_event_code: code,
      transaction_status: 'S',
      transaction_initiation_date: new Date().toISOString(),
      transaction_amount: { currency_code: 'USD', value },
      ...more,
    },
  });
  const transaction_details = [
    transaction(out, 'T0001', '-15.00'),
    transaction(back, 'T1115', '15.00', { paypal_reference_id: out }),
  ];
  return { name: 'paypal.json', content: Buffer.from(JSON.stringify({ transaction_details })) };
}

/** A parser that reads a returned payout as outgoing money. */
const misreading: StatementFormat = {
  ...paypalStatement,
  *read(file, options) {
    const lines = yield* paypalStatement.read(file, options);
    return lines.map((line) => (line.kind === 'refund' ? { ...line, amountMinor: -line.amountMinor } : line));
  },
};

const check = (format = paypalStatement, file?: ReturnType<typeof statementOf>) =>
  reconcile(test.db, format, period(), file);
/** Corrects the misread lines, as a migration would. */
async function correctLines(): Promise<void> {
  const misread = "l.provider = 'paypal' AND l.kind = 'refund'";
  await test.db.raw(
    `UPDATE reconciliation_results r JOIN statement_lines l ON l.line_id = r.line_id
     SET r.amount_minor = -r.amount_minor WHERE ${misread} AND r.amount_minor > 0`,
  );
  await test.db.raw(
    `UPDATE statement_lines l SET l.amount_minor = -l.amount_minor WHERE ${misread} AND l.amount_minor > 0`,
  );
}
const linesBack = () => test.db('statement_lines').where({ kind: 'refund' }).pluck('amount_minor');
const inSuspense = async () => {
  const [row] = await test
    .db('ledger_postings as p')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .where({ 'a.class': 'suspense', 'a.rail': 'paypal' })
    .sum<{ sum: string | null }[]>({ sum: 'p.amount' });
  return Number(row?.sum);
};

it('leaves nothing in suspense', async () => {
  await check(paypalStatement, statementOf());
  expect(await inSuspense()).toBe(0);
  expect(await test.db('unmatched_receipts').where({ state: 'open' }).pluck('amount_minor')).toEqual([
    '1500',
    '-1500',
  ]);
});

it('books a receipt again when its line was corrected after a wrong reading', async () => {
  const file = statementOf();
  await check(misreading, file);
  expect(await inSuspense()).toBe(-3_000);
  await correctLines();
  await correctLines();
  expect(await linesBack()).toEqual(['-1500', '-1500']);
  // Until the next comparison, the booking is what the receipt says.
  await expectClean({ db: test.db });
  await check();
  await check(paypalStatement, file);
  expect(await inSuspense()).toBe(0);
  const receipts = test.db('unmatched_receipts').orderBy('receipt_id');
  expect(await receipts.clone().pluck('amount_minor')).toEqual([...['1500', '-1500'], ...['1500', '-1500']]);
  expect(await receipts.clone().pluck('bookings')).toEqual([1, 1, 1, 2]);
});
