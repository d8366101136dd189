/** Two versions beside each other while the database is brought from what the one knows to what the other needs. */
import { waitFor } from '../../tools/sandbox/services/wait-for';
import { openDatabase, type Database } from '../../src/store/database';
import { applyMigrations, type Applied } from '../../src/store/migrating/apply-migrations';
import { migrations, newestMigration } from '../../src/store/migrations';
import type { Migration } from '../../src/store/migrations/migration';
import { push } from '../support/rails/stk/payment-story';
import { call, paymentIdOf } from '../support/merchant-client';
import { createTestDatabase, testPatienceMs, type TestDatabase } from '../support/database';
import { startStack, type FurtherProcess, type OwnStack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { newerVersion, type NewerVersion } from './support/newer-version';
import { inParallel, pushUntilAccepted } from './support/patient-merchant';

const down = () => Promise.resolve();

/** What the newer version brings, step by step. */
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

describe('a version and the next one', () => {
  let database: TestDatabase;
  let owner: Database;
  let stack: OwnStack;
  let merchant: TestMerchant;
  let newer: NewerVersion;
  let newApi: FurtherProcess;
  beforeAll(async () => {
    database = await createTestDatabase();
    owner = openDatabase(database.migrateUrl, { poolMax: 2, patienceMs: testPatienceMs });
    newer = await newerVersion({ '900-loyalty': 'expand', '901-loyalty-of-before': 'migrate' });
    stack = await startStack({ timeScale: 20, database });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await owner.destroy();
    await stack.stop();
    await newer.remove();
  });

  const applyTo = (to: string, force = false): Promise<Applied> =>
    applyMigrations(owner, { migrations: { ...migrations, ...added }, to, force, patienceSeconds: 60 });

  it('run side by side, while what the next one needs is added and rows are rewritten', async () => {
    await expect(stack.startAnother('api', {}, newer.bundle.api)).rejects.toThrow(/code 1/);
    expect(await stack.logs()).toContain(
      'the database is older than this version: 900-loyalty is not applied; run malipo migrate up',
    );

    let isMigrated = false;
    const load = inParallel(3, 3, async () => {
      const ids: string[] = [];
      do ids.push((await pushUntilAccepted(stack, merchant)).paymentId);
      while (!isMigrated);
      return ids;
    });
    await waitFor(async () => (await stack.db('payments').where({ is_final: 1 })).length > 2 || undefined, {
      what: 'payments that have ended',
      timeoutMs: 60_000,
    });
    expect(await applyTo('900')).toEqual({ applied: ['900-loyalty'] });
    newApi = await stack.startAnother('api', {}, newer.bundle.api);
    await stack.startAnother('worker', {}, newer.bundle.worker);
    expect(await applyTo('901')).toEqual({ applied: ['901-loyalty-of-before'] });
    // One of the old version that comes up again meanwhile.
    await stack.kill('api');
    await stack.start('api');
    const viaNew = await push({ apiUrl: newApi.url }, merchant);
    expect(viaNew.status).toBe(200);
    isMigrated = true;
    const accepted = [...(await load).flat(), paymentIdOf(viaNew)];
    await everythingEndsWell(stack, { merchants: [merchant], accepted });
    expect(await stack.logs()).toContain('the database is newer than this version, which goes on');
  });

  it('are not cut off from each other: nothing is taken away that one still needs', async () => {
    const { applied, held } = await applyTo('902');
    expect([applied, held]).toMatchObject([
      [],
      {
        name: '902-without-its-key',
        needs: '900-loyalty',
        running: [
          { kind: 'api', knows: newestMigration },
          { kind: 'worker', knows: newestMigration, count: 1 },
        ],
      },
    ]);
    expect((await push(stack, merchant)).status).toBe(200);
  });

  it('where it was taken away all the same, the old one does nothing more and says why', async () => {
    await everythingEndsWell(stack, { merchants: [merchant] });
    const [oldWorker, oldApi] = [stack.process('worker'), stack.process('api')];
    expect(await applyTo('902', true)).toEqual({ applied: ['902-without-its-key'] });
    const isRefused = async () =>
      (await call(stack, merchant, 'GET', '/api/v1/query_balance')).status === 503;
    await waitFor(async () => (await isRefused()) || undefined, {
      what: 'the old API to see it',
      timeoutMs: 60_000,
    });
    expect((await fetch(`${stack.opsUrl}/readyz`)).status).toBe(503);
    expect(await push(stack, merchant)).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect((await fetch(`${stack.apiUrl}/healthz`)).status).toBe(200);
    expect(await oldWorker.exited).toBe('code 1');
    await expect(stack.startAnother('worker')).rejects.toThrow(/code 1/);
    expect(await stack.logs()).toContain(
      'the database is newer than this version, and 902-without-its-key took away what it needs; run a newer version',
    );
    process.kill(-oldApi.pid, 'SIGTERM');
    expect(await oldApi.exited).toBe('code 0');

    const { MALIPO_API_PORT: itsPort = '' } = stack.env;
    await stack.startAnother('api', { MALIPO_API_PORT: itsPort }, newer.bundle.api);
    const answer = await push(stack, merchant);
    expect(answer.status).toBe(200);
    await everythingEndsWell(stack, { merchants: [merchant], accepted: [paymentIdOf(answer)] });
  });
});
