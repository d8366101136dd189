/** Nothing is started through a paused account: new requests fail, and earlier payments are on hold and continue. */
import { createPayment } from '../../../../src/payments/create/create-payment';
import { backlogAgeMs } from '../../../../src/payments/recovery/backlog';
import { createBulk } from '../../../../src/payments/create/bulk/create-bulk';
import { closeCase, openCase } from '../../../../src/controls/cases';
import { submitPayment } from '../../../../src/payments/submit/submit-payment';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { Operation } from '../../../../src/rail-kit/rail';
import { assertNotStopped, findStops, stopOf } from '../../../../src/payments/submit/stopped-accounts';
import { createSweeper, sweeperAges } from '../../../../src/payments/recovery/sweeper';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import type { Database } from '../../../../src/store/database';
import type { PaymentRow } from '../../../../src/store/tables';
import { createTestDatabase, type TestDatabase } from '../../../support/database';
import { insertPayment } from '../../../support/store/rows';
import {
  callOf,
  draft,
  fakeContext,
  fakeEngine,
  lostLongAgo,
  type FakeContext,
} from '../../../support/payments/fakes';

let database: TestDatabase;
let db: Database;
let context: FakeContext;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(() => {
  context = fakeContext(db);
  const rail = context.rails.get('stk');
  const { deposit } = rail.operations;
  if (!deposit) throw new Error('the rail takes no deposits');
  Object.assign(rail.operations, { payout: deposit, refund: deposit });
  // Another rail's account, which some of these payments use.
  rail.operationsOf = { lent: { deposit: { ...deposit, account: 'momo' } } };
});
afterAll(() => database.drop());

const going = (changes: Partial<PaymentRow> = {}) => ({
  ...{ rail: 'stk', kind: 'deposit' as const, provider: 'daraja' },
  ...changes,
});
/** A process that has not read the pauses yet: its data is at most a second old. */
function asAnotherProcess(): void {
  context.db = db.withUserParams({});
}
const rowOf = (id: string) => getPaymentOrThrow(db, id);
const attemptsOf = async (id: string) =>
  (await db('attempts').where({ payment_id: id }).orderBy('n')).map(({ state }) => state);
const ago = (ms: number) => new Date(Date.now() - ms);

/** Runs while the account is paused, and resumes it afterwards. */
async function whileStopped(account: string, work: () => Promise<void>): Promise<void> {
  const payment = going(account === 'momo' ? { provider: 'lent' } : {});
  const unknownToProvider = await insertPayment(db, { state: 'pending' });
  await openCase(db, unknownToProvider, {
    reason: 'unknown_to_provider',
    detail: 'NOT_FOUND',
    stops: account,
  });
  asAnotherProcess();
  expect(await stopOf(context, payment)).toMatchObject({ account });
  try {
    await work();
  } finally {
    const [stop] = await findStops(db);
    await closeCase(db, stop?.caseId ?? '', 'amina', 'the token was that of the sandbox');
    asAnotherProcess();
    expect(await stopOf(context, payment)).toBeUndefined();
  }
}

describe('at admission', () => {
  const refused = {
    code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
    status: 503,
    options: { retryAfterSeconds: 60 },
  };
  const rows = async () => [
    await db('payments').count({ n: '*' }),
    await db('bulk_payouts').count({ n: '*' }),
    await db('duplicate_guards').count({ n: '*' }),
  ];

  it('a request is rejected, single or bulk, and nothing is written', async () => {
    const { merchant_id: merchantId } = await rowOf(await insertPayment(db));
    const call = await callOf(db, merchantId);
    const engine = fakeEngine(() => Promise.reject(new Error('no workflow may be started')));
    await whileStopped('stk', async () => {
      const before = await rows();
      await expect(createPayment(context, engine, call, draft)).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining('nothing was started') as unknown,
      });
      const drafts = () => Promise.resolve([draft, draft]);
      const bulk = { rail: 'stk', orderId: 'B-1', body: '[]', drafts };
      await expect(createBulk(context, engine, call, bulk)).rejects.toMatchObject(refused);
      expect(await rows()).toEqual(before);
    });
    expect(
      await createPayment(
        context,
        fakeEngine(() => Promise.resolve('late')),
        call,
        draft,
      ),
    ).toBeDefined();
  });

  it('this applies to all payments of the account, and to no others', async () => {
    await whileStopped('momo', async () => {
      await expect(assertNotStopped(context, [going({ provider: 'lent' })])).rejects.toMatchObject(refused);
      await assertNotStopped(context, [going()]);
      const [own, lent] = [await insertPayment(db), await insertPayment(db, { provider: 'lent' })];
      expect(await submitPayment(context, own)).toMatchObject({ kind: 'done' });
      expect(await submitPayment(context, lent)).toMatchObject({ kind: 'try_again' });
    });
  });

  it('a case with another reason pauses nothing', async () => {
    await openCase(db, await insertPayment(db), { reason: 'no_outcome', detail: 'which stops nothing' });
    expect(await findStops(db)).toEqual([]);
  });
});

