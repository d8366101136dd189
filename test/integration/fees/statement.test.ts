import { randomUUID } from 'node:crypto';
import { utcDay } from '../../../src/ledger/utc-days';
import { beginningOf, openStatement, pageOf } from '../../../src/statements/statement';
import { playHistory } from '../statements/ledger-history';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it('a fee is its own line in the merchant’s statement, next to its payment', async () => {
  const { merchantId, transfers: transitions } = await playHistory(test.db, randomUUID());
  const from = utcDay(new Date());
  await transitions.collectForFee(700n);
  await transitions.fund(500n);
  await transitions.payOutForFee(70n);
  await transitions.giveUpForFee(70n);
  const asked = { merchantId, currency: 'KES' as const, from, to: utcDay(new Date()), zone: 'UTC' };
  const statement = await openStatement(test.db, asked);
  const { movements } = await pageOf(test.db, statement, beginningOf(statement), 1_000);
  const on = (name: string) =>
    movements
      .filter(({ account }) => account === name)
      .map(({ type, amountMinor }) => `${type} ${String(amountMinor)}`);
  expect(on('wallet')).toEqual(['credit 700', 'fee -101', 'transfer -500']);
  expect(on('float:momo:KEN')).toEqual([
    ...['transfer 500', 'hold -70', 'fee -11'],
    ...['hold -70', 'fee -11', 'release 70', 'fee_released 11'],
  ]);
});
