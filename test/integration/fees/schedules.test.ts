import { endFee, feesInForce, listFees, nearestFee, setFee, type NewFee } from '../../../src/fees/schedules';
import type { Database, Transaction } from '../../../src/store/database';
import { insertMerchant } from '../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let test: TestDatabase;
let db: Database;
let merchant: string;
beforeAll(async () => {
  test = await createTestDatabase();
  db = test.db;
});
beforeEach(async () => {
  await db('fee_schedules').delete();
  merchant = await insertMerchant(db);
});
afterAll(() => test.drop());

const set = (fee: Partial<NewFee> = {}) =>
  setFee(db, { operation: 'payout', currency: 'KES', reason: 'a test', ...fee }, { by: 'nobody' });

/** A database that commits the first transaction and then loses its answer. */
function answerLostOnce(): Database {
  let isLost = false;
  const transaction = async (work: (trx: Transaction) => Promise<unknown>) => {
    const result = await db.transaction(work);
    if (isLost) return result;
    isLost = true;
    throw Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' });
  };
  return new Proxy(db, {
    get: (target, name): unknown => (name === 'transaction' ? transaction : Reflect.get(target, name)),
  });
}

describe('fee schedules', () => {
  it('apply by scope: a merchant before all merchants, a rail before all rails', async () => {
    const all = await set({ fixed: '1' });
    const ofRail = await set({ rail: 'momo', fixed: '2' });
    const own = await set({ merchant_id: merchant, fixed: '3' });
    const ownOfRail = await set({ merchant_id: merchant, rail: 'momo', fixed: '4' });
    await set({ merchant_id: await insertMerchant(db), rail: 'momo', fixed: '5' });
    const asked = { operation: 'payout', rail: 'momo', currency: 'KES' } as const;
    for (const expected of [ownOfRail, own, ofRail, all]) {
      const inForce = await db.transaction((trx) => feesInForce(trx, merchant));
      expect(nearestFee(inForce, asked)?.fee_id).toBe(expected.fee_id);
      for (const other of [{ operation: 'collection' }, { currency: 'USD' }] as const)
        expect(nearestFee(inForce, { ...asked, ...other })).toBeUndefined();
      await endFee(db, expected.fee_id, { by: 'nobody', reason: 'over' });
    }
    expect(await listFees(db, { merchantId: merchant })).toEqual([]);
  });

  it('end when another of the same scope begins, also when many are set at once', async () => {
    const many = await Promise.all(['1', '2', '3', '4', '5'].map((fixed) => set({ fixed })));
    const inForce = await listFees(db, {});
    expect(inForce).toHaveLength(1);
    expect(await listFees(db, { ended: true })).toHaveLength(many.length);
    const lines = await db('audit_log').where({ action: 'fee.set' }).pluck('subject_id');
    expect(many.every(({ fee_id: id }) => lines.includes(id))).toBe(true);
  });

  it('are set and ended once when the answer to the COMMIT is lost', async () => {
    const { fee_id: former } = await set({ fixed: '1' });
    const fee: NewFee = { operation: 'payout', currency: 'KES', reason: 'a test', fixed: '2' };
    const { fee_id: id } = await setFee(answerLostOnce(), fee, { by: 'nobody' });
    expect(await listFees(db, {})).toEqual([expect.objectContaining({ fee_id: id, fixed: '2' })]);
    const end = () => endFee(answerLostOnce(), id, { by: 'nobody', reason: 'over' });
    expect(await end()).toMatchObject({ fee_id: id, ended_at: expect.any(Date) });
    expect(await end()).toBeUndefined();
    const reported = db('audit_log').whereIn('subject_id', [former, id]).orderBy('seq').pluck('action');
    expect(await reported).toEqual(['fee.set', 'fee.set', 'fee.remove']);
  });

  it('end once, and stay stored', async () => {
    const { fee_id: id } = await set({ fixed: '1' });
    const end = () => endFee(db, id, { by: 'nobody', reason: 'over' });
    const ended = (await Promise.all([end(), end()])).filter((row) => row !== undefined);
    expect(ended).toEqual([expect.objectContaining({ fee_id: id, fixed: '1', ended_at: expect.any(Date) })]);
  });
});
