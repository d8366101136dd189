/** A connection to the database that breaks at one packet after another: before it arrived, or with its answer lost. */
import { waitFor } from '../../src/ops/services/wait-for';
import { createTestDatabase, type TestDatabase } from '../support/services';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { pushUntilAccepted, type Pushed } from './support/patient-merchant';
import { hostOf, startProxy, type Moment, type Proxy } from './support/proxy';

jest.setTimeout(240_000);

const moments: Moment[] = ['before', 'after'];
/** What a payment takes of each, roughly: further packets are those of the next one. */
const packetsMax = { api: 13, worker: 40 };

describe('a connection to the database that breaks at any packet', () => {
  let database: TestDatabase;
  let proxies: Record<'api' | 'worker', Proxy>;
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    database = await createTestDatabase();
    const host = hostOf(database.url);
    proxies = { api: await startProxy(host), worker: await startProxy(host) };
    stack = await startStack({
      timeScale: 20,
      database,
      envOf: {
        api: { DATABASE_URL: proxies.api.via(database.url) },
        worker: { DATABASE_URL: proxies.worker.via(database.url) },
      },
    });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([proxies.api.close(), proxies.worker.close()]);
  });

  /** Who was told to come back does so while the next one is on its way. */
  async function cutAtEach(name: 'api' | 'worker', when: Moment, step: number): Promise<Pushed[]> {
    const pushing: Promise<Pushed>[] = [];
    for (let packet = 1; packet <= packetsMax[name]; packet += step) {
      const broken = proxies[name].atPacket(packet, when, proxies[name].cut);
      pushing.push(pushUntilAccepted(stack, merchant));
      const what = `the ${name} to send packet ${packet}`;
      await waitFor(async () => broken() || undefined, { what, timeoutMs: 30_000, everyMs: 10 });
    }
    return Promise.all(pushing);
  }

  it.each(moments)(
    '%s the server has it costs the API no payment, and the merchant no second one',
    async (when) => {
      const pushed = await cutAtEach('api', when, 1);
      const accepted = pushed.map(({ paymentId }) => paymentId);
      await everythingEndsWell(stack, { merchants: [merchant], accepted });
      expect(new Set(accepted).size).toBe(pushed.length);
      // A request is accepted or told to come back; it never breaks, and what was told to come back began nothing.
      expect(pushed.map(({ broken }) => broken)).toEqual(pushed.map(() => 0));
      const further = await stack
        .db('payments')
        .whereNotIn('payment_id', accepted)
        .whereNot({ state: 'failed' });
      expect(further.filter(({ created_at: at }) => at >= started)).toEqual([]);
    },
  );

  it.each(moments)('%s the server has it makes the worker do nothing twice', async (when) => {
    const accepted = (await cutAtEach('worker', when, 2)).map(({ paymentId }) => paymentId);
    await everythingEndsWell(stack, { merchants: [merchant], accepted });
  });

  let started = new Date();
  beforeEach(() => {
    started = new Date();
  });
});
