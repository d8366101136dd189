/** An API process's metrics of the database and of Temporal, which the alerts use. */
import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { Registry } from 'prom-client';
import {
  databaseClock,
  readinessFigures,
  openWork,
  stuckWork,
  taskQueueFigures,
} from '../../../src/telemetry/figures/api-figures';
import { keepShowing, type Figures } from '../../../src/telemetry/figures/figures';
import { floatFigures } from '../../../src/telemetry/figures/float-figures';
import { showPools } from '../../../src/telemetry/figures/pool-figures';
import { createMetrics } from '../../../src/telemetry/metrics';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { openCase } from '../../../src/controls/cases';
import { openDatabase, type Transaction } from '../../../src/store/database';
import { inTransaction } from '../../../src/store/transaction';
import { fakeContext } from '../../support/payments/fakes';
import { insertMerchant, insertOpenPayments, insertPayment } from '../../support/store/rows';
import { rowsRead } from '../../support/store/rows-read';
import { silentLog } from '../../support/silent-log';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { testTemporalAddress } from '../../support/temporal';
import { samplesOf, shownBy } from '../../support/telemetry/samples';

const ago = (ms: number) => new Date(Date.now() - ms);

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

it('the age of the oldest overdue item is exported', async () => {
  const { db } = test;
  const quiet = await shownBy((registers) => stuckWork(registers, db));
  expect([...quiet.values()]).toEqual([0, 0]);
  await insertPayment(db, { state: 'initiating', updated_at: ago(600_000) });
  const paymentId = await insertPayment(db, { state: 'initiating', updated_at: ago(5_000) });
  await insertPayment(db, { state: 'pending', updated_at: ago(9_000_000) });
  const webhook = (id: string, changes: object) => ({
    webhook_id: id,
    payment_id: paymentId,
    merchant_id: paymentId,
    to_state: 'succeeded',
    callback_type: 'STK-Push',
    endpoint: 'webhook_url',
    body: '{}',
    created_at: ago(900_000),
    ...changes,
  });
  await db('outbox').insert([
    webhook('due', { next_at: ago(400_000) }),
    webhook('next', { next_at: ago(-400_000) }),
    webhook('done', { next_at: ago(900_000), state: 'delivered' }),
  ] as object[]);
  const shown = await shownBy((registers) => stuckWork(registers, db));
  expect(shown.get('malipo_payment_submission_oldest_age_seconds')).toBeCloseTo(600, -2);
  expect(shown.get('malipo_webhook_overdue_seconds')).toBeCloseTo(400, -2);
  const open = await shownBy((registers) => openWork(registers, fakeContext(db)));
  expect(open.get('malipo_webhooks_pending')).toBe(2);
  expect(open.get('malipo_payments_open{rail="stk"}')).toBe(3);
});

it('open cases are counted by reason, and the age of the oldest is exported', async () => {
  const { db } = test;
  const [first, second] = [await insertPayment(db), await insertPayment(db)];
  for (const id of [first, second]) await openCase(db, id, { reason: 'no_outcome', detail: 'test' });
  await openCase(db, first, { reason: 'amount_differs', detail: 'test' });
  await db('cases')
    .where({ payment_id: second })
    .update({ opened_at: ago(7_200_000) });
  await db('cases')
    .where({ reason: 'amount_differs' })
    .update({ closed_at: new Date(), opened_at: ago(9e8) });
  const shown = await shownBy((registers) => openWork(registers, fakeContext(db)));
  expect(shown.get('malipo_cases_open_by_reason{reason="no_outcome"}')).toBe(2);
  expect(shown.get('malipo_cases_open_by_reason{reason="amount_differs"}')).toBe(0);
  expect(shown.get('malipo_case_oldest_age_seconds')).toBeCloseTo(7_200, -3);
});

it('no group reads final payments, however many there are', async () => {
  const { db } = test;
  await insertOpenPayments(db, 20_000);
  await db('payments').update({ state: 'succeeded', is_final: 1, next_check_at: null });
  await insertPayment(db, { state: 'initiating' });
  await db.raw('ANALYZE TABLE payments');
  const { rails } = fakeContext(db);
  const readBy = (make: (trx: Transaction) => Figures) => rowsRead(db, (trx) => make(trx).show());
  expect(await readBy((trx) => stuckWork([new Registry()], trx))).toBeLessThan(100);
  expect(await readBy((trx) => openWork([new Registry()], { db: trx, rails }))).toBeLessThan(100);
  const { merchant_id: merchantId } = await db('payments')
    .first('merchant_id')
    .orderBy('payment_id')
    .then((row) => row ?? { merchant_id: '' });
  await db('merchant_locks').insert([
    { merchant_id: merchantId, currency: 'KES' },
    { merchant_id: await insertMerchant(db), currency: 'KES' },
  ]);
  const outflows = (n: string, days: number) =>
    db.raw(
      `INSERT INTO outflows (payment_id, merchant_id, rail, currency, amount, accepted_at)
       SELECT payment_id, ?, rail, 'KES', 100, UTC_TIMESTAMP(3) - INTERVAL ? DAY FROM payments
        WHERE payment_id NOT IN (SELECT payment_id FROM outflows) LIMIT ${n}`,
      [merchantId, days],
    );
  await outflows('20', 0);
  await outflows('15000', 2);
  const read = await readBy((trx) => floatFigures([new Registry()], { db: trx, rails }));
  expect(read).toBeGreaterThan(20);
  expect(read).toBeLessThan(200);
});

