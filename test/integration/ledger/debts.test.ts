/** What a provider takes back from an account that may hold it no longer: the one way into a debt, and the ways out of it. */
import { openAccount, type Account } from '../../../src/ledger/accounts';
import { postTogether } from '../../../src/ledger/post-entry';
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { bank, fundedWallet, heldIn, move, newWallet, post } from './books';

describe('an entry that a provider takes back', () => {
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

  it('makes a debt of an account that no longer holds it, which what comes in pays off', async () => {
    const { key, account } = await fundedWallet(db, 300n);
    await post(db, 'given_back:1', takenBack(account, 1_000n), 'given_back:1');
    expect(await heldIn(db, key)).toBe(-700n);
    await post(db, 'paid off in part', move(bankAccount, account, 200n));
    expect(await heldIn(db, key)).toBe(-500n);
    await post(db, 'paid off', move(bankAccount, account, 600n));
    expect(await heldIn(db, key)).toBe(100n);
  });

  it('is paid off in part by one who spends what he has', async () => {
    const [{ key, account }, { key: payerKey, account: payer }] = [
      await fundedWallet(db, 1n),
      await fundedWallet(db, 50n),
    ];
    await post(db, 'given_back:3', takenBack(account, 101n), 'given_back:3');
    await post(db, 'of another', move(payer, account, 50n));
    expect([await heldIn(db, key), await heldIn(db, payerKey)]).toEqual([-50n, 0n]);
  });

  it('stands still where a fee takes all of what comes in', async () => {
    const { key, account } = await fundedWallet(db, 1n);
    await post(db, 'given_back:4', takenBack(account, 101n), 'given_back:4');
    const entry = (type: string, leg: string, lines: ReturnType<typeof move>) => ({
      ...{ source: { type, id: 'all of it', leg }, lines },
    });
    const credit = entry('payment', 'succeeded', move(bankAccount, account, 5n));
    const fee = entry('fee', 'charge', move(account, bankAccount, 5n));
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

  it('lets nobody spend what is owed, nor below zero afterwards', async () => {
    const { key, account } = await fundedWallet(db, 300n);
    await post(db, 'given_back:2', takenBack(account, 400n), 'given_back:2');
    await expect(post(db, 'in debt', move(account, bankAccount, 1n))).rejects.toMatchObject(refused);
    await post(db, 'out of debt', move(bankAccount, account, 150n));
    await expect(post(db, 'above it', move(account, bankAccount, 51n))).rejects.toMatchObject(refused);
    await expect(post(db, 'all of it', move(account, bankAccount, 50n))).resolves.toBe('posted');
    expect(await heldIn(db, key)).toBe(0n);
  });

  it('of several lines of one account moves it by their sum; a part that is owed may overdraw it', async () => {
    const back = (account: Account, owed: boolean[]) => [
      ...owed.map((mayOverdraw) => ({ account, amountMinor: -5n, mayOverdraw })),
      { account: bankAccount, amountMinor: 10n },
    ];
    for (const owed of [
      [true, false],
      [false, true],
    ]) {
      const [key, empty] = [newWallet(), await openAccount(db, newWallet())];
      const leg = `given_back:${String(owed)}`;
      await expect(post(db, leg, back(await openAccount(db, key), owed), leg)).resolves.toBe('posted');
      expect(await heldIn(db, key)).toBe(-10n);
      await expect(post(db, `not ${leg}`, back(empty, [false, false]))).rejects.toMatchObject(refused);
    }
  });
});
