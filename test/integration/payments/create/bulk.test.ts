import { createBulk } from '../../../../src/payments/create/bulk/create-bulk';
import type { BulkRequest } from '../../../../src/rail-kit/draft';
import { backlogAgeMs } from '../../../../src/payments/recovery/backlog';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import { createSweeper, sweeperAges } from '../../../../src/payments/recovery/sweeper';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { Call } from '../../../../src/rail-kit/endpoint';
import type { Database } from '../../../../src/store/database';
import { insertPayment } from '../../../support/store/rows';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import {
  callOf,
  draft,
  fakeContext,
  fakeEngine,
  type FakeContext,
  type FakeEngine,
} from '../../../support/payments/fakes';

describe('a bulk of payments', () => {
  let database: TestDatabase;
  let db: Database;
  let context: FakeContext;
  let engine: FakeEngine;
  let call: Call;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    const first = await db('payments')
      .where({ payment_id: await insertPayment(db, { next_check_at: null }) })
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
  const accept = (wanted: BulkRequest, by: FakeEngine = engine) => createBulk(context, by, call, wanted);
  const idsOf = async ({ bulk_id }: { bulk_id: string }): Promise<string[]> =>
    db('bulk_rows').where({ bulk_id }).orderBy('n').pluck('payment_id');
  const begun = (ids: string[]) =>
    waitFor(async () => (ids.every((id) => engine.signalled.includes(id)) ? true : undefined), {
      what: 'all to be begun',
      timeoutMs: 10_000,
      everyMs: 20,
    });

  it('is one payment per row, started without waiting', async () => {
    const ids = await idsOf(await accept(request('A-1')));
    expect(ids).toHaveLength(3);
    await begun(ids);
    expect(engine.signalled).toHaveLength(3);
  });

  it('is created once, however many concurrent requests there are', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => accept(request('A-2'))));
    expect(new Set(all.map(({ bulk_id: id }) => id)).size).toBe(1);
    expect(await db('bulk_payouts').where({ order_id: 'A-2' })).toHaveLength(1);
    await begun(await idsOf(all[0] as { bulk_id: string }));
    expect(engine.signalled).toHaveLength(3);
  });

  it('is not validated a second time', async () => {
    const { bulk_id: first } = await accept(request('A-3'));
    const drafts = () => Promise.reject(new Error('the network is closed by now'));
    expect(await accept(request('A-3', { drafts }))).toMatchObject({ bulk_id: first });
  });

  it('has a permanent order_id', async () => {
    const { bulk_id } = await accept(request('A-4'));
    await expect(accept(request('A-4', { body: 'four' }))).rejects.toMatchObject({
      code: 'ORDER_ID_REUSED',
      options: { extra: { bulk_id } },
    });
  });

  it('is written completely or not at all', async () => {
    const before = await db('payments').count({ n: '*' });
    const refused = { ...draft, check: () => Promise.reject(new Error('not this one')) };
    const drafts = () => Promise.resolve([draft, draft, refused]);
    await expect(accept(request('A-5', { drafts }))).rejects.toThrow('not this one');
    expect(await db('payments').count({ n: '*' })).toEqual(before);
    expect(await db('bulk_payouts').where({ order_id: 'A-5' })).toEqual([]);
    expect((await accept(request('A-5'))).row_count).toBe(3);
  });

  it('starts a few at a time: the next ones once a worker has started the earlier ones', async () => {
    const drafts = () => Promise.resolve(Array.from({ length: 25 }, () => draft));
    const ids = await idsOf(await accept(request('A-7', { body: 'many', drafts })));
    await begun(ids.slice(0, 10));
    expect(engine.signalled).toHaveLength(10);
    await db('payments').whereIn('payment_id', ids.slice(0, 10)).update({ state: 'initiating' });
    await begun(ids.slice(0, 20));
    expect(engine.signalled).toHaveLength(20);
    await db('payments').whereIn('payment_id', ids).update({ state: 'initiating' });
    await begun(ids);
  });

  it('is no backlog while it waits for that', async () => {
    const away: FakeEngine = {
      ...engine,
      signalOrStart: () => Promise.reject(new Error('the engine is away')),
    };
    const drafts = () => Promise.resolve(Array.from({ length: 25 }, () => draft));
    const ids = await idsOf(await accept(request('A-8', { body: 'many', drafts }), away));
    await db('payments').update({ updated_at: new Date(Date.now() - 10_000) });
    expect(await backlogAgeMs(db)).toBe(0);
    await db('bulk_rows').whereIn('payment_id', ids).delete();
    expect(await backlogAgeMs(db)).toBeGreaterThan(5_000);
  });

  it('retries for a long time without a provider, because no caller waits', async () => {
    const [id = ''] = await idsOf(await accept(request('A-9')));
    context.provider.acceptances = [{ kind: 'not_sent', text: 'ECONNREFUSED' }];
    const waits: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const result = await submitPayment(context, id);
      waits.push(result.kind === 'try_again' ? result.afterMs : 0);
    }
    expect(waits).toEqual([300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 30_000, 30_000, 30_000]);
    context.provider.acceptances = [{ kind: 'accepted', providerReference: 'ref-late' }];
    expect(await submitPayment(context, id)).toMatchObject({ kind: 'done' });
    expect(await db('payments').where({ payment_id: id }).first()).toMatchObject({ state: 'pending' });
  });

  it('waits for the sweeper if it could not be started, and never fails for its age', async () => {
    const away: FakeEngine = {
      ...engine,
      signalOrStart: () => Promise.reject(new Error('the engine is away')),
    };
    const bulk = await accept(request('A-6'), away);
    const ids = await idsOf(bulk);
    await db('payments')
      .whereIn('payment_id', ids)
      .update({
        created_at: new Date(Date.now() - 60 * sweeperAges.giveUpAfterMs),
        next_check_at: new Date(Date.now() - 1_000),
      });
    await waitFor(
      async () => {
        await createSweeper(context, engine).sweep();
        return ids.every((id) => engine.signalled.includes(id)) || undefined;
      },
      { what: 'the sweeper to begin all', timeoutMs: 20_000, everyMs: 100 },
    );
    expect(await db('payments').whereIn('payment_id', ids).pluck('state')).toEqual(ids.map(() => 'received'));
  });
});
