/** `npm start`: the whole product on this machine, against simulated providers. */
import { findMysql } from './services/find-mysql';
import { findTemporal } from './services/find-temporal';
import { bringUp } from './bring-up';
import { keptCredentials } from './credentials';
import { sandboxEnvironment, sandboxUrls } from './environment';
import { readOptions } from './options';
import { choosePorts } from './ports';
import { ownProcesses } from './processes';
import { makeFolders, sandboxFolder } from './sandbox-folder';
import { emptySandbox, startServices } from './start-services';
import { lockFolder } from './start-lock';
import { printSummary } from './summary';
import type { Supervisor } from './supervisor';
import { runUntilStopped } from './until-stopped';

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
  const { description, demo } = await bringUp(
    {
      folder,
      services,
      urls,
      credentials,
      env,
      processes: ownProcesses(urls, env, folder),
      demo: options.demo,
      portalUrl: urls.portal,
      // A private server's data lie beside the simulator's, and are emptied with them.
      withSimulatorsBooks: found.mysql.kind === 'mysql' || found.mysql.kind === 'mariadb',
    },
    supervise,
  );
  printSummary(description, folder, demo);
}

void runUntilStopped(start);
