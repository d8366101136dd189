/** Transfers between two accounts in one currency or in two. */
import { randomUUID } from 'node:crypto';
import { openAccount, type Account } from '../../../src/ledger/accounts';
import { postConverted, type ConvertedEntry } from '../../../src/ledger/conversions';
import type { Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { fundedWallet, heldIn, linesOf } from './books';

describe('a conversion', () => {
  let database: TestDatabase;
  let db: Database;
  let dollars: Account;
  let shillings: Account;
  let fees: Account;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    dollars = await openAccount(db, { class: 'clearing', rail: 'walletpay', currency: 'USD' });
    shillings = await openAccount(db, { class: 'clearing', rail: 'stk', currency: 'KES' });
    fees = await openAccount(db, { class: 'fees', currency: 'KES' });
  });
  afterAll(() => database.drop());

  const kes = (account: Account, amountMinor: bigint) => ({
    account,
    money: { currency: 'KES' as const, amountMinor },
  });
  const usd = (amountMinor: bigint) => ({
    account: dollars,
    money: { currency: 'USD' as const, amountMinor },
  });
  const sourceOf = (id: string) => ({ type: 'deposit', id, leg: 'credit' });
  const convert = (entry: Omit<ConvertedEntry, 'source'>, id: string) =>
    inTransaction(db, (trx) => postConverted(trx, db, { source: sourceOf(id), ...entry }));
  /** The postings of a source in their order, with their payment. */
  const postingsOf = async (id: string) =>
    (
      await db('ledger_postings as p')
        .join('ledger_entries as e', 'e.entry_id', 'p.entry_id')
        .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
        .where('e.source_id', id)
        .orderBy('p.seq')
        .select<Record<string, string | null>[]>('e.leg', 'e.payment_id', 'a.class', 'p.currency', 'p.amount')
    ).map((row) => [row['leg'], row['class'], row['currency'], row['amount'], row['payment_id']]);

  it('within one currency is one entry', async () => {
    const { key, account } = await fundedWallet(db, 500n);
    const [id, paymentId] = [randomUUID(), randomUUID()];
    await convert({ paymentId, from: kes(account, 200n), to: kes(shillings, 200n) }, id);
    expect(await postingsOf(id)).toEqual([
      ['credit', 'wallet', 'KES', '-200', paymentId],
      ['credit', 'clearing', 'KES', '200', paymentId],
    ]);
    expect(await heldIn(db, key)).toBe(300n);
  });

  it('between two is one entry in each, and accounts with a balance are locked last', async () => {
    const { account } = await fundedWallet(db, 500n);
    const [into, out, paymentId] = [randomUUID(), randomUUID(), randomUUID()];
    await convert({ paymentId, from: usd(2n), to: kes(account, 250n) }, into);
    expect(await postingsOf(into)).toEqual([
      ['credit:out', 'clearing', 'USD', '-2', paymentId],
      ['credit:out', 'fx', 'USD', '2', paymentId],
      ['credit:in', 'fx', 'KES', '-250', paymentId],
      ['credit:in', 'wallet', 'KES', '250', paymentId],
    ]);
    await convert({ from: kes(account, 250n), to: usd(2n) }, out);
    expect(await postingsOf(out)).toEqual([
      ['credit:in', 'fx', 'USD', '-2', null],
      ['credit:in', 'clearing', 'USD', '2', null],
      ['credit:out', 'wallet', 'KES', '-250', null],
      ['credit:out', 'fx', 'KES', '250', null],
    ]);
  });

  it('is booked once, however often it is posted', async () => {
    const { key, account } = await fundedWallet(db, 500n);
    const id = randomUUID();
    for (const _ of [1, 2]) await convert({ from: kes(account, 100n), to: usd(1n) }, id);
    expect(await heldIn(db, key)).toBe(400n);
  });

  it('books nothing in a currency in which it is less than the smallest unit', async () => {
    const { account } = await fundedWallet(db, 500n);
    const id = randomUUID();
    await convert({ from: kes(account, 1n), to: usd(0n) }, id);
    expect((await postingsOf(id)).map(([leg]) => leg)).toEqual(['credit:out', 'credit:out']);
  });

  it('is posted with its related entries or not at all', async () => {
    const { key, account } = await fundedWallet(db, 10n);
    const fee = (id: string, minor: bigint) => ({
      source: { type: 'fee', id, leg: 'charge' },
      lines: linesOf(account, fees, minor),
    });
    for (const from of [usd(2n), kes(shillings, 250n)]) {
      const id = randomUUID();
      await convert({ from, to: kes(account, 250n), besides: [fee(id, 50n)] }, id);
      expect((await postingsOf(id)).slice(-2).map(([leg]) => leg)).toEqual(['charge', 'charge']);
      const short = randomUUID();
      const besides = [fee(short, 5_000n)];
      await expect(convert({ from, to: kes(account, 250n), besides }, short)).rejects.toThrow();
      expect(await postingsOf(short)).toEqual([]);
    }
    expect(await heldIn(db, key)).toBe(410n);
  });

  it('may take a debt below zero, and nothing else', async () => {
    const { key, account } = await fundedWallet(db, 100n);
    for (const to of [usd(1n), kes(shillings, 300n)]) {
      const taking = (mayOverdraw?: boolean) =>
        convert(
          { from: kes(account, 300n), to, ...(mayOverdraw === undefined ? {} : { mayOverdraw }) },
          randomUUID(),
        );
      await expect(taking()).rejects.toThrow('would go below zero');
      await expect(taking(false)).rejects.toThrow('would go below zero');
      await taking(true);
    }
    expect(await heldIn(db, key)).toBe(-500n);
  });
});
