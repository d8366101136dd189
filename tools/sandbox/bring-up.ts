/** The steps of `npm start` and `npm run cluster` after their servers: schema, merchants, our processes, the demo. */
import { writeFile } from 'node:fs/promises';
import { readJsonIfThere } from '../../src/cli/kept-sandbox';
import { readConfig } from '../../src/config';
import { findMerchant, setMerchant } from '../../src/merchants/merchants';
import { secretBox } from '../../src/merchants/secrets';
import { overriding, readSecretFiles } from '../../src/secret-files';
import { openDatabase, type Database } from '../../src/store/database';
import { prepareSchema } from '../../src/store/prepare-schema';
import type { Service } from './services/child-process';
import { step } from './services/progress';
import { describeProviders, providerEnvironment, type SandboxCredentials } from './credentials';
import { runDemo, type DemoResult } from './demo';
import { demoTable } from './demo/table';
import { printerPath, webhookPrinter } from './demo/webhook-receiver';
import type { SandboxUrls } from './environment';
import type { SandboxDescription } from './sandbox-description';
import { writeSecretJson, writeSecretText, type SandboxFolder } from './sandbox-folder';
import { ensureMerchants, type SandboxMerchant } from './sandbox-merchants';
import { ensureOwner } from './sandbox-owner';
import { providerAddresses } from './simulated-providers';
import type { Services } from './start-services';
import { shellKeys } from './shell-keys';
import type { Supervisor } from './supervisor';

export interface BringUp {
  folder: SandboxFolder;
  services: Services;
  urls: SandboxUrls;
  credentials: SandboxCredentials;
  env: Record<string, string>;
  /** Further values that `malipo` needs, beside those of every sandbox. */
  settings?: Record<string, string>;
  /** In the order of their start. */
  processes: Service[];
  demo: boolean;
  /** False if the database may contain payments of an earlier simulator, whose books are gone. */
  withSimulatorsBooks: boolean;
  /** The portal's address, if it runs. */
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
    const { merchants, demo_merchant } = await ensureMerchants(db, secretBox(config.secretKeys), kept);
    await printWebhooksOf(db, merchants[0]);
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
      demo_merchant,
      ...(of.portalUrl !== undefined && {
        portal: await ensureOwner(db, of.portalUrl, merchants[0], kept?.portal),
      }),
      providers: describeProviders(credentials, urls.providers),
    };
    await writeSecretJson(folder.description, description);
    await writeSecretText(folder.env, shellKeys(description));

    for (const service of of.processes) {
      await step(`starting ${service.name}`, () => supervise.start(service));
    }
    if (!of.demo) return { description, demo: undefined };
    const { temporalNamespace: namespace } = services;
    const demo = await runDemo({
      merchant: demo_merchant,
      description,
      namespace,
      db,
      env,
      withSimulatorsBooks: of.withSimulatorsBooks,
    });
    await writeFile(folder.demo, demoTable(demo));
    if (demo.faults.length > 0) process.exitCode = 1;
    return { description, demo };
  } finally {
    await db.destroy();
  }
}

/** An address of its own is left as it is; one of an earlier start answers no more. */
async function printWebhooksOf(db: Database, shop: SandboxMerchant | undefined): Promise<void> {
  const row = shop && (await findMerchant(db, shop.merchant_id));
  if (!row) return;
  const isOurs = (url: string | null) => url === null || url.endsWith(printerPath);
  const url = await webhookPrinter(shop.webhook_secret);
  const changes = {
    ...(isOurs(row.webhook_url) && { webhookUrl: url }),
    ...(isOurs(row.callback_url) && { callbackUrl: url }),
  };
  await setMerchant(db, shop.merchant_id, changes, { environment: 'sandbox' });
}
