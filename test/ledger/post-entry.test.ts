import { openAccount, type Account } from '../../src/ledger/accounts';
import { postEntry } from '../../src/ledger/post-entry';
import { openDatabase, type Database } from '../../src/store/database';
import { rowsRead } from '../store/rows-read';
import { expectClean } from '../support/expect-clean';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../support/services';
import { bank, fundedWallet, heldIn, move, newWallet, post } from './books';

describe('an entry of the ledger', () => {
  let database: TestDatabase;
  let db: Database;
  let bankAccount: Account;
  beforeAll(async () => {
    database = await createTestDatabase();
    // As many connections as a busy process has, so that transactions really meet.
    db = openDatabase(database.url, { poolMax: 20, patienceMs: testPatienceMs });
    bankAccount = await openAccount(db, bank);
  });
  afterAll(async () => {
    await expectClean({ db: database.db });
    await db.destroy();
    await database.drop();
  });

  const entriesOf = (sourceId: string) => db('ledger_entries').where({ source_id: sourceId });
  const refused = { code: 'BALANCE_INSUFFICIENT' };

  it('moves money between accounts', async () => {
    const { key, account } = await fundedWallet(db, 1_000n);
    await expect(post(db, 'plain', move(account, bankAccount, 400n))).resolves.toBe('posted');
    expect(await heldIn(db, key)).toBe(600n);
  });

  describe('is refused unless it balances', () => {
    let wallet: Account;
    let dollars: Account;
    beforeAll(async () => {
      wallet = (await fundedWallet(db, 1_000n)).account;
      dollars = await openAccount(db, { class: 'bank', currency: 'USD' });
    });

    it.each([
      [
        'with a shilling too many',
        () => [...move(wallet, bankAccount, 100n), { account: bankAccount, amountMinor: 1n }],
      ],
      ['with one line', () => [{ account: wallet, amountMinor: 100n }]],
      ['with no line', () => []],
      ['with an account that gives to itself', () => move(wallet, wallet, 100n)],
      ['with two currencies that only balance together', () => move(wallet, dollars, 100n)],
      [
        'with a line of nothing',
        () => [...move(wallet, bankAccount, 100n), { account: bankAccount, amountMinor: 0n }],
      ],
    ])('%s', async (how, lines) => {
      await expect(post(db, `unbalanced ${how}`, lines())).rejects.toThrow(/does not balance|zero line/);
      expect(await entriesOf(`unbalanced ${how}`)).toEqual([]);
    });
  });

  it('is booked exactly once, though 50 book the same source at once', async () => {
    const { key, account } = await fundedWallet(db, 1_000n);
    const results = await Promise.all(
      Array.from({ length: 50 }, () => post(db, 'once', move(account, bankAccount, 700n))),
    );
    expect(results.filter((result) => result === 'posted')).toHaveLength(1);
    expect(await heldIn(db, key)).toBe(300n);
    expect(await entriesOf('once')).toHaveLength(1);
  });

  it('never overdraws: of 100 withdrawals at once exactly the covered ones succeed', async () => {
    const { key, account } = await fundedWallet(db, 1_000n);
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        post(db, `withdrawal ${String(n)}`, move(account, bankAccount, 30n)),
      ),
    );
    const short = results.filter((result) => result.status === 'rejected');
    expect(results).toHaveLength(33 + short.length);
    for (const { reason } of short) expect(reason).toMatchObject(refused);
    expect(await heldIn(db, key)).toBe(10n);
  });

  it('never overdraws an account while it is being filled', async () => {
    const { key, account } = await fundedWallet(db, 50n);
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) =>
        n % 2 === 0
          ? post(db, `in ${String(n)}`, move(bankAccount, account, 10n))
          : post(db, `out ${String(n)}`, move(account, bankAccount, 20n)),
      ),
    );
    const out = results.filter((result, n) => n % 2 === 1 && result.status === 'fulfilled').length;
    expect(await heldIn(db, key)).toBe(50n + 30n * 10n - BigInt(out) * 20n);
  });

  it('does not deadlock for good when money crosses in both directions', async () => {
    const [one, other] = await Promise.all([fundedWallet(db, 10_000n), fundedWallet(db, 10_000n)]);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 2 === 0
          ? post(db, `east ${String(n)}`, move(one.account, other.account, 10n))
          : post(db, `west ${String(n)}`, move(other.account, one.account, 10n)),
      ),
    );
    expect([await heldIn(db, one.key), await heldIn(db, other.key)]).toEqual([10_000n, 10_000n]);
  });

  it('locks the rows of its own accounts, and looks at no others', async () => {
    const wallets = await Promise.all(Array.from({ length: 40 }, () => fundedWallet(db, 100n)));
    const [one, , other] = wallets.map(({ account }) => account);
    if (!one || !other) throw new Error('there are no wallets');
    const lines = move(other, one, 60n);
    const source = { type: 'test', id: 'own rows', leg: 'move' };
    const read = await rowsRead(database.db, (trx) =>
      postEntry(trx, { source, whenShort: 'BALANCE_INSUFFICIENT', lines }),
    );
    expect(read).toBeLessThan(10);
  });

  it('is refused as a whole where one of two accounts is short', async () => {
    const [empty, filled] = [await openAccount(db, newWallet()), await fundedWallet(db, 50n)];
    const short = post(db, 'one short', [
      { account: empty, amountMinor: -10n },
      { account: filled.account, amountMinor: -10n },
      { account: bankAccount, amountMinor: 20n },
    ]);
    await expect(short).rejects.toMatchObject(refused);
    expect(await heldIn(db, filled.key)).toBe(50n);
  });

  it('that is refused leaves nothing behind', async () => {
    const { key, account } = await fundedWallet(db, 10n);
    await expect(post(db, 'too much', move(account, bankAccount, 11n))).rejects.toMatchObject(refused);
    expect(await entriesOf('too much')).toEqual([]);
    expect(await heldIn(db, key)).toBe(10n);
  });

  it('is a fault of ours where nobody said what being short means', async () => {
    const empty = await openAccount(db, newWallet());
    const work = db.transaction((trx) =>
      postEntry(trx, {
        source: { type: 'test', id: 'short', leg: 'move' },
        lines: move(empty, bankAccount, 1n),
      }),
    );
    await expect(work).rejects.toThrow('would go below zero');
  });

  it('holds every digit of amounts that no float can', async () => {
    const large = 9_007_199_254_740_993n;
    const { key, account } = await fundedWallet(db, large);
    expect(await heldIn(db, key)).toBe(large);
    await post(db, 'large', move(account, bankAccount, large - 1n));
    expect(await heldIn(db, key)).toBe(1n);
  });

  describe('that a provider takes back', () => {
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

    it('lets nobody spend what is owed, nor below zero afterwards', async () => {
      const { key, account } = await fundedWallet(db, 300n);
      await post(db, 'given_back:2', takenBack(account, 400n), 'given_back:2');
      await expect(post(db, 'in debt', move(account, bankAccount, 1n))).rejects.toMatchObject(refused);
      await post(db, 'out of debt', move(bankAccount, account, 150n));
      await expect(post(db, 'above it', move(account, bankAccount, 51n))).rejects.toMatchObject(refused);
      await expect(post(db, 'all of it', move(account, bankAccount, 50n))).resolves.toBe('posted');
      expect(await heldIn(db, key)).toBe(0n);
    });
  });
});