describe('payments that were created a moment before', () => {
  it.each<[string, Partial<PaymentRow>]>([
    ['a payout', { kind: 'payout' }],
    ['a row of many', { details: { bulk_id: 'b' } }],
    ['a refund', { kind: 'refund' }],
  ])(
    '%s is on hold however long it takes, without an attempt, and continues automatically',
    async (_what, changes) => {
      const created = ago(2 * 3_600_000);
      const id = await insertPayment(db, { created_at: created, updated_at: created, ...changes });
      await whileStopped('stk', async () => {
        // More often than a row of a bulk would be retried without a provider.
        for (let tries = 0; tries < 40; tries += 1) {
          expect(await submitPayment(context, id)).toMatchObject({
            kind: 'try_again',
            afterMs: 60_000,
            why: expect.stringContaining('paused by case') as unknown,
          });
        }
        expect(await rowOf(id)).toMatchObject({ state: 'received', signals: 0 });
        expect((await rowOf(id)).next_check_at?.getTime()).toBeGreaterThan(Date.now() + 120_000);
        expect(await attemptsOf(id)).toEqual([]);
        expect(context.provider.initiated).toEqual([]);
      });
      expect(await submitPayment(context, id)).toMatchObject({
        kind: 'done',
        initiation: { state: 'pending' },
      });
      expect(context.provider.initiated).toEqual([id]);
      expect(await attemptsOf(id)).toEqual(['accepted']);
    },
  );

  it('a payout is not ended by the sweeper, even if nothing has resumed it since', async () => {
    const id = await insertPayment(db, { kind: 'payout' });
    await whileStopped('stk', async () => {
      await submitPayment(context, id);
    });
    const created = ago(sweeperAges.giveUpAfterMs + 60_000);
    await db('payments').where({ payment_id: id }).update({ created_at: created, next_check_at: created });
    const engine = fakeEngine(() => Promise.resolve('late'));
    await createSweeper(context, engine).sweep();
    expect(engine.signalled).toContain(id);
    expect(await rowOf(id)).toMatchObject({ state: 'received' });
    await submitPayment(context, id);
    expect(context.provider.initiated).toEqual([id]);
  });

  it('however many are on hold, they are no backlog for load shedding', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => insertPayment(db, { kind: 'payout' })));
    await whileStopped('stk', async () => {
      for (const id of ids) await submitPayment(context, id);
      await db('payments')
        .whereIn('payment_id', ids)
        .update({ updated_at: ago(5_000) });
      expect(await backlogAgeMs(db)).toBe(0);
    });
  });

  it('a deposit waits as long as its merchant, and fails after that: the customer got no prompt', async () => {
    const id = await insertPayment(db);
    await whileStopped('stk', async () => {
      expect(await submitPayment(context, id)).toMatchObject({ kind: 'try_again' });
      await db('payments')
        .where({ payment_id: id })
        .update({ created_at: ago(16_000) });
      expect(await submitPayment(context, id)).toMatchObject({
        kind: 'done',
        initiation: {
          state: 'failed',
          answer: { kind: 'refused', publicCode: 'PROVIDER_TEMPORARILY_UNAVAILABLE' },
        },
      });
      expect(await attemptsOf(id)).toEqual([]);
      expect(await rowOf(id)).toMatchObject({
        accepted_at: null,
        failure_code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
      });
      expect(await submitPayment(context, id)).toMatchObject({ initiation: { state: 'failed' } });
    });
    expect(context.provider.initiated).toEqual([]);
  });

  it('one that did not reach the provider is not sent again meanwhile, and continues or ends as never sent', async () => {
    context.provider.acceptances = [{ kind: 'not_sent', text: 'ECONNREFUSED' }];
    const [payout, deposit] = [await insertPayment(db, { kind: 'payout' }), await insertPayment(db)];
    for (const id of [payout, deposit]) await submitPayment(context, id);
    await whileStopped('stk', async () => {
      expect(await submitPayment(context, payout)).toMatchObject({ kind: 'try_again' });
      await db('payments')
        .where({ payment_id: deposit })
        .update({ created_at: ago(16_000) });
      expect(await submitPayment(context, deposit)).toMatchObject({ initiation: { state: 'failed' } });
    });
    context.provider.acceptances = [];
    expect(await submitPayment(context, payout)).toMatchObject({ initiation: { state: 'pending' } });
    expect(await attemptsOf(payout)).toEqual(['not_sent', 'accepted']);
    expect(await attemptsOf(deposit)).toEqual(['not_sent']);
  });

  it('one that may have been sent is neither queried nor sent again: its result is unknown', async () => {
    const id = await insertPayment(db);
    const { operations } = context.rails.get('stk');
    const ends = () => Promise.reject(new Error('the process ended'));
    operations.deposit = { ...(operations.deposit as Operation), initiate: ends, recover: ends };
    await expect(submitPayment(context, id)).rejects.toThrow('the process ended');
    await lostLongAgo(db, id);
    await whileStopped('stk', async () => {
      await submitPayment(context, id);
    });
    expect(await rowOf(id)).toMatchObject({ state: 'pending', is_final: 0 });
    expect(await attemptsOf(id)).toEqual(['unknown']);
  });
});

