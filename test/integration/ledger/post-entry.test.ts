import { openAccount, type Account } from '../../../src/ledger/accounts';
import { lockBalances, postEntries, postEntry, postTogether } from '../../../src/ledger/post-entry';
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { rowsRead } from '../../support/store/rows-read';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { bank, fundedWallet, heldIn, linesOf, newWallet, post } from './books';

describe('an entry of the ledger', () => {
  let database: TestDatabase;
  let db: Database;
  let bankAccount: Account;
  beforeAll(async () => {
    database = await createTestDatabase();
    // As many connections as a busy process has, so that transactions run concurrently.
    db = openDatabase(database.url, { poolMax: 20, patienceMs: testPatienceMs });
    bankAccount = await openAccount(db, bank);
  });
  afterAll(async () => {
    await expectClean({ db: database.db, hasMadeUp: true });
    await db.destroy();
    await database.drop();
  });

  const entriesOf = (sourceId: string) => db('ledger_entries').where({ source_id: sourceId });
  const refused = { code: 'BALANCE_INSUFFICIENT' };

  it('transfers money between accounts', async () => {
    const { key, account } = await fundedWallet(db, 1_000n);
    await expect(post(db, 'plain', linesOf(account, bankAccount, 400n))).resolves.toBe('posted');
    expect(await heldIn(db, key)).toBe(600n);
  });

  describe('is rejected unless it balances', () => {
    let wallet: Account;
    let dollars: Account;
    beforeAll(async () => {
      wallet = (await fundedWallet(db, 1_000n)).account;
      dollars = await openAccount(db, { class: 'bank', currency: 'USD' });
    });

    it.each([
      [
        'with a shilling too many',
        () => [...linesOf(wallet, bankAccount, 100n), { account: bankAccount, amountMinor: 1n }],
      ],
      ['with one line', () => [{ account: wallet, amountMinor: 100n }]],
      ['with no line', () => []],
      ['with an account on both sides', () => linesOf(wallet, wallet, 100n)],
      ['with two currencies that only balance together', () => linesOf(wallet, dollars, 100n)],
      [
        'with two currencies of which one balances',
        () => [...linesOf(wallet, bankAccount, 100n), { account: dollars, amountMinor: 1n }],
      ],
      [
        'with a line of zero',
        () => [...linesOf(wallet, bankAccount, 100n), { account: bankAccount, amountMinor: 0n }],
      ],
    ])('%s', async (how, lines) => {
      await expect(post(db, `unbalanced ${how}`, lines())).rejects.toThrow(/does not balance|zero line/);
      expect(await entriesOf(`unbalanced ${how}`)).toEqual([]);
    });
  });

  it('is booked exactly once when 50 transactions book the same source at once', async () => {
    const { key, account } = await fundedWallet(db, 1_000n);
    const results = await Promise.all(
      Array.from({ length: 50 }, () => post(db, 'once', linesOf(account, bankAccount, 700n))),
    );
    expect(results.filter((result) => result === 'posted')).toHaveLength(1);
    expect(results.filter((result) => result === 'already_posted')).toHaveLength(49);
    expect(await heldIn(db, key)).toBe(300n);
    expect(await entriesOf('once')).toHaveLength(1);
  });

  it('never overdraws: of 100 withdrawals at once exactly the covered ones succeed', async () => {
    const { key, account } = await fundedWallet(db, 1_000n);
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        post(db, `withdrawal ${String(n)}`, linesOf(account, bankAccount, 30n)),
      ),
    );
    const short = results.filter((result) => result.status === 'rejected');
    expect(results).toHaveLength(33 + short.length);
    for (const { reason } of short) expect(reason).toMatchObject(refused);
    expect(await heldIn(db, key)).toBe(10n);
  });

  it('never overdraws an account during deposits', async () => {
    const { key, account } = await fundedWallet(db, 50n);
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, n) =>
        n % 2 === 0
          ? post(db, `in ${String(n)}`, linesOf(bankAccount, account, 10n))
          : post(db, `out ${String(n)}`, linesOf(account, bankAccount, 20n)),
      ),
    );
    const out = results.filter((result, n) => n % 2 === 1 && result.status === 'fulfilled').length;
    expect(await heldIn(db, key)).toBe(50n + 30n * 10n - BigInt(out) * 20n);
  });

  it('resolves deadlocks between transfers in both directions', async () => {
    const [one, other] = await Promise.all([fundedWallet(db, 10_000n), fundedWallet(db, 10_000n)]);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 2 === 0
          ? post(db, `east ${String(n)}`, linesOf(one.account, other.account, 10n))
          : post(db, `west ${String(n)}`, linesOf(other.account, one.account, 10n)),
      ),
    );
    expect([await heldIn(db, one.key), await heldIn(db, other.key)]).toEqual([10_000n, 10_000n]);
  });

  it('locks only the rows of its own accounts', async () => {
    const wallets = await Promise.all(Array.from({ length: 40 }, () => fundedWallet(db, 100n)));
    const [one, , other] = wallets.map(({ account }) => account);
    if (!one || !other) throw new Error('there are no wallets');
    const lines = linesOf(other, one, 60n);
    const source = { type: 'test', id: 'own rows', leg: 'move' };
    const read = await rowsRead(database.db, (trx) =>
      postEntry(trx, { source, whenShort: 'BALANCE_INSUFFICIENT', lines }),
    );
    expect(read).toBeLessThan(10);
  });

  it('is rejected as a whole when one of two accounts is short', async () => {
    const [empty, filled] = [await openAccount(db, newWallet()), await fundedWallet(db, 50n)];
    const short = post(db, 'one short', [
      { account: empty, amountMinor: -10n },
      { account: filled.account, amountMinor: -10n },
      { account: bankAccount, amountMinor: 20n },
    ]);
    await expect(short).rejects.toMatchObject(refused);
    expect(await heldIn(db, filled.key)).toBe(50n);
  });

  it('reports which accounts are short, and by how much', async () => {
    const [one, other] = [await openAccount(db, newWallet()), await openAccount(db, newWallet())];
    const short = post(db, 'both short', [
      { account: one, amountMinor: -10n },
      { account: other, amountMinor: -20n },
      { account: bankAccount, amountMinor: 30n },
    ]);
    const detail = `an account is short: ${one.accountId} by -10, ${other.accountId} by -20`;
    await expect(short).rejects.toMatchObject({ ...refused, options: { detail } });
  });

  it('that the database rejects for another reason is not reported as posted before', async () => {
    const lines = linesOf(bankAccount, (await fundedWallet(db, 1n)).account, 1n);
    await expect(post(db, 'x'.repeat(65), lines)).rejects.toThrow('Data too long');
  });

  it('may use only accounts without a stored balance', async () => {
    const clearing = await openAccount(db, { class: 'clearing', rail: 'stk', currency: 'KES' });
    await expect(post(db, 'platform', linesOf(clearing, bankAccount, 5n))).resolves.toBe('posted');
  });

  it('that is rejected leaves no rows', async () => {
    const { key, account } = await fundedWallet(db, 10n);
    await expect(post(db, 'too much', linesOf(account, bankAccount, 11n))).rejects.toMatchObject(refused);
    expect(await entriesOf('too much')).toEqual([]);
    expect(await heldIn(db, key)).toBe(10n);
  });

  it('that overdraws without a given error code is an internal error', async () => {
    const empty = await openAccount(db, newWallet());
    const work = db.transaction((trx) =>
      postEntry(trx, {
        source: { type: 'test', id: 'short', leg: 'move' },
        lines: linesOf(empty, bankAccount, 1n),
      }),
    );
    await expect(work).rejects.toThrow('would go below zero');
  });

  it('keeps every digit of amounts beyond the range of a float', async () => {
    const large = 9_007_199_254_740_993n;
    const { key, account } = await fundedWallet(db, large);
    expect(await heldIn(db, key)).toBe(large);
    await post(db, 'large', linesOf(account, bankAccount, large - 1n));
    expect(await heldIn(db, key)).toBe(1n);
  });

  describe('among several', () => {
    const paymentId = '018f0000-0000-7000-8000-000000000001';
    const entry = (leg: string, id: string, account: Account, minor: bigint, more: object = {}) => ({
      ...{ source: { type: 'many', id, leg }, lines: linesOf(bankAccount, account, minor) },
      ...more,
    });
    const together = (...entries: ReturnType<typeof entry>[]) =>
      inTransaction(db, (trx) => postTogether(trx, entries, 'BALANCE_INSUFFICIENT'));

    it('keeps its own lines, payment and reason', async () => {
      const { key, account } = await fundedWallet(db, 1n);
      // Ids that are equal when their parts are joined.
      await together(
        entry('bc', 'a', account, 10n, { paymentId }),
        entry('c', 'ab', account, 20n, { reason: 'ticket 8' }),
      );
      const rows = await db('ledger_entries as e')
        .join('ledger_postings as p', 'p.entry_id', 'e.entry_id')
        .where({ source_type: 'many', account_id: account.accountId })
        .orderBy('p.seq')
        .select<Record<string, unknown>[]>('e.leg', 'e.payment_id', 'e.reason', 'p.amount', 'p.currency');
      expect(rows).toEqual([
        { leg: 'bc', payment_id: paymentId, reason: null, amount: '10', currency: 'KES' },
        { leg: 'c', payment_id: null, reason: 'ticket 8', amount: '20', currency: 'KES' },
      ]);
      expect(await heldIn(db, key)).toBe(31n);
    });

    it('is posted with all of them or not at all, and once when it is alone', async () => {
      const { key, account } = await fundedWallet(db, 10n);
      const short = together(entry('in', 'all', account, 1n), entry('out', 'all', account, -12n));
      await expect(short).rejects.toMatchObject(refused);
      const unbalanced = { ...entry('two', 'all', account, 1n), lines: [{ account, amountMinor: 1n }] };
      await expect(together(entry('one', 'all', account, 1n), unbalanced)).rejects.toThrow(
        'entry many/all/two does not balance',
      );
      for (const _ of [1, 2]) await together(entry('in', 'alone', account, 5n));
      await expect(together(entry('out', 'alone', account, -16n))).rejects.toMatchObject(refused);
      await together();
      await inTransaction(db, (trx) => postEntries(trx, []));
      expect(await heldIn(db, key)).toBe(15n);
    });
  });

  it('returns the locked balances in the order of the given accounts', async () => {
    const [one, other] = [await fundedWallet(db, 10n), await fundedWallet(db, 20n)];
    const unknown: Account = { ...one.account, accountId: '999999999' };
    const asked = [other.account, one.account, bankAccount, unknown];
    expect(await inTransaction(db, (trx) => lockBalances(trx, asked))).toEqual([20n, 10n, 0n, 0n]);
  });
});
