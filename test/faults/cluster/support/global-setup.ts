/** A cluster's servers for the whole run, with TLS; each test file creates its own database, and a stack. */
import { join } from 'node:path';
import { startClusterServers } from '../../../../tools/cluster/servers';
import { launch } from '../../../../tools/sandbox/services/child-process';
import { freePort } from '../../../../tools/sandbox/services/free-port';
import { step } from '../../../../tools/sandbox/services/progress';
import { testAuditKey } from '../../../support/audit-key';
import { runFolder } from '../../../support/run-folder';
import { testServices } from '../../../support/services-of-run';

export default async function globalSetup(): Promise<void> {
  const folder = await runFolder();
  process.env.MALIPO_AUDIT_KEY = testAuditKey;
  const servers = await step('starting the servers of a cluster for the tests', async () =>
    startClusterServers({
      folder,
      ports: { mysql: await freePort(), temporal: await freePort() },
      logFile: (name) => join(folder, `${name}.log`),
      start: async (service) => {
        testServices.children.push(await launch(service));
      },
    }),
  );
  process.env.MALIPO_TEST_DATABASE_URL = servers.mysql.adminUrl;
  process.env.MALIPO_TEST_TEMPORAL_ADDRESS = servers.temporalAddress;
  process.env.MALIPO_TEST_TEMPORAL_SETTINGS = JSON.stringify(servers.temporal.settings);
}
