/** kill -9 at one packet to the database after another, counted by a proxy: just before it arrives, or just after. */
import { waitFor } from '../../tools/sandbox/services/wait-for';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startStack, type OwnStack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { pushUntilAccepted, type Pushed } from './support/patient-merchant';
import { hostOf, startProxy, type Moment, type Proxy } from './support/proxy';

/** A payment takes the worker some 50 packets from the attempt to the delivered webhook, and the API some 15. */
const workerPackets = Array.from({ length: 25 }, (_, n) => 1 + 2 * n);
const apiPackets = Array.from({ length: 10 }, (_, n) => 1 + 2 * n);

describe('kill -9 at any packet to the database', () => {
  let database: TestDatabase;
  let proxies: Record<'api' | 'worker', Proxy>;
  let stack: OwnStack;
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

  /** Runs one payment after another into a kill. Each recovers while the next one is in progress. */
  async function killAtEach(name: 'api' | 'worker', packets: number[]): Promise<string[]> {
    const pushing: Promise<Pushed>[] = [];
    for (const packet of packets) {
      const { pid, exited } = stack.process(name);
      const when: Moment = packet % 4 === 1 ? 'before' : 'after';
      const killed = proxies[name].atPacket(packet, when, () => process.kill(-pid, 'SIGKILL'));
      pushing.push(pushUntilAccepted(stack, merchant));
      const what = `the ${name} to send packet ${packet}`;
      await waitFor(async () => killed() || undefined, { what, timeoutMs: 30_000, everyMs: 10 });
      await exited;
      await stack.start(name);
    }
    return (await Promise.all(pushing)).map(({ paymentId }) => paymentId);
  }

  it.each([
    ['worker', workerPackets],
    ['api', apiPackets],
  ] as const)('of the %s loses, doubles and forgets nothing', async (name, packets) => {
    const accepted = await killAtEach(name, packets);
    await everythingEndsWell(stack, { merchants: [merchant], accepted, timeoutMs: 120_000 });
    expect(new Set(accepted).size).toBe(packets.length);
  });
});
