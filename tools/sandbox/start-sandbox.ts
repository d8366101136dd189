/** The start of `npm start`, and of the service `sandbox` of docker-compose.yml. */
import { findMysql } from './services/find-mysql';
import { findTemporal } from './services/find-temporal';
import { bringUp } from './bring-up';
import { keptCredentials } from './credentials';
import { sandboxEnvironment, sandboxUrls, type SandboxUrls } from './environment';
import { readOptions } from './options';
import { choosePorts } from './ports';
import { ownProcesses } from './processes';
import { makeFolders, sandboxFolder } from './sandbox-folder';
import { emptySandbox, startServices } from './start-services';
import { lockFolder } from './start-lock';
import { printSummary, type ShellCommands } from './summary';
import type { Supervisor } from './supervisor';

export interface SandboxPlace {
  /** How users reach the sandbox, if not from the terminal of `npm start`. */
  shell?: ShellCommands;
  /** True if the database is always emptied together with the simulator's books. */
  withSimulatorsBooks?: boolean;
  /** What else users need when all processes are ready. */
  whenReady?(urls: SandboxUrls): Promise<unknown>;
}

export async function startSandbox(
  args: string[],
  supervise: Supervisor,
  { shell, withSimulatorsBooks, whenReady }: SandboxPlace = {},
): Promise<void> {
  const options = readOptions(args);
  if (process.env.MALIPO_ENV === 'live')
    throw new Error('npm start is the sandbox; it does not run with MALIPO_ENV=live');
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
      // A private server's data are beside the simulator's, and emptied together.
      withSimulatorsBooks:
        withSimulatorsBooks ?? (found.mysql.kind === 'mysql' || found.mysql.kind === 'mariadb'),
    },
    supervise,
  );
  await whenReady?.(urls);
  printSummary(description, folder, demo, shell && { shell });
}
