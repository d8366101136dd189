import { paymentRow, insertPayment } from '../../support/store/rows';
import { openAccount, type Account } from '../../../src/ledger/accounts';
import { recordAction } from '../../../src/users/audit-log';
import type { Database } from '../../../src/store/database';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { bank, fundedWallet, linesOf, post } from './books';

/** The errors of MariaDB (4025) and MySQL (3819) for a violated CHECK. */
const checkViolated = /CONSTRAINT .* failed|Check constraint .* is violated/;

describe('the database itself', () => {
  let database: TestDatabase;
  let db: Database;
  let wallet: Account;
  let paymentId: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    wallet = (await fundedWallet(db, 1_000n)).account;
    await post(db, 'written', linesOf(wallet, await openAccount(db, bank), 100n));
    await db('day_digests').insert({
      ...{ n: '1', day: '2026-01-31', after_seq: '0', last_seq: '0', postings: '0' },
      ...{ previous: Buffer.alloc(32), head: Buffer.alloc(32), digested_at: new Date() },
    });
    paymentId = await insertPayment(db);
    await db('payment_log').insert({
      payment_id: paymentId,
      from_state: 'received',
      to_state: 'initiating',
      cause: 'attempt',
      at: new Date(),
    });
    const by = { by: 'amina', action: 'test.write', subject: { kind: 'test', id: '1' } };
    await db.transaction((trx) => recordAction(trx, by));
  });
  afterAll(() => database.drop());

  describe.each([
    ['ledger_entries', { reason: 'another' }],
    ['ledger_postings', { amount: '1' }],
    ['day_digests', { postings: '1' }],
    ['payment_log', { cause: 'another' }],
    ['audit_log', { acted_by: 'another' }],
  ] as const)('protects %s', (table, change) => {
    it('against an UPDATE', async () => {
      await expect(db(table).update(change as object)).rejects.toThrow(`${table} is append-only`);
    });

    it('against a DELETE', async () => {
      await expect(db(table).delete()).rejects.toThrow(`${table} is append-only`);
    });
  });

  it('rejects a balance below zero for an account that may not have one', async () => {
    const update = db('ledger_accounts').where({ account_id: wallet.accountId }).update({ balance: '-1' });
    await expect(update).rejects.toThrow(checkViolated);
  });

  it('allows it for an account that may', async () => {
    const fx = await openAccount(db, { class: 'fx', currency: 'KES' });
    await db('ledger_accounts').where({ account_id: fx.accountId }).update({ balance: '-1' });
    await db('ledger_accounts').where({ account_id: fx.accountId }).update({ balance: null });
  });

  it('rejects a posting of zero', async () => {
    const entry = await db('ledger_entries').first('entry_id');
    const posting = {
      entry_id: entry?.entry_id ?? '',
      account_id: wallet.accountId,
      currency: 'KES',
      amount: '0',
    } as const;
    await expect(db('ledger_postings').insert(posting)).rejects.toThrow(checkViolated);
  });

  it('rejects a posting to an entry or an account that does not exist', async () => {
    const posting = {
      entry_id: '999999',
      account_id: wallet.accountId,
      currency: 'KES',
      amount: '1',
    } as const;
    await expect(db('ledger_postings').insert(posting)).rejects.toThrow(/foreign key/);
  });

  it.each([
    ['a requested amount of zero', { requested_minor: '0' }],
    ['a negative requested amount', { requested_minor: '-1' }],
    ['an instructed amount of zero', { instructed_minor: '0' }],
    ['a negative confirmed amount', { confirmed_minor: '-1' }],
  ])('rejects a payment with %s', async (_what, change) => {
    await expect(insertPayment(db, change)).rejects.toThrow(checkViolated);
  });

  it('rejects a reserve of zero, and one with an unknown state', async () => {
    const { merchant_id: _, ...ids } = paymentRow('018f0000-0000-7000-8000-000000000001');
    const hold = {
      payment_id: ids.payment_id,
      account_id: wallet.accountId,
      reserved_account_id: wallet.accountId,
      currency: 'KES',
      amount: '1',
      state: 'open',
      created_at: new Date(),
    } as const;
    await expect(db('holds').insert({ ...hold, amount: '0' })).rejects.toThrow(checkViolated);
    await expect(db('holds').insert({ ...hold, state: 'lost' as never })).rejects.toThrow(checkViolated);
  });

  it('rejects a text that is too long instead of truncating it', async () => {
    await expect(insertPayment(db, { provider: 'x'.repeat(41) })).rejects.toThrow(/too long/i);
  });
});
