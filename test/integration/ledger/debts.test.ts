/** Reversals by a provider from an account that no longer has the money: how a debt begins and ends. */
import { openAccount, type Account } from '../../../src/ledger/accounts';
import { postTogether } from '../../../src/ledger/post-entry';
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { bank, fundedWallet, heldIn, linesOf, newWallet, post } from './books';

describe('an entry for a reversal by a provider', () => {
  let database: TestDatabase;
  let db: Database;
  let bankAccount: Account;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { patienceMs: testPatienceMs });
    bankAccount = await openAccount(db, bank);
  });
  afterAll(async () => {
    await expectClean({ db: database.db, hasMadeUp: true });
    await db.destroy();
    await database.drop();
  });

  const refused = { code: 'BALANCE_INSUFFICIENT' };
  const takenBack = (account: Account, amountMinor: bigint) => [
    { account, amountMinor: -amountMinor, mayOverdraw: true },
    { account: bankAccount, amountMinor },
  ];

  it('puts an account without the money into debt, and later credits pay it off', async () => {
    const { key, account } = await fundedWallet(db, 300n);
    await post(db, 'reversed:1', takenBack(account, 1_000n), 'reversed:1');
    expect(await heldIn(db, key)).toBe(-700n);
    await post(db, 'paid off in part', linesOf(bankAccount, account, 200n));
    expect(await heldIn(db, key)).toBe(-500n);
    await post(db, 'paid off', linesOf(bankAccount, account, 600n));
    expect(await heldIn(db, key)).toBe(100n);
  });

  it('is partly paid off by a transfer from another wallet', async () => {
    const [{ key, account }, { key: payerKey, account: payer }] = [
      await fundedWallet(db, 1n),
      await fundedWallet(db, 50n),
    ];
    await post(db, 'reversed:3', takenBack(account, 101n), 'reversed:3');
    await post(db, 'of another', linesOf(payer, account, 50n));
    expect([await heldIn(db, key), await heldIn(db, payerKey)]).toEqual([-50n, 0n]);
  });

  it('leaves the debt unchanged when a fee takes all of a credit', async () => {
    const { key, account } = await fundedWallet(db, 1n);
    await post(db, 'reversed:4', takenBack(account, 101n), 'reversed:4');
    const entry = (type: string, leg: string, lines: ReturnType<typeof linesOf>) => ({
      ...{ source: { type, id: 'all of it', leg }, lines },
    });
    const credit = entry('payment', 'succeeded', linesOf(bankAccount, account, 5n));
    const fee = entry('fee', 'charge', linesOf(account, bankAccount, 5n));
    let held: bigint | undefined;
    const undone = new Error('it would be a fee of no payment');
    const work = inTransaction(db, async (trx) => {
      await postTogether(trx, [credit, fee], 'BALANCE_INSUFFICIENT');
      held = await heldIn(trx, key);
      throw undone;
    });
    await expect(work).rejects.toBe(undone);
    expect(held).toBe(-100n);
  });

  it('does not let the merchant spend the owed amount, nor go below zero later', async () => {
    const { key, account } = await fundedWallet(db, 300n);
    await post(db, 'reversed:2', takenBack(account, 400n), 'reversed:2');
    await expect(post(db, 'in debt', linesOf(account, bankAccount, 1n))).rejects.toMatchObject(refused);
    await post(db, 'out of debt', linesOf(bankAccount, account, 150n));
    await expect(post(db, 'above it', linesOf(account, bankAccount, 51n))).rejects.toMatchObject(refused);
    await expect(post(db, 'all of it', linesOf(account, bankAccount, 50n))).resolves.toBe('posted');
    expect(await heldIn(db, key)).toBe(0n);
  });

  it('with several lines of one account changes it by their sum; a line that may overdraw is enough', async () => {
    const back = (account: Account, owed: boolean[]) => [
      ...owed.map((mayOverdraw) => ({ account, amountMinor: -5n, mayOverdraw })),
      { account: bankAccount, amountMinor: 10n },
    ];
    for (const owed of [
      [true, false],
      [false, true],
    ]) {
      const [key, empty] = [newWallet(), await openAccount(db, newWallet())];
      const leg = `reversed:${String(owed)}`;
      await expect(post(db, leg, back(await openAccount(db, key), owed), leg)).resolves.toBe('posted');
      expect(await heldIn(db, key)).toBe(-10n);
      await expect(post(db, `not ${leg}`, back(empty, [false, false]))).rejects.toMatchObject(refused);
    }
  });
});
