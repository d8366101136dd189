/**
 * The data of a release on a newer version, which adds a column, rewrites rows and has one workflow step more. Payments
 * continue while processes and migrators are killed, and after a return to the release.
 * `MALIPO_SAVE_RELEASE=1 npx jest test/faults/release-data` records a release.
 */
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import type { PaymentKind } from '../../src/domain/payment';
import { setMerchant } from '../../src/merchants/merchants';
import { openDatabase, type Database } from '../../src/store/database';
import { applyMigrations, type Applied } from '../../src/store/migrating/apply-migrations';
import { migrations, newestMigration } from '../../src/store/migrations';
import type { Migration } from '../../src/store/migrations/migration';
import { patchedStep } from '../e2e/workflows/another-build';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../support/database';
import { call, paymentIdOf } from '../support/merchant-client';
import { customer } from '../support/rails/cardproc/payments';
import { setNetwork } from '../support/rails/momo/payments';
import { simulatorControl } from '../support/rails/simulator-control';
import { push } from '../support/rails/stk/payments';
import { newestRelease } from '../support/releases';
import { startStack, type FurtherProcess, type OwnStack, type TestMerchant } from '../support/stack';
import { connectEngine } from '../support/workflows/temporal-client';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { appliesUntil, overhead } from './store/dying-migrator';
import { everythingEndsWell } from './support/ending-well';
import { malipo } from './support/malipo';
import { newerVersion, type NewerVersion } from './support/newer-version';
import { inParallel, pushUntilAccepted } from './support/patient-merchant';
import { fixtureKeys, recordRelease } from './support/record-release';
import { loadRows } from './support/release-rows';

const down = () => Promise.resolve();

/** The newer version's migrations, step by step. */
const added: Record<string, Migration> = {
  '900-loyalty': {
    kind: 'expand',
    down,
    async up(schema) {
      await schema.raw('ALTER TABLE payments ADD COLUMN loyalty INT NULL, ALGORITHM=INSTANT');
      await schema.raw('ALTER TABLE payments ADD KEY by_loyalty (loyalty), ALGORITHM=INPLACE, LOCK=NONE');
      await schema.raw('CREATE TABLE loyalties (loyalty INT PRIMARY KEY)');
    },
  },
  '901-loyalty-of-before': {
    kind: 'migrate',
    down,
    up: (schema) =>
      schema.rewrite({
        table: 'payments',
        key: 'payment_id',
        set: 'loyalty = 1',
        where: 'loyalty IS NULL',
        batch: 2,
      }),
  },
  '902-without-its-key': {
    kind: 'contract',
    needs: '900-loyalty',
    down,
    async up(schema) {
      await schema.raw('ALTER TABLE payments DROP KEY by_loyalty, ALGORITHM=INPLACE, LOCK=NONE');
    },
  },
};
const all = { ...migrations, ...added };

