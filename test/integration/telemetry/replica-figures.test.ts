/** An API process's metrics of its database replicas. */
import { Registry } from 'prom-client';
import { replicaFigures } from '../../../src/telemetry/figures/pool-figures';
import { readReplicaUrls } from '../../../src/telemetry/settings';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { startProcessLease } from '../../../src/payments/recovery/process-lease';
import { openDatabase } from '../../../src/store/database';
import { hostOf, startProxy } from '../../faults/support/proxy';
import { silentLog } from '../../support/silent-log';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { samplesOf } from '../../support/telemetry/samples';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

it('the age of the newest heartbeat in a replica is exported, and whether it is up', async () => {
  const lost = new URL(test.url);
  lost.port = '1';
  const registry = new Registry();
  const leaseDb = openDatabase(test.url, { poolMax: 2 });
  const lease = await startProcessLease(leaseDb, silentLog);
  const replicas = replicaFigures(
    [registry],
    readReplicaUrls({ MALIPO_REPLICA_URLS: `${test.url},${lost.href}` }),
  );
  try {
    await expect(replicas.show()).rejects.toThrow();
    const shown = samplesOf(await registry.metrics());
    const { host } = new URL(test.url);
    expect(shown.get(`malipo_database_replica_up{replica="${host}"}`)).toBe(1);
    expect(shown.get(`malipo_database_replica_lag_seconds{replica="${host}"}`)).toBeLessThan(60);
    expect(shown.get(`malipo_database_replica_up{replica="${lost.host}"}`)).toBe(0);
    expect(shown.has(`malipo_database_replica_lag_seconds{replica="${lost.host}"}`)).toBe(false);
  } finally {
    await replicas.close();
    await lease.close();
    await leaseDb.destroy();
  }
});

it('a replica is up while it answers, and has no lag once it is down', async () => {
  const leaseDb = openDatabase(test.url, { poolMax: 2 });
  const lease = await startProcessLease(leaseDb, silentLog);
  const proxy = await startProxy(hostOf(test.url));
  const registry = new Registry();
  const replicas = replicaFigures([registry], [proxy.via(test.url)]);
  const shown = async () => [...samplesOf(await registry.metrics())].sort();
  const labels = `{replica="${new URL(proxy.via(test.url)).host}"}`;
  try {
    await waitFor(
      async () => {
        await replicas.show();
        return true;
      },
      { what: 'the replica to be read', timeoutMs: 60_000 },
    );
    const before = await shown();
    expect(before.map(([name]) => name)).toEqual([
      `malipo_database_replica_lag_seconds${labels}`,
      `malipo_database_replica_up${labels}`,
    ]);
    proxy.hold();
    const asking = replicas.show().catch(() => undefined);
    expect(await shown()).toEqual(before);
    proxy.fail();
    await asking;
    expect(await shown()).toEqual([[`malipo_database_replica_up${labels}`, 0]]);
  } finally {
    await replicas.close();
    await proxy.close();
    await lease.close();
    await leaseDb.destroy();
  }
});
