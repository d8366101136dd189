import { randomUUID } from 'node:crypto';
import { openAccount, type Account, type AccountKey } from '../../src/ledger/accounts';
import { closeHold, placeHold } from '../../src/ledger/holds';
import { transfer } from '../../src/ledger/transfers';
import { openDatabase, type Database } from '../../src/store/database';
import { inTransaction } from '../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../support/services';
import { bank, heldIn } from './books';

describe('a hold', () => {
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
    await transfer(db, {
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

  it('sets money aside, which is then no longer available', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    expect(await holdings()).toEqual([700n, 300n]);
    expect(await stateOf(paymentId)).toBe('open');
  });

  it('is posted to whoever is paid', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    await close(paymentId, 300n, clearing);
    expect(await holdings()).toEqual([700n, 0n]);
    expect(await stateOf(paymentId)).toBe('posted');
  });

  it('is released to where it came from', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    await close(paymentId, 300n);
    expect(await holdings()).toEqual([1_000n, 0n]);
    expect(await stateOf(paymentId)).toBe('released');
  });

  it('above what is there is refused, and nothing is set aside', async () => {
    const paymentId = randomUUID();
    await expect(place(paymentId, 1_001n)).rejects.toMatchObject({ code: 'FLOAT_INSUFFICIENT' });
    expect(await holdings()).toEqual([1_000n, 0n]);
    expect(await stateOf(paymentId)).toBeUndefined();
  });

  it('is placed once for a payment', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    await expect(place(paymentId, 300n)).rejects.toThrow(/Duplicate/);
    expect(await holdings()).toEqual([700n, 300n]);
  });

  it('can neither be released after it was posted, nor the other way round', async () => {
    const [posted, released] = [randomUUID(), randomUUID()];
    await place(posted, 100n);
    await place(released, 100n);
    await close(posted, 100n, clearing);
    await close(released, 100n);
    await expect(close(posted, 100n)).rejects.toThrow('has no open hold');
    await expect(close(released, 100n, clearing)).rejects.toThrow('has no open hold');
    expect(await holdings()).toEqual([900n, 0n]);
  });

  it('is closed once, though ten close it at once in both ways', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    const closings = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => close(paymentId, 300n, n % 2 === 0 ? clearing : undefined)),
    );
    expect(closings.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await holdings())[1]).toBe(0n);
  });

  it('is closed whole: another amount finds no hold', async () => {
    const paymentId = randomUUID();
    await place(paymentId, 300n);
    await expect(close(paymentId, 299n, clearing)).rejects.toThrow('has no open hold of 299');
    expect(await holdings()).toEqual([700n, 300n]);
  });

  it('never exists without cover: of 100 at once exactly the covered ones are placed', async () => {
    const placed = await Promise.allSettled(Array.from({ length: 100 }, () => place(randomUUID(), 70n)));
    expect(placed.filter(({ status }) => status === 'fulfilled')).toHaveLength(14);
    expect(await holdings()).toEqual([20n, 980n]);
  });
});
