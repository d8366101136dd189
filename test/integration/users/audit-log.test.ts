import { createHash } from 'node:crypto';
import { holdRows, isAsWritten, recordAction, rowChanged } from '../../../src/users/audit-log';
import { checks } from '../../../src/verify/verify';
import { everything } from '../../../src/verify/check';
import { auditKeysOf, openDatabase, type Database } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../../support/database';
import { testContext } from '../../support/verify/books-support';

let test: TestDatabase;
/** The command line's database account. */
let service: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  service = openDatabase(test.url, { patienceMs: testPatienceMs });
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});

const action = (by: string, details = {}) => ({
  by,
  action: 'float.withdraw',
  subject: { kind: 'merchant', id: 'm1' },
  details,
});

async function violations(db: Database = test.db) {
  const check = checks.find(({ id }) => id === 'A1');
  return db.transaction((trx) => check?.find({ trx, rails: testContext(test.db).rails, scope: everything }));
}

describe('the audit log', () => {
  it('stores each action, chained to the previous one', async () => {
    await inTransaction(service, (trx) =>
      recordAction(trx, action('amina', { amount: '12.00', note: 'Zoë’s' })),
    );
    await inTransaction(service, (trx) => recordAction(trx, action('brian')));
    const [first, second] = await test.db('audit_log').orderBy('seq');
    expect(first).toMatchObject({
      seq: '1',
      acted_by: 'amina',
      action: 'float.withdraw',
      subject_kind: 'merchant',
      subject_id: 'm1',
      details: '{"amount":"12.00","note":"Zoë’s"}',
      previous_hash: Buffer.alloc(32),
    });
    expect(second?.previous_hash).toEqual(first?.hash);
    expect(await violations()).toEqual([]);
  });

  it('has no line for a rolled-back action, and no gap', async () => {
    const failing = inTransaction(service, async (trx) => {
      await recordAction(trx, action('carol'));
      throw new Error('not done');
    });
    await expect(failing).rejects.toThrow('not done');
    await inTransaction(service, (trx) => recordAction(trx, action('amina')));
    expect(await test.db('audit_log').where({ acted_by: 'carol' })).toEqual([]);
    expect(await violations()).toEqual([]);
  });

  it('stays one chain for concurrent actions', async () => {
    const before = Number((await test.db('audit_head').first())?.seq);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        inTransaction(n % 2 ? service : test.db, (trx) => recordAction(trx, action('amina', { n }))),
      ),
    );
    expect(Number((await test.db('audit_head').first())?.seq)).toBe(before + 40);
    expect(await violations()).toEqual([]);
  });

  it('contains in the line of an action the digests of the changed rows', async () => {
    const now = new Date();
    const merchant = {
      merchant_id: '01890a5d-ac96-774b-bcce-b302099a8057',
      name: 'Duka',
      webhook_secret: '',
    };
    await inTransaction(service, async (trx) => {
      await recordAction(trx, action('amina'));
      await trx('merchants').insert({
        ...merchant,
        ...{ permissions: '[]', ip_allow: '[]', checkout_hosts: '[]', created_at: now, updated_at: now },
      } as never);
      await rowChanged(trx, 'merchants', merchant.merchant_id);
    });
    const [line, ...more] = await test.db('audit_log').orderBy('seq', 'desc').limit(1);
    expect([line?.acted_by, line?.key_id, more]).toEqual(['amina', 'test', []]);
    const rows = await test.db('audit_rows').where({ seq: line?.seq ?? '' });
    expect(rows).toMatchObject([{ table_name: 'merchants', row_id: merchant.merchant_id }]);
    expect(await isAsWritten(service, 'merchants', merchant.merchant_id)).toBe(true);
    await test.db('merchants').update({ webhook_url: 'https://evil.example' });
    expect(await isAsWritten(service, 'merchants', merchant.merchant_id)).toBe(false);
    await test.db('merchants').update({ webhook_url: null });
  });

  it('rejects a change of a row that was not held before', async () => {
    const merchantId = '01890a5d-ac96-774b-bcce-b302099a8057';
    const change = (holds: boolean) =>
      inTransaction(service, async (trx) => {
        if (holds) await holdRows(trx, 'merchants', merchantId);
        await trx('merchants').where({ merchant_id: merchantId }).update({ name: 'Duka jipya' });
        await rowChanged(trx, 'merchants', merchantId);
      });
    await expect(change(false)).rejects.toThrow('without holdRows');
    await change(true);
    expect(await isAsWritten(service, 'merchants', merchantId)).toBe(true);
    expect(await test.db('audit_log').where({ action: 'control.tampered' })).toEqual([]);
  });

  it('accepts lines of an earlier version without a key after an operator has accepted them with a key', async () => {
    const other = await createTestDatabase();
    const db = other.db;
    try {
      const at = new Date();
      const details = '{}';
      const signed = ['amina', 'float.withdraw', 'merchant', 'm1', details];
      const previous_hash = Buffer.alloc(32);
      const hash = createHash('sha256')
        .update(JSON.stringify(['1', at.toISOString(), ...signed, previous_hash.toString('hex')]))
        .digest();
      const former = {
        seq: '1',
        at,
        acted_by: 'amina',
        action: 'float.withdraw',
        details,
        previous_hash,
        hash,
      };
      await db('audit_log').insert({ ...former, subject_kind: 'merchant', subject_id: 'm1', key_id: null });
      await db('audit_head').update({ seq: '1', hash });
      const unkeyed = [{ id: 'line 1', detail: 'was written without a key' }];
      expect(await violations(db)).toEqual(unkeyed);
      await inTransaction(db, (trx) => recordAction(trx, action('amina')));
      expect(await violations(db)).toEqual(unkeyed);
      await inTransaction(db, (trx) => recordAction(trx, { ...action('amina'), action: 'control.accept' }));
      expect(await violations(db)).toEqual([]);
      await db.raw('DROP TRIGGER audit_log_no_update');
      await db('audit_log').where({ seq: '1' }).update({ acted_by: 'brian' });
      expect(await violations(db)).toEqual([{ id: 'line 1', detail: 'was changed after it was written' }]);
    } finally {
      await other.drop();
    }
  });

  it('is checked only with its keys: it reports a missing key, and still accepts an older one', async () => {
    const [key] = auditKeysOf(service);
    if (!key) throw new Error('the tests have no key');
    const newer = { id: 'newer', key: Buffer.alloc(32, 9) };
    const as = async <T>(auditKeys: (typeof key)[], work: (db: Database) => Promise<T>): Promise<T> => {
      const db = openDatabase(test.url, { poolMax: 1, auditKeys });
      return work(db).finally(() => db.destroy());
    };
    const write = (db: Database) => inTransaction(db, (trx) => recordAction(trx, action('amina')));
    await as([newer, key], write);
    expect(await as([newer, key], (db) => violations(db))).toEqual([]);
    expect(await as([key], (db) => violations(db))).toMatchObject([
      { detail: expect.stringContaining('newer') },
    ]);
    expect(await as([], (db) => violations(db))).toEqual([
      { id: 'log', detail: 'cannot be checked without the key of MALIPO_AUDIT_KEY' },
    ]);
    await expect(as([], write)).rejects.toThrow('MALIPO_AUDIT_KEY is not set');
  });
});
