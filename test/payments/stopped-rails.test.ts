/** An open case in which a provider disowns what it has told of stops its rail, and no other, until it is resolved. */
import { acceptPayment } from '../../src/payments/accept-payment';
import { acceptBulk } from '../../src/payments/bulk/accept-bulk';
import { closeCase, openCase } from '../../src/payments/cases';
import { initiate } from '../../src/payments/initiate';
import { getPaymentOrThrow } from '../../src/payments/payments';
import { findStoppedRails, stopOf } from '../../src/payments/stopped-rails';
import { waitFor } from '../../src/ops/services/wait-for';
import type { Database } from '../../src/store/database';
import { expectClean } from '../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { insertPayment } from '../store/rows';
import { callOf, draft, fakeContext, fakeEngine, type FakeContext } from './fakes';

let database: TestDatabase;
let db: Database;
let context: FakeContext;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(() => {
  context = fakeContext(db);
});
afterAll(async () => {
  await expectClean({ db });
  await database.drop();
});

/** What a process knows is a second old at the most. */
const seen = (isStopped: boolean) =>
  waitFor(async () => ((await stopOf(db, 'stk')) !== undefined) === isStopped || undefined, {
    what: `the rail to be ${isStopped ? 'stopped' : 'started'}`,
    timeoutMs: 20_000,
  });
const rowOf = (id: string) => getPaymentOrThrow(db, id);
const attemptOf = (id: string) => db('attempts').where({ payment_id: id }).orderBy('n', 'desc').first();

it('takes no request, sends nothing, and says that nothing was started', async () => {
  const disowned = await insertPayment(db);
  const [waiting, underWay] = [await insertPayment(db), await insertPayment(db)];
  // A process that ended between its sending and the answer.
  const { operations } = context.rails.get('stk');
  const { deposit } = operations;
  const ends = () => Promise.reject(new Error('the process ended'));
  operations.deposit = { ...deposit, initiate: ends } as never;
  await expect(initiate(context, underWay)).rejects.toThrow('the process ended');
  operations.deposit = { ...deposit, recover: ends } as never;
  await openCase(db, disowned, { reason: 'no_outcome', detail: 'which stops nothing' });
  expect(await findStoppedRails(db)).toEqual([]);
  await openCase(db, disowned, { reason: 'provider_disowns', detail: 'NOT_FOUND' });
  const [stop] = await findStoppedRails(db);
  expect(stop).toMatchObject({ rail: 'stk', paymentId: disowned });
  await seen(true);
  expect(await stopOf(db, 'momo')).toBeUndefined();

  const call = await callOf(db, (await rowOf(disowned)).merchant_id);
  const engine = fakeEngine(() => Promise.reject(new Error('no workflow may be started')));
  const before = await db('payments').count({ n: '*' });
  await expect(acceptPayment(context, engine, call, draft)).rejects.toMatchObject({
    code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
    status: 503,
    message: expect.stringContaining('nothing was started') as unknown,
  });
  const drafts = () => Promise.reject(new Error('nothing may be written'));
  const bulk = { rail: 'stk', orderId: 'B-1', body: '[]', drafts };
  await expect(acceptBulk(context, engine, call, bulk)).rejects.toMatchObject({ status: 503 });
  expect(await db('payments').count({ n: '*' })).toEqual(before);

  // What was taken a moment before is refused for certain; what may have been sent is not sent again.
  await initiate(context, waiting);
  await initiate(context, underWay);
  expect(await rowOf(waiting)).toMatchObject({
    state: 'failed',
    failure_code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
  });
  expect(await rowOf(underWay)).toMatchObject({ state: 'pending', is_final: 0 });
  expect(await attemptOf(underWay)).toMatchObject({ n: 1, state: 'unknown' });
  expect(context.provider.initiated).toEqual([]);

  await closeCase(db, stop?.caseId ?? '', 'amina', 'the token was that of the sandbox');
  await seen(false);
  const next = await insertPayment(db);
  await initiate(context, next);
  expect(context.provider.initiated).toEqual([next]);
});

it('costs one question a second, however many payments are started', async () => {
  let asked = 0;
  db.on('query', ({ sql }: { sql: string }) => {
    if (sql.includes('`cases`')) asked += 1;
  });
  const begun = performance.now();
  for (let n = 0; n < 200; n += 1) await stopOf(db, 'stk');
  await Promise.all(Array.from({ length: 50 }, () => stopOf(db, 'stk')));
  expect(asked).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - begun) / 1_000));
  db.removeAllListeners('query');
});
