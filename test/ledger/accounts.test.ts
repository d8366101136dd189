import { accountCode, openAccount } from '../../src/ledger/accounts';
import { walletBalance } from '../../src/ledger/balances';
import { transfer } from '../../src/ledger/transfers';
import { openDatabase, type Database } from '../../src/store/database';
import { expectClean } from '../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { bank, fundedWallet, heldIn, newWallet } from './books';

const merchantId = '018f0000-0000-7000-8000-000000000001';

describe('the accounts', () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
  });
  afterAll(async () => {
    await expectClean({ db });
    await database.drop();
  });

  it('have names that people can read', () => {
    const float = { merchantId, rail: 'momo', country: 'ZMB', currency: 'ZMW' } as const;
    expect([
      accountCode({ class: 'wallet', merchantId, currency: 'KES' }),
      accountCode({ class: 'float', ...float }),
      accountCode({ class: 'float_reserved', ...float, country: null }),
      accountCode({ class: 'clearing', rail: 'stk', currency: 'KES' }),
      accountCode({ class: 'bank', currency: 'USD' }),
    ]).toEqual([
      `wallet:${merchantId}:KES`,
      `float:momo:${merchantId}:ZMB:ZMW`,
      `float_reserved:momo:${merchantId}:-:ZMW`,
      'clearing:stk:KES',
      'bank:USD',
    ]);
  });

  it('are opened once, though ten processes open one at once', async () => {
    const key = newWallet();
    const processes = Array.from({ length: 10 }, () => openDatabase(database.url, { poolMax: 1 }));
    const opened = await Promise.all(processes.map((process) => openAccount(process, key)));
    await Promise.all(processes.map((process) => process.destroy()));
    expect(new Set(opened.map(({ accountId }) => accountId)).size).toBe(1);
    expect(await db('ledger_accounts').where({ code: accountCode(key) })).toHaveLength(1);
  });

  it('hold nothing before they are used', async () => {
    expect(await walletBalance(db, merchantId, 'KES')).toBe(0n);
  });

  it('are one per currency', async () => {
    const { key } = await fundedWallet(db, 500n);
    if (key.class !== 'wallet') throw new Error('not a wallet');
    expect(await walletBalance(db, key.merchantId, 'KES')).toBe(500n);
    expect(await walletBalance(db, key.merchantId, 'USD')).toBe(0n);
  });

  it('of merchants may not fall below zero, those of the platform may', async () => {
    const rows = await db('ledger_accounts')
      .whereIn('class', ['wallet', 'bank'])
      .select('class', 'may_go_negative', 'balance');
    for (const row of rows) {
      expect(row.may_go_negative).toBe(row.class === 'bank' ? 1 : 0);
      expect(row.balance === null).toBe(row.class === 'bank');
    }
  });

  describe("an operator's transfer", () => {
    const whenShort = 'BALANCE_INSUFFICIENT';

    it('moves the money and keeps its reason', async () => {
      const { key: from } = await fundedWallet(db, 500n);
      const to = newWallet();
      const id = await transfer(db, { from, to, amountMinor: 200n, reason: 'ticket 7', whenShort });
      expect([await heldIn(db, from), await heldIn(db, to)]).toEqual([300n, 200n]);
      expect(await db('ledger_entries').where({ source_id: id }).first('reason')).toEqual({
        reason: 'ticket 7',
      });
    });

    it.each([
      ['without a reason', { amountMinor: 1n, reason: '  ' }, 'VALIDATION_FAILED'],
      ['of nothing', { amountMinor: 0n, reason: 'r' }, 'INVALID_AMOUNT'],
      ['of less than nothing', { amountMinor: -1n, reason: 'r' }, 'INVALID_AMOUNT'],
      ['of more than there is', { amountMinor: 1n, reason: 'r' }, whenShort],
    ])('%s is refused', async (_how, changes, code) => {
      await expect(
        transfer(db, { from: newWallet(), to: bank, whenShort, ...changes }),
      ).rejects.toMatchObject({ code });
    });
  });
});
