import { acceptBulk, type BulkRequest } from '../../src/payments/bulk/accept-bulk';
import { createSweeper, sweeperAges } from '../../src/payments/sweeper';
import { waitFor } from '../../src/ops/services/wait-for';
import type { Call } from '../../src/payments/endpoint';
import type { Database } from '../../src/store/database';
import { insertPayment } from '../store/rows';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { callOf, draft, fakeContext, fakeEngine, type FakeContext, type FakeEngine } from './fakes';

describe('many payments asked for at once', () => {
  let database: TestDatabase;
  let db: Database;
  let context: FakeContext;
  let engine: FakeEngine;
  let call: Call;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    const first = await db('payments')
      .where({ payment_id: await insertPayment(db, { next_look_at: null }) })
      .first('merchant_id');
    call = await callOf(db, first?.merchant_id ?? '');
  });
  beforeEach(() => {
    context = fakeContext(db);
    engine = fakeEngine(() => Promise.resolve('late'));
  });
  afterAll(() => database.drop());

  const request = (orderId: string, changes: Partial<BulkRequest> = {}): BulkRequest => ({
    rail: 'stk',
    orderId,
    body: 'three',
    drafts: () => Promise.resolve([draft, draft, draft]),
    ...changes,
  });
  const accept = (wanted: BulkRequest, by: FakeEngine = engine) => acceptBulk(context, by, call, wanted);
  const idsOf = async ({ bulk_id }: { bulk_id: string }): Promise<string[]> =>
    db('bulk_rows').where({ bulk_id }).orderBy('n').pluck('payment_id');
  const begun = (ids: string[]) =>
    waitFor(async () => (ids.every((id) => engine.woken.includes(id)) ? true : undefined), {
      what: 'all to be begun',
      timeoutMs: 10_000,
      everyMs: 20,
    });

  it('are a payment each, and are begun without being waited for', async () => {
    const ids = await idsOf(await accept(request('A-1')));
    expect(ids).toHaveLength(3);
    await begun(ids);
    expect(engine.woken).toHaveLength(3);
  });

  it('are taken once, however many ask at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => accept(request('A-2'))));
    expect(new Set(all.map(({ bulk_id: id }) => id)).size).toBe(1);
    expect(await db('bulk_payouts').where({ order_id: 'A-2' })).toHaveLength(1);
    await begun(await idsOf(all[0] as { bulk_id: string }));
    expect(engine.woken).toHaveLength(3);
  });

  it('are not looked into a second time', async () => {
    const { bulk_id: first } = await accept(request('A-3'));
    const drafts = () => Promise.reject(new Error('the network is closed by now'));
    expect(await accept(request('A-3', { drafts }))).toMatchObject({ bulk_id: first });
  });

  it('have an order_id for ever', async () => {
    const { bulk_id } = await accept(request('A-4'));
    await expect(accept(request('A-4', { body: 'four' }))).rejects.toMatchObject({
      code: 'ORDER_ID_REUSED',
      options: { extra: { bulk_id } },
    });
  });

  it('are written all or none', async () => {
    const before = await db('payments').count({ n: '*' });
    const refused = { ...draft, check: () => Promise.reject(new Error('not this one')) };
    const drafts = () => Promise.resolve([draft, draft, refused]);
    await expect(accept(request('A-5', { drafts }))).rejects.toThrow('not this one');
    expect(await db('payments').count({ n: '*' })).toEqual(before);
    expect(await db('bulk_payouts').where({ order_id: 'A-5' })).toEqual([]);
    expect((await accept(request('A-5'))).row_count).toBe(3);
  });

  it('that nobody could begin wait for the sweeper, and are never given up for their age', async () => {
    const away: FakeEngine = { ...engine, wake: () => Promise.reject(new Error('the engine is away')) };
    const bulk = await accept(request('A-6'), away);
    const ids = await idsOf(bulk);
    await db('payments')
      .whereIn('payment_id', ids)
      .update({
        created_at: new Date(Date.now() - 60 * sweeperAges.giveUpAfterMs),
        next_look_at: new Date(Date.now() - 1_000),
      });
    await createSweeper(context, engine).sweep();
    await begun(ids);
    expect(await db('payments').whereIn('payment_id', ids).pluck('state')).toEqual(ids.map(() => 'received'));
  });
});
