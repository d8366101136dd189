/** What `npm start` and `npm run cluster` do once their servers run: schema, merchants, our processes, the demo. */
import { readJsonIfThere } from '../../src/cli/kept-sandbox';
import { readConfig } from '../../src/config';
import { secretBox } from '../../src/merchants/secrets';
import { overriding, readSecretFiles } from '../../src/secret-files';
import { openDatabase } from '../../src/store/database';
import { prepareSchema } from '../../src/store/prepare-schema';
import type { Service } from './services/child-process';
import { step } from './services/progress';
import { describeProviders, providerEnvironment, type SandboxCredentials } from './credentials';
import { runDemo, type DemoResult } from './demo';
import type { SandboxUrls } from './environment';
import type { SandboxDescription } from './sandbox-description';
import { writeSecretJson, type SandboxFolder } from './sandbox-folder';
import { ensureMerchants } from './sandbox-merchants';
import { ensureOwner } from './sandbox-owner';
import { providerAddresses } from './simulated-providers';
import type { Services } from './start-services';
import type { Supervisor } from './supervisor';

export interface BringUp {
  folder: SandboxFolder;
  services: Services;
  urls: SandboxUrls;
  credentials: SandboxCredentials;
  env: Record<string, string>;
  /** What `malipo` needs beside what every sandbox describes. */
  settings?: Record<string, string>;
  /** In the order in which they are started. */
  processes: Service[];
  demo: boolean;
  /** False where the database may know payments of an earlier simulator, whose books are gone. */
  withSimulatorsBooks: boolean;
  /** Where the portal is, if there is one. */
  portalUrl?: string;
}

export interface BroughtUp {
  description: SandboxDescription;
  demo: DemoResult | undefined;
}

export async function bringUp(of: BringUp, supervise: Supervisor): Promise<BroughtUp> {
  const { folder, services, urls, credentials, env } = of;
  const config = readConfig(readSecretFiles(overriding(process.env, env)));
  await step('migrating the database', () => prepareSchema(services.database));
  const db = openDatabase(services.database.serviceUrl, { auditKeys: config.auditKeys });
  try {
    const kept = await readJsonIfThere<SandboxDescription>(folder.description);
    const merchants = await ensureMerchants(db, secretBox(config.secretKeys), kept?.merchants ?? []);
    const description: SandboxDescription = {
      api_url: urls.api,
      ops_url: urls.ops,
      simulator_url: urls.simulator,
      temporal_address: services.temporalAddress,
      temporal_ui_url: services.temporalUiUrl,
      database_url: services.database.serviceUrl,
      settings: {
        ...of.settings,
        ...providerAddresses(urls.providers),
        ...providerEnvironment(credentials),
      },
      merchants,
      ...(of.portalUrl !== undefined && {
        portal: await ensureOwner(db, of.portalUrl, merchants[0], kept?.portal),
      }),
      providers: describeProviders(credentials, urls.providers),
    };
    await writeSecretJson(folder.description, description);

    for (const service of of.processes) {
      await step(`starting ${service.name}`, () => supervise.start(service));
    }
    if (!of.demo) return { description, demo: undefined };
    const { temporalNamespace: namespace } = services;
    const demo = await runDemo({
      description,
      namespace,
      db,
      env,
      withSimulatorsBooks: of.withSimulatorsBooks,
    });
    if (demo.faults.length > 0) process.exitCode = 1;
    return { description, demo };
  } finally {
    await db.destroy();
  }
}