it('no pollers are exported as 0, and without an answer of Temporal nothing is exported', async () => {
  const connection = await Connection.connect({ address: testTemporalAddress() });
  try {
    const client = new Client({ connection });
    const config = { temporalNamespace: 'default', taskQueue: `nobody-${randomBytes(4).toString('hex')}` };
    const registry = new Registry();
    const figures = taskQueueFigures([registry], client, config);
    await figures.show();
    const shown = samplesOf(await registry.metrics());
    for (const kind of ['workflow', 'activity']) {
      expect(shown.get(`malipo_task_queue_pollers{kind="${kind}"}`)).toBe(0);
      expect(shown.get(`malipo_task_queue_backlog{kind="${kind}"}`)).toBe(0);
    }
    await connection.close();
    await expect(figures.show()).rejects.toThrow();
    expect(samplesOf(await registry.metrics())).toEqual(new Map());
  } finally {
    await connection.close();
  }
});

it("the difference between the database's clock and ours is exported", async () => {
  const { db } = test;
  const ahead = async () =>
    (await shownBy((registers) => databaseClock(registers, db))).get('malipo_database_clock_offset_seconds');
  expect(await ahead()).toBe(0);
  const real = Date.now.bind(Date);
  const wrong = jest.spyOn(Date, 'now').mockImplementation(() => real() - 60_000);
  try {
    expect(await ahead()).toBeGreaterThan(30);
  } finally {
    wrong.mockRestore();
  }
});

it('callers that wait for a connection are exported, and those that got none in time are counted', async () => {
  const db = openDatabase(test.url, { poolMax: 1, patienceMs: 200 });
  const registry = new Registry();
  try {
    // Opening the first connection has the same time limit, and takes longer on a busy machine.
    await waitFor(
      async () => {
        await db.raw('SELECT 1');
        return true;
      },
      { what: 'a connection', timeoutMs: 60_000 },
    );
    showPools([registry], { own: db });
    await inTransaction(db, async (trx) => {
      await trx.raw('SELECT 1');
      const refused = expect(db.raw('SELECT 1')).rejects.toThrow();
      const waiting = samplesOf(await registry.metrics());
      expect(waiting.get('malipo_database_pool_waiting{pool="own"}')).toBe(1);
      expect(waiting.get('malipo_database_pool_connections{pool="own",state="used"}')).toBe(1);
      await refused;
    });
    const after = samplesOf(await registry.metrics());
    expect(after.get('malipo_database_pool_waiting{pool="own"}')).toBe(0);
    expect(after.get('malipo_database_pool_timeouts_total{pool="own"}')).toBe(1);
  } finally {
    await db.destroy();
  }
});

it('writes that the database refuses are counted by reason', async () => {
  const registry = new Registry();
  showPools([registry], { own: test.db });
  const count = async (reason: string) =>
    samplesOf(await registry.metrics()).get(`malipo_database_refused_writes_total{reason="${reason}"}`);
  expect([await count('read_only'), await count('disk_full')]).toEqual([0, 0]);
  for (const errno of [1290, 1114, 1062]) {
    const refuse = test.db.raw(
      `SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${String(errno)}, MESSAGE_TEXT = 'refused'`,
    );
    await expect(refuse).rejects.toThrow('refused');
  }
  expect([await count('read_only'), await count('disk_full')]).toEqual([1, 1]);
});

it('each check of /readyz is exported, whether it succeeds or not', async () => {
  const metrics = createMetrics();
  const figures = readinessFigures(
    metrics,
    [
      { name: 'database', check: () => Promise.resolve() },
      { name: 'temporal', check: () => Promise.reject(new Error('gone')) },
    ],
    silentLog,
  );
  await figures.show();
  const shown = samplesOf(await metrics.expose());
  expect([shown.get('malipo_ready{check="database"}'), shown.get('malipo_ready{check="temporal"}')]).toEqual([
    1, 0,
  ]);
});

it('each group is read at its own interval, never twice at once, and a failing one does not block the others', async () => {
  const lines: string[] = [];
  const log = { ...silentLog, warn: (text: string) => lines.push(text) };
  let [reading, most, read] = [0, 0, 0];
  const slow: Figures = {
    what: 'slow',
    everyMs: 5,
    async show() {
      reading += 1;
      most = Math.max(most, reading);
      await new Promise((resolve) => setTimeout(resolve, 25));
      reading -= 1;
      read += 1;
    },
  };
  const failing: Figures = { what: 'failing', everyMs: 5, show: () => Promise.reject(new Error('no')) };
  let early = 0;
  const spread: Figures = {
    what: 'spread',
    everyMs: 5,
    firstWithinMs: 86_400_000,
    show: () => Promise.resolve(void (early += 1)),
  };
  const shown = keepShowing([failing, spread, slow], log);
  try {
    await waitFor(() => Promise.resolve(read > 3), { what: 'readings', timeoutMs: 60_000 });
    expect(most).toBe(1);
    expect(lines.length).toBeGreaterThan(0);
    // At once would be together with all other processes that start now.
    expect(early).toBe(0);
  } finally {
    await shown.stop();
  }
});
