import { randomUUID } from 'node:crypto';
import { openAccount, type Account, type AccountKey } from '../../../src/ledger/accounts';
import { adjustHold, closeHold, placeHold, placeHolds } from '../../../src/ledger/holds';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { bank, fundedWallet, heldIn, linesOf, post } from './books';

describe('a reserve', () => {
  let database: TestDatabase;
  let db: Database;
  let clearing: Account;
  let float: Record<'from' | 'reserved', Account>;
  let keys: Record<'from' | 'reserved', AccountKey>;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.url, { poolMax: 20, patienceMs: testPatienceMs });
    clearing = await openAccount(db, { class: 'clearing', rail: 'momo', currency: 'KES' });
  });
  beforeEach(async () => {
    const owner = { merchantId: randomUUID(), rail: 'momo', country: 'KEN', currency: 'KES' } as const;
    keys = { from: { class: 'float', ...owner }, reserved: { class: 'float_reserved', ...owner } };
    const from = keys.from;
    await transferByHand(db, {
      from: bank,
      to: from,
      amountMinor: 1_000n,
      reason: 'funding',
      whenShort: 'FLOAT_INSUFFICIENT',
    });
    float = { from: await openAccount(db, keys.from), reserved: await openAccount(db, keys.reserved) };
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  const place = (paymentId: string, amountMinor: bigint) =>
    inTransaction(db, (trx) =>
      placeHold(trx, { paymentId, ...float, amountMinor, whenShort: 'FLOAT_INSUFFICIENT' }),
    );
  const close = (paymentId: string, amountMinor: bigint, to?: Account) =>
    inTransaction(db, (trx) => closeHold(trx, { paymentId, ...float, amountMinor }, to));
  const stateOf = async (paymentId: string) =>
    (await db('holds').where({ payment_id: paymentId }).first())?.state;
  const holdings = async () => [await heldIn(db, keys.from), await heldIn(db, keys.reserved)];

  it('moves money out of the available balance', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    expect(await holdings()).toEqual([700n, 300n]);
    expect(await stateOf(paymentId)).toBe('open');
  });

  it('is posted to the payee account', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    await close(paymentId, 300n, clearing);
    expect(await holdings()).toEqual([700n, 0n]);
    expect(await stateOf(paymentId)).toBe('posted');
  });

  it('is released to its account', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    await close(paymentId, 300n);
    expect(await holdings()).toEqual([1_000n, 0n]);
    expect(await stateOf(paymentId)).toBe('released');
  });

  it('above the balance is rejected, and nothing is reserved', async () => {
    const paymentId = randomUUID();
    await expect(place(paymentId, 1_001n)).rejects.toMatchObject({ code: 'FLOAT_INSUFFICIENT' });
    expect(await holdings()).toEqual([1_000n, 0n]);
    expect(await stateOf(paymentId)).toBeUndefined();
  });

  it('and its fee are separate entries, each posted to its own account', async () => {
    const fees = await openAccount(db, { class: 'fees', currency: 'KES' });
    const booked = async (id: string) =>
      (await db('ledger_entries').where({ source_id: id }).orderBy('entry_id')).map((entry) => [
        ...[entry.source_type, entry.leg, entry.payment_id === id],
      ]);
    const held = () => ({ paymentId: randomUUID(), ...float, amountMinor: 300n, feeMinor: 20n });
    const [posted, released] = [held(), held()];
    for (const hold of [posted, released])
      await inTransaction(db, (trx) => placeHold(trx, { ...hold, whenShort: 'FLOAT_INSUFFICIENT' }));
    expect(await holdings()).toEqual([360n, 640n]);
    await inTransaction(db, (trx) => closeHold(trx, posted, clearing, fees));
    await inTransaction(db, (trx) => closeHold(trx, released));
    expect(await holdings()).toEqual([680n, 0n]);
    const both = (leg: string) => ['hold', 'fee'].map((type) => [type, leg, true]);
    expect(await booked(posted.paymentId)).toEqual([...both('reserve'), ...both('post')]);
    expect(await booked(released.paymentId)).toEqual([...both('reserve'), ...both('release')]);
    const charged = await db('ledger_postings').where({ account_id: fees.accountId });
    expect(charged.map(({ amount }) => amount)).toEqual(['20']);
    expect(await db('holds').where({ payment_id: posted.paymentId }).first()).toEqual({
      ...{ payment_id: posted.paymentId, account_id: float.from.accountId },
      ...{ reserved_account_id: float.reserved.accountId, currency: 'KES', amount: '300', state: 'posted' },
      ...{ created_at: expect.any(Date), closed_at: expect.any(Date), wanted: null, gone_before: null },
    });
  });

  it('is placed together with others or not at all', async () => {
    const many = (amountMinor: bigint) =>
      [1, 2, 3].map(() => ({ paymentId: randomUUID(), ...float, amountMinor, feeMinor: 1n }));
    const placed = (holds: ReturnType<typeof many>) =>
      inTransaction(db, (trx) => placeHolds(trx, holds, 'FLOAT_INSUFFICIENT'));
    const short = many(333n);
    await expect(placed(short)).rejects.toMatchObject({ code: 'FLOAT_INSUFFICIENT' });
    expect(await stateOf(short[0]?.paymentId ?? '')).toBeUndefined();
    const covered = many(300n);
    await placed(covered);
    expect(await holdings()).toEqual([97n, 903n]);
    for (const { paymentId } of covered) expect(await stateOf(paymentId)).toBe('open');
  });

  it('is placed once for a payment', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    await expect(place(paymentId, 300n)).rejects.toThrow(/Duplicate/);
    expect(await holdings()).toEqual([700n, 300n]);
  });

  it('cannot be released after it was posted, nor posted after its release', async () => {
    const [posted, released] = [randomUUID(), randomUUID()];
    await place(posted, 100n);
    await place(released, 100n);
    await close(posted, 100n, clearing);
    await close(released, 100n);
    await expect(close(posted, 100n)).rejects.toThrow('has no open hold');
    await expect(close(released, 100n, clearing)).rejects.toThrow('has no open hold');
    expect(await holdings()).toEqual([900n, 0n]);
  });

  it('is closed once when ten calls close it at once in both ways', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    const closings = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => close(paymentId, 300n, n % 2 === 0 ? clearing : undefined)),
    );
    expect(closings.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await holdings())[1]).toBe(0n);
  });

  it('is closed in full: another amount does not match', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    await expect(close(paymentId, 299n, clearing)).rejects.toThrow('has no open hold of 299');
    expect(await holdings()).toEqual([700n, 300n]);
  });

  it('is always covered: of 100 at once exactly the covered ones are placed', async () => {
    const placed = await Promise.allSettled(Array.from({ length: 100 }, () => place(randomUUID(), 70n)));
    expect(placed.filter(({ status }) => status === 'fulfilled')).toHaveLength(14);
    expect(await holdings()).toEqual([20n, 980n]);
  });

  describe('for a disputed payment', () => {
    let wallet: AccountKey;
    let accounts: Record<'from' | 'reserved', Account>;
    let paymentId: string;
    beforeEach(async () => {
      const { key, account } = await fundedWallet(db, 100n);
      if (key.class !== 'wallet') throw new Error('not a wallet');
      wallet = key;
      accounts = { from: account, reserved: await openAccount(db, { ...key, class: 'wallet_reserved' }) };
      paymentId = randomUUID();
    });

    const adjust = (wantedMinor: bigint, gone: bigint | 'over' = 0n) =>
      inTransaction(db, (trx) =>
        adjustHold(trx, {
          ...{ paymentId, ...accounts, wantedMinor },
          goneBefore: gone === 'over' ? undefined : gone,
        }),
      );
    const row = () => db('holds').where({ payment_id: paymentId }).first();
    const kept = async () => {
      const { state, amount, wanted, gone_before, closed_at } = (await row()) ?? {};
      return [state, amount, wanted, gone_before, closed_at instanceof Date];
    };
    const legs = async () =>
      (await db('ledger_entries').where({ source_id: paymentId }).orderBy('entry_id')).map(
        ({ source_type: type, leg, payment_id: of }) => [type, leg, of === paymentId],
      );
    const into = (account: Account, minor: bigint) =>
      post(db, randomUUID(), linesOf(clearing, account, minor));

    it('follows the wanted amount', async () => {
      await adjust(60n, 7n);
      expect(await kept()).toEqual(['open', '60', '60', '7', false]);
      await adjust(80n, 7n);
      expect(await kept()).toEqual(['open', '80', '80', '7', false]);
      await adjust(50n, 7n);
      expect(await kept()).toEqual(['open', '50', '50', '7', false]);
      expect(await heldIn(db, wallet)).toBe(50n);
      await adjust(0n, 'over');
      expect(await kept()).toEqual(['released', '50', '0', null, true]);
      expect(await heldIn(db, wallet)).toBe(100n);
      await adjust(30n);
      expect(await kept()).toEqual(['open', '30', '30', '0', false]);
      expect(await legs()).toEqual([1, 2, 3, 4, 5].map((n) => ['hold', `change:${String(n)}`, true]));
    });

    it('is at most the balance of the wallet, and grows with it', async () => {
      await adjust(150n);
      expect(await kept()).toEqual(['open', '100', '150', '0', false]);
      await adjust(170n);
      expect(await kept()).toEqual(['open', '100', '170', '0', false]);
      await into(accounts.from, 30n);
      await adjust(170n);
      expect(await kept()).toEqual(['open', '130', '170', '0', false]);
      await adjust(170n, 5n);
      expect(await kept()).toEqual(['open', '130', '170', '5', false]);
      expect(await heldIn(db, wallet)).toBe(0n);
    });

    it('changes only the reserve of its own payment', async () => {
      await place(randomUUID(), 300n);
      await adjust(60n, 7n);
      const others = () => db('holds').whereNot({ payment_id: paymentId }).orderBy('payment_id');
      const before = await others();
      expect(before.length).toBeGreaterThan(0);
      await adjust(80n, 7n);
      await adjust(0n, 'over');
      expect(await others()).toEqual(before);
    });

    it('is zero for a wallet in debt, and does not increase the debt', async () => {
      const taken = { account: accounts.from, amountMinor: -140n, mayOverdraw: true };
      await post(db, randomUUID(), [taken, { account: clearing, amountMinor: 140n }]);
      await adjust(60n);
      expect(await kept()).toEqual(['open', '0', '60', '0', false]);
      expect(await heldIn(db, wallet)).toBe(-40n);
      expect(await legs()).toEqual([]);
    });

    it('is not written again without a change', async () => {
      await adjust(0n, 'over');
      expect(await kept()).toEqual(['released', '0', '0', null, true]);
      const before = await row();
      const sent: string[] = [];
      const note = ({ sql }: { sql: string }) => sent.push(sql.slice(0, 6));
      db.on('query', note);
      await adjust(0n, 'over');
      db.removeListener('query', note);
      expect(sent).toContain('select');
      expect(sent).not.toContain('update');
      expect(await row()).toEqual(before);
      expect(await legs()).toEqual([]);
    });
  });
});
