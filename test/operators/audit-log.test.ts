import { recordAction } from '../../src/operators/audit-log';
import { checks } from '../../src/ops/verify/verify';
import { everything } from '../../src/ops/verify/scope';
import { openDatabase, type Database } from '../../src/store/database';
import { inTransaction } from '../../src/store/transaction';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../support/services';
import { testContext } from '../verify/books-support';

let test: TestDatabase;
/** As the command line has it. */
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

async function violations() {
  const check = checks.find(({ id }) => id === 'A1');
  return test.db.transaction((trx) =>
    check?.find({ trx, rails: testContext(test.db).rails, scope: everything }),
  );
}

describe('the audit log', () => {
  it('keeps what was done, chained to what was done before', async () => {
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

  it('has no line for what was rolled back, and no gap', async () => {
    const failing = inTransaction(service, async (trx) => {
      await recordAction(trx, action('carol'));
      throw new Error('not done');
    });
    await expect(failing).rejects.toThrow('not done');
    await inTransaction(service, (trx) => recordAction(trx, action('amina')));
    expect(await test.db('audit_log').where({ acted_by: 'carol' })).toEqual([]);
    expect(await violations()).toEqual([]);
  });

  it('stays one chain when many act at once', async () => {
    const before = Number((await test.db('audit_head').first())?.seq);
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        inTransaction(n % 2 ? service : test.db, (trx) => recordAction(trx, action('amina', { n }))),
      ),
    );
    expect(Number((await test.db('audit_head').first())?.seq)).toBe(before + 40);
    expect(await violations()).toEqual([]);
  });
});
