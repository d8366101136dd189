/** A payout that PayPal sent and got back, of which our books say that it failed: no money is left without an owner. */
import { randomUUID } from 'node:crypto';
import { paypalStatement } from '../../../src/rails/walletpay/providers/paypal/statement';
import { reconcile } from '../../../src/reconciliation/reconcile';
import type { StatementFormat } from '../../../src/reconciliation/statement';
import { up } from '../../../src/store/migrations/049-payouts-sent-back';
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

/** What stands in the statement of a payout of 15.00, and of what came back of it. */
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

/** As it was read before: what came back as if it had gone out. */
const misreading: StatementFormat = {
  ...paypalStatement,
  *read(file, options) {
    const lines = yield* paypalStatement.read(file, options);
    return lines.map((line) => (line.kind === 'refund' ? { ...line, amountMinor: -line.amountMinor } : line));
  },
};

const look = (format = paypalStatement, file?: ReturnType<typeof statementOf>) =>
  reconcile(test.db, format, period(), file);
const inSuspense = async () => {
  const [row] = await test
    .db('ledger_postings as p')
    .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
    .where({ 'a.class': 'suspense', 'a.rail': 'paypal' })
    .sum<{ sum: string | null }[]>({ sum: 'p.amount' });
  return Number(row?.sum);
};
const linesBack = () => test.db('statement_lines').where({ kind: 'refund' }).pluck('amount_minor');

it('leaves nothing in suspense', async () => {
  await look(paypalStatement, statementOf());
  expect(await inSuspense()).toBe(0);
  expect(await test.db('orphans').where({ state: 'open' }).pluck('amount_minor')).toEqual(['1500', '-1500']);
});

it('leaves it once more where it was read as if it had gone out', async () => {
  const file = statementOf();
  await look(misreading, file);
  expect(await inSuspense()).toBe(-3_000);
  await up(test.db);
  await up(test.db);
  expect(await linesBack()).toEqual(['-1500', '-1500']);
  // Until it is looked at, what is booked is what its orphan says.
  await expectClean({ db: test.db });
  await look();
  await look(paypalStatement, file);
  expect(await inSuspense()).toBe(0);
  expect(await test.db('orphans').orderBy('orphan_id').pluck('amount_minor')).toEqual([
    ...['1500', '-1500'],
    ...['1500', '-1500'],
  ]);
  expect(await test.db('orphans').orderBy('orphan_id').pluck('bookings')).toEqual([1, 1, 1, 2]);
});
