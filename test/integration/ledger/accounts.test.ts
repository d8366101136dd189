import { accountCode, openAccount, type AccountKey } from '../../../src/ledger/accounts';
import { walletBalance } from '../../../src/ledger/balances';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { openDatabase, type Database } from '../../../src/store/database';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
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

  it('have readable names', () => {
    const float = { merchantId, rail: 'momo', country: 'ZMB', currency: 'ZMW' } as const;
    expect([
      accountCode({ class: 'wallet', merchantId, currency: 'KES' }),
      accountCode({ class: 'float', ...float }),
      accountCode({ class: 'float_reserved', ...float, country: null }),
      accountCode({ class: 'clearing', rail: 'stk', currency: 'KES' }),
      accountCode({ class: 'bank', currency: 'USD' }),
      accountCode({ class: 'provider_fees', provider: 'stk', currency: 'KES' }),
    ]).toEqual([
      `wallet:${merchantId}:KES`,
      `float:momo:${merchantId}:ZMB:ZMW`,
      `float_reserved:momo:${merchantId}:-:ZMW`,
      'clearing:stk:KES',
      'bank:USD',
      'provider_fees:stk:KES',
    ]);
  });

  it('are opened once when ten processes open one at once', async () => {
    const key = newWallet();
    const processes = Array.from({ length: 10 }, () => openDatabase(database.url, { poolMax: 1 }));
    const opened = await Promise.all(processes.map((process) => openAccount(process, key)));
    await Promise.all(processes.map((process) => process.destroy()));
    expect(new Set(opened.map(({ accountId }) => accountId)).size).toBe(1);
    expect(await db('ledger_accounts').where({ code: accountCode(key) })).toHaveLength(1);
  });

  it('are empty before their first use', async () => {
    expect(await walletBalance(db, merchantId, 'KES')).toBe(0n);
  });

  it('are one per currency', async () => {
    const { key } = await fundedWallet(db, 500n);
    if (key.class !== 'wallet') throw new Error('not a wallet');
    expect(await walletBalance(db, key.merchantId, 'KES')).toBe(500n);
    expect(await walletBalance(db, key.merchantId, 'USD')).toBe(0n);
  });

  it('are opened once, and cached by the process', async () => {
    const key = newWallet();
    const [one, other] = [openDatabase(database.url, { poolMax: 1 }), openDatabase(database.url)];
    const asked: string[] = [];
    for (const each of [one, other])
      each.on('query', ({ sql }: { sql: string }) => asked.push(sql.slice(0, 6)));
    const opened = [await openAccount(one, key), await openAccount(one, key)];
    expect(asked).toEqual(['select', 'insert', 'select']);
    opened.push(await openAccount(other, key), await openAccount(other, key));
    expect(asked).toEqual(['select', 'insert', 'select', 'select']);
    await Promise.all([one.destroy(), other.destroy()]);
    const [account] = opened;
    expect(account).toMatchObject({ class: 'wallet', currency: 'KES' });
    expect(opened).toEqual([account, account, account, account]);
  });

  it('have an owner; those of merchants may not go below zero, those of the platform may', async () => {
    const currency = 'KES';
    const at = { merchantId, rail: 'momo', country: 'KEN', currency } as const;
    const owned: AccountKey[] = [
      { class: 'wallet', merchantId, currency },
      { class: 'wallet_reserved', merchantId, currency },
      { class: 'float', ...at },
      { class: 'float_reserved', ...at, country: null },
    ];
    const common: AccountKey[] = [
      { class: 'clearing', rail: 'momo', currency },
      ...(['bank', 'fees', 'fx', 'suspense', 'vouchers'] as const).map(
        (each) => ({ class: each, currency }) as const,
      ),
      { class: 'suspense', provider: 'mpesa', currency },
      { class: 'provider_fees', provider: 'mpesa', currency },
    ];
    const rowOf = async (key: AccountKey) => {
      const { accountId } = await openAccount(db, key);
      const row = await db('ledger_accounts').where({ account_id: accountId }).first();
      return [row?.class, row?.merchant_id, row?.rail, row?.country, row?.balance, row?.can_go_negative];
    };
    expect(await Promise.all(owned.map(rowOf))).toEqual([
      ['wallet', merchantId, null, null, '0', 0],
      ['wallet_reserved', merchantId, null, null, '0', 0],
      ['float', merchantId, 'momo', 'KEN', '0', 0],
      ['float_reserved', merchantId, 'momo', null, '0', 0],
    ]);
    expect(await Promise.all(common.map(rowOf))).toEqual([
      ['clearing', null, 'momo', null, null, 1],
      ...['bank', 'fees', 'fx', 'suspense', 'vouchers'].map((each) => [each, null, null, null, null, 1]),
      ['suspense', null, 'mpesa', null, null, 1],
      ['provider_fees', null, 'mpesa', null, null, 1],
    ]);
  });

  it('that cannot be opened cause an error', async () => {
    const none = () => ({
      where: () => ({ first: () => Promise.resolve(undefined) }),
      insert: () => ({ onConflict: () => ({ ignore: () => Promise.resolve() }) }),
    });
    await expect(openAccount(none as unknown as Database, bank)).rejects.toThrow(
      'account bank:KES could not be opened',
    );
  });

  describe("an operator's transfer", () => {
    const whenShort = 'BALANCE_INSUFFICIENT';

    it('transfers the money and stores the reason', async () => {
      const { key: from } = await fundedWallet(db, 500n);
      const to = newWallet();
      const id = await transferByHand(db, { from, to, amountMinor: 200n, reason: 'ticket 7', whenShort });
      expect([await heldIn(db, from), await heldIn(db, to)]).toEqual([300n, 200n]);
      expect(await db('ledger_entries').where({ source_id: id }).first()).toMatchObject({
        ...{ source_type: 'transfer', leg: 'move', reason: 'ticket 7', payment_id: null },
      });
    });

    it('is written with its related rows or not at all', async () => {
      const { key: from } = await fundedWallet(db, 500n);
      const moving = { from, to: newWallet(), amountMinor: 200n, reason: 'r', whenShort } as const;
      const seen: unknown[] = [];
      await transferByHand(db, { ...moving, alongside: async (trx) => void seen.push(trx.isTransaction) });
      expect(seen).toEqual([true]);
      const alongside = () => Promise.reject(new Error('not so'));
      await expect(transferByHand(db, { ...moving, alongside })).rejects.toThrow('not so');
      expect(await heldIn(db, from)).toBe(300n);
    });

    it.each([
      ['without a reason', { amountMinor: 1n, reason: '  ' }, 'VALIDATION_FAILED', /^a reason is required$/],
      ['of zero', { amountMinor: 0n, reason: 'r' }, 'INVALID_AMOUNT', /^amount must be more than zero$/],
      ['of a negative amount', { amountMinor: -1n, reason: 'r' }, 'INVALID_AMOUNT', /more than zero/],
      ['of more than the balance', { amountMinor: 1n, reason: 'r' }, whenShort, /./],
    ])('%s is rejected', async (_how, changes, code, words) => {
      const refused = transferByHand(db, { from: newWallet(), to: bank, whenShort, ...changes });
      await expect(refused).rejects.toMatchObject({ code, message: expect.stringMatching(words) });
    });
  });
});