describe('the query for paused accounts', () => {
  it('has a new answer after at most a second', async () => {
    const id = await insertPayment(db, { state: 'pending' });
    const becomes = (isStopped: boolean) =>
      waitFor(async () => ((await stopOf(context, going())) !== undefined) === isStopped || undefined, {
        what: `it to be ${isStopped ? 'stopped' : 'started'}`,
        timeoutMs: 20_000,
        everyMs: 50,
      });
    await becomes(false);
    await openCase(db, id, { reason: 'unknown_to_provider', detail: 'NOT_FOUND', stops: 'stk' });
    await becomes(true);
    await closeCase(db, (await findStops(db))[0]?.caseId ?? '', 'amina', 'mended');
    await becomes(false);
  });

  it('runs once a second, however many payments are started, and by an index', async () => {
    asAnotherProcess();
    const asked: string[] = [];
    const note = ({ sql }: { sql: string }) => {
      if (sql.includes('from `cases`')) asked.push(sql);
    };
    context.db.on('query', note);
    const begun = performance.now();
    for (let n = 0; n < 200; n += 1) await stopOf(context, going());
    await Promise.all(Array.from({ length: 50 }, () => stopOf(context, going())));
    expect(asked.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - begun) / 1_000));
    await openCase(db, await insertPayment(db), { reason: 'no_outcome', detail: 'which stops nothing' });
    const [plan] = (await db.raw(`EXPLAIN FORMAT=TRADITIONAL ${asked[0] ?? ''}`)) as [
      { possible_keys: string | null }[],
    ];
    expect(plan[0]?.possible_keys).toContain('open_stops');
  });

  it('without an answer pauses nothing, and keeps paused accounts', async () => {
    const broken = Object.assign(() => db('no_such_table'), { raw: db.raw }) as unknown as Database;
    const blind = { ...context, db: broken };
    expect(await stopOf(blind, going())).toBeUndefined();
    await assertNotStopped(blind, [going()]);

    let isBroken = false;
    const shaky = ((table: string) =>
      db((isBroken ? 'no_such_table' : table) as 'cases')) as unknown as Database;
    const half = { ...context, db: shaky };
    await whileStopped('stk', async () => {
      expect(await stopOf(half, going())).toMatchObject({ account: 'stk' });
      isBroken = true;
      // Longer than a cached answer is used.
      const until = performance.now() + 1_200;
      await waitFor(
        async () => {
          expect(await stopOf(half, going())).toMatchObject({ account: 'stk' });
          return performance.now() > until || undefined;
        },
        { what: 'what was known to be old', timeoutMs: 20_000 },
      );
    });
  });
});