describe('the data of 1.0.0', () => {
  let database: TestDatabase;
  let owner: Database;
  let folder: string;
  let stack: OwnStack;
  let merchant: TestMerchant;
  let receiver: WebhookReceiver;
  let newer: NewerVersion;
  /** Webhooks that 1.0.0 had not delivered. */
  let owed: string[];
  const accepted: string[] = [];

  beforeAll(async () => {
    if (process.env.MALIPO_SAVE_RELEASE === '1') {
      await recordRelease(newestRelease);
      // Temporal has the recorded workflows, which it must not have here.
      throw new Error('The release is recorded. Run this test again without MALIPO_SAVE_RELEASE.');
    }
    database = await createTestDatabase();
    owner = openDatabase(database.migrateUrl, { poolMax: 2, patienceMs: testPatienceMs });
    await loadRows(database.adminUrl, await readFile(join(newestRelease, 'rows.sql'), 'utf8'));
    folder = await mkdtemp(join(tmpdir(), 'malipo-release-'));
    await copyFile(join(newestRelease, 'journal.jsonl'), join(folder, 'journal.jsonl'));
    newer = await newerVersion({ '900-loyalty': 'expand', '901-loyalty-of-before': 'migrate' }, patchedStep);
    receiver = await startReceiver();
    const { db } = database;
    for (const { merchant_id: id } of await db('merchants').select('merchant_id')) {
      const url = receiver.url;
      await setMerchant(db, id, { webhookUrl: url, callbackUrl: url }, { environment: 'sandbox' });
    }
    owed = (await db('outbox').where({ state: 'pending' })).map(({ webhook_id: id }) => id);
    stack = await startStack({
      timeScale: 20,
      database,
      env: { MALIPO_SECRET_KEYS: fixtureKeys, MALIPO_SIMULATOR_STATE: folder },
      without: ['api', 'worker'],
    });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await owner.destroy();
    await stack.stop();
    await Promise.all([newer.remove(), receiver.close(), rm(folder, { recursive: true })]);
  });

  const applyTo = (to: string, force = false): Promise<Applied> =>
    applyMigrations(owner, { migrations: all, to, force, patienceSeconds: 60 });

  /** A migrator that is killed after more and more statements. @returns how often. */
  async function applyKilled(to: string): Promise<number> {
    for (let kills = 0; ; kills += 1) {
      const options = { migrations: all, to, patienceSeconds: 60 };
      if (await appliesUntil(database.migrateUrl, overhead + kills, options)) return kills;
    }
  }

  /** The payments of 1.0.0. */
  const recorded = () => stack.db('payments').whereNot({ merchant_id: merchant.merchantId });
  const open = (rail: string, kind: PaymentKind) => recorded().andWhere({ rail, kind, is_final: 0 });
  const finalCount = async () => (await stack.db('payments').where({ is_final: 1 })).length;
  const untilEnded = (count: number) =>
    waitFor(async () => (await finalCount()) >= count, { what: 'payments to end', timeoutMs: 90_000 });

  it('has payments of each kind in each open state', async () => {
    const rows = await database.db('payments').where({ is_final: 0 }).distinct('kind', 'state');
    expect(rows.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
      'deposit initiating',
      'deposit pending',
      'deposit received',
      'payout initiating',
      'payout pending',
      'payout processing',
      'payout queued',
      'payout received',
      'refund initiating',
      'refund pending',
      'refund received',
    ]);
    expect(owed).not.toEqual([]);
  });

  it('is migrated by migrators that are killed, while the processes of 1.0.0 work', async () => {
    await Promise.all([stack.start('api'), stack.start('worker')]);
    await expect(stack.startAnother('api', {}, newer.bundle.api)).rejects.toThrow(/code 1/);
    expect(await stack.logs()).toContain(
      'the database is older than this version: 900-loyalty is not applied; run malipo migrate up',
    );
    await malipo(stack, 'resume');
    let isMigrated = false;
    const load = inParallel(3, 3, async () => {
      do accepted.push((await pushUntilAccepted(stack, merchant)).paymentId);
      while (!isMigrated);
    });
    expect(await applyKilled('900')).toBeGreaterThan(3);
    const newApi = await stack.startAnother('api', {}, newer.bundle.api);
    expect(await applyKilled('901')).toBeGreaterThan(3);
    isMigrated = true;
    await load;
    const viaNew = await push({ apiUrl: newApi.url }, merchant);
    expect(viaNew.status).toBe(200);
    accepted.push(paymentIdOf(viaNew));
    await newApi.child.stop();
    expect(await recorded().andWhere({ loyalty: null } as object)).toEqual([]);
  });

  it('continues on the newer version, whose processes are killed, and after a return to 1.0.0', async () => {
    const { MALIPO_API_PORT: port = '' } = stack.env;
    await Promise.all([stack.kill('api'), stack.kill('worker')]);
    let newProcesses: FurtherProcess[] = [];
    for (const _ of [1, 2]) {
      for (const { child } of newProcesses) process.kill(-child.pid, 'SIGKILL');
      await Promise.all(newProcesses.map(({ child }) => child.exited));
      newProcesses = await Promise.all([
        stack.startAnother('api', { MALIPO_API_PORT: port }, newer.bundle.api),
        stack.startAnother('worker', {}, newer.bundle.worker),
      ]);
      accepted.push((await pushUntilAccepted(stack, merchant)).paymentId);
      await untilEnded((await finalCount()) + 1);
    }
    for (const { child } of newProcesses) process.kill(-child.pid, 'SIGKILL');
    await Promise.all(newProcesses.map(({ child }) => child.exited));
    await Promise.all([stack.start('api'), stack.start('worker')]);
    accepted.push((await pushUntilAccepted(stack, merchant)).paymentId);

    // What people decide, later than 1.0.0 ran: a network, a customer, a recipient and an operator.
    const provider = (rail: string) => simulatorControl(stack.simulatorUrl, rail);
    await setNetwork(provider('momo'), 'MTN_MOMO_UGA', 'PAYOUT', 'OPERATIONAL');
    // An old order has expired, and an old payout was returned: then nobody decides any more.
    const tooLate = () => undefined;
    for (const order of await open('cardproc', 'deposit'))
      await customer(provider('cardproc'), order, 'pay_card').catch(tooLate);
    for (const { payment_id: id, state } of await open('walletpay', 'payout'))
      if (state === 'queued')
        await provider('walletpay').notify(`items/${id}`, { action: 'claim' }).catch(tooLate);
    const paused = await stack.db('merchants').where({ name: 'Paused Shop' }).first('merchant_id');
    await malipo(stack, 'payouts', 'resume', '--merchant', paused?.merchant_id ?? '');
    // The next poll of an old payment may be hours away.
    const engine = await connectEngine(stack);
    for (const payment of await recorded().andWhere({ is_final: 0 })) await engine.checkNow(payment);
    await engine.close();
    await everythingEndsWell(stack, { merchants: [merchant], accepted, timeoutMs: 120_000 });
    const delivered = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    expect(owed.filter((id) => !delivered.has(id))).toEqual([]);
  });

  it('keeps what 1.0.0 needs, as long as one of its processes runs', async () => {
    const { applied, held } = await applyTo('902');
    expect([applied, held]).toMatchObject([
      [],
      {
        name: '902-without-its-key',
        needs: '900-loyalty',
        running: [
          { kind: 'api', knows: newestMigration },
          // A killed one counts for a minute.
          { kind: 'worker', knows: newestMigration },
        ],
      },
    ]);
    expect((await push(stack, merchant)).status).toBe(200);
  });

  it('if that was removed anyway, 1.0.0 stops working and logs why', async () => {
    await everythingEndsWell(stack, { merchants: [merchant] });
    const [oldWorker, oldApi] = [stack.process('worker'), stack.process('api')];
    expect(await applyTo('902', true)).toEqual({ applied: ['902-without-its-key'] });
    const isRefused = async () =>
      (await call(stack, merchant, 'GET', '/api/v1/query_balance')).status === 503;
    await waitFor(async () => (await isRefused()) || undefined, {
      what: 'the old API to notice',
      timeoutMs: 60_000,
    });
    expect((await fetch(`${stack.opsUrl}/readyz`)).status).toBe(503);
    expect(await push(stack, merchant)).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect((await fetch(`${stack.apiUrl}/healthz`)).status).toBe(200);
    expect(await oldWorker.exited).toBe('code 1');
    await expect(stack.startAnother('worker')).rejects.toThrow(/code 1/);
    expect(await stack.logs()).toContain(
      'the database is newer than this version, and 902-without-its-key removed what it needs; run a newer version',
    );
    process.kill(-oldApi.pid, 'SIGTERM');
    expect(await oldApi.exited).toBe('code 0');

    const { MALIPO_API_PORT: port = '' } = stack.env;
    await Promise.all([
      stack.startAnother('api', { MALIPO_API_PORT: port }, newer.bundle.api),
      stack.startAnother('worker', {}, newer.bundle.worker),
    ]);
    const answer = await push(stack, merchant);
    expect(answer.status).toBe(200);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: [paymentIdOf(answer)] });
  });
});
