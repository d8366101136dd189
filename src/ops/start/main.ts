/** `npm start`: the whole product on this machine, against simulated providers. */
import { readConfig } from '../../config';
import { secretBox } from '../../merchants/secrets';
import { overriding, readSecretFiles } from '../../secret-files';
import { openDatabase } from '../../store/database';
import { prepareSchema } from '../../store/prepare-schema';
import { printWarnings } from '../node-messages';
import { findMysql } from '../services/find-mysql';
import { findTemporal } from '../services/find-temporal';
import { surviveClosedPipes } from '../closed-pipes';
import { say, step } from '../services/progress';
import { keptCredentials, describeProviders } from './credentials';
import { runDemo, type DemoResult } from './demo';
import { sandboxEnvironment, sandboxUrls } from './environment';
import { readOptions } from './options';
import { choosePorts } from './ports';
import { ownProcesses } from './processes';
import type { SandboxDescription } from './sandbox-description';
import { makeFolders, readJsonIfThere, sandboxFolder, writeSecretJson } from './sandbox-folder';
import { ensureMerchants } from './sandbox-merchants';
import { emptySandbox, startServices } from './services';
import { lockFolder } from './start-lock';
import { printSummary } from './summary';
import { supervisor, type Supervisor } from './supervisor';

async function start(args: string[], supervise: Supervisor): Promise<void> {
  const options = readOptions(args);
  if (process.env.MALIPO_ENV === 'live')
    throw new Error('npm start is the sandbox; MALIPO_ENV=live does not fit it');
  const folder = sandboxFolder();
  await makeFolders(folder);
  lockFolder(folder);
  const ports = await choosePorts();
  const found = { mysql: await findMysql(), temporal: await findTemporal() };
  if (options.fresh) {
    await emptySandbox(folder, found);
    await makeFolders(folder);
  }

  const services = await startServices(found, folder, ports, supervise);
  const credentials = await keptCredentials(folder);
  const urls = sandboxUrls(ports, services);
  const env = sandboxEnvironment(urls, ports, services, credentials, folder);

  const config = readConfig(readSecretFiles(overriding(process.env, env)));
  await step('migrating the database', () => prepareSchema(services.database));
  const db = openDatabase(services.database.serviceUrl);
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
      merchants,
      providers: describeProviders(credentials, urls.providers),
    };
    await writeSecretJson(folder.description, description);

    for (const service of ownProcesses(urls, env, folder)) {
      await step(`starting ${service.name}`, () => supervise.start(service));
    }
    let demo: DemoResult | undefined;
    if (options.demo) {
      demo = await runDemo({
        description,
        namespace: services.temporalNamespace,
        db,
        env,
        // A private server's data lie beside the simulator's, and are emptied with them.
        withSimulatorsBooks: found.mysql.kind === 'mysql' || found.mysql.kind === 'mariadb',
      });
      if (demo.faults.length > 0) process.exitCode = 1;
    }
    printSummary(description, folder, demo);
  } finally {
    await db.destroy();
  }
}

/** Resolves with the first signal to stop. A second Ctrl-C does not hurry: an orderly end loses nothing. */
function toldToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        resolve(signal);
      });
    }
  });
}

async function main(): Promise<void> {
  printWarnings(say);
  const supervise = supervisor();
  const stop = toldToStop();
  const failed = start(process.argv.slice(2), supervise).then(
    // Up: nothing ends it but a signal.
    () => stop,
    (error: unknown) => error,
  );
  const ending = await Promise.race([stop, failed]);
  if (typeof ending !== 'string') {
    say(`✗ ${ending instanceof Error ? ending.message : String(ending)}`);
    process.exitCode = 1;
  }
  await supervise.stop();
  // The start may have been stopped half-way; what it still waits for is not waited for.
  process.exit();
}

surviveClosedPipes();
void main();
