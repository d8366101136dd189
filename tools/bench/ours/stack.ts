/** The whole product, in a separate folder, with the same servers and settings as `npm start`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transferByHand } from '../../sandbox/transfer-by-hand';
import { createMerchant, setMerchant, type NewMerchant } from '../../../src/merchants/merchants';
import { secretBox } from '../../../src/merchants/secrets';
import { readConfig } from '../../../src/config';
import { launch, type ChildProcess } from '../../sandbox/services/child-process';
import { findMysql } from '../../sandbox/services/find-mysql';
import { findTemporal } from '../../sandbox/services/find-temporal';
import { freePort } from '../../sandbox/services/free-port';
import { step } from '../../sandbox/services/progress';
import type { TemporalSettings } from '../../../src/process/temporal-connection';
import { runCommand } from '../../sandbox/services/run-command';
import { keptCredentials } from '../../sandbox/credentials';
import { sandboxEnvironment, sandboxUrls } from '../../sandbox/environment';
import { portNames, type Ports } from '../../sandbox/ports';
import { ownProcesses } from '../../sandbox/processes';
import { makeFolders, sandboxFolder } from '../../sandbox/sandbox-folder';
import { startServices } from '../../sandbox/start-services';
import type { Supervisor } from '../../sandbox/supervisor';
import { openDatabase, type Database } from '../../../src/store/database';
import { schemaOf, withSchema } from '../../../src/store/database-address';
import { prepareSchema } from '../../../src/store/prepare-schema';
import { plainTemporal } from '../measures/temporal-client';

/** The built `malipo` command. */
export const cli = join(__dirname, '..', '..', '..', 'bundle', 'cli.js');

/**
 * A fast customer, slower than the creation: no customer pays before the shop knows of the prompt, and the
 * processing of the result must not delay the creation.
 */
export const customerMs = 100;
/** A merchant's limits are a product decision; the benchmark measures the engine. */
const unlimited = 1_000_000;
/** In ngwee; more than any run pays out. */
const floatMinor = 1_000_000_000n;

export interface Stack {
  apiUrl: string;
  temporal: TemporalSettings;
  db: Database;
  /** The same database with every privilege, for measurements. */
  admin: Database;
  merchant: NewMerchant;
  /** The ids of the running processes, by name: api, worker, simulator, temporal, mysql. */
  readonly pids: Record<string, number>;
  /** @throws an Error with what `malipo verify` found. */
  verify(...options: string[]): Promise<void>;
  env: Record<string, string>;
  /** Runs `malipo` with these arguments. @throws an Error with its output on failure. */
  malipo(...args: string[]): Promise<string>;
  /** A further merchant, without limits and with its own float. */
  addMerchant(name: string, webhookUrl?: string): Promise<NewMerchant>;
  /** The names of processes that ended unexpectedly. */
  dead(): string[];
  /** The output of the API, the worker and the simulator so far. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts each service once: a dead process stays dead, and the run fails. */
function startedOnce(): Supervisor {
  const children: ChildProcess[] = [];
  return {
    async start(service) {
      children.push(await launch(service));
    },
    async stop() {
      for (const child of [...children].reverse()) await child.stop();
    },
  };
}

/**
 * @param settings further ones, which override the sandbox's
 * @param nodeArgs further options of Node, by the name of the process
 */
export async function startStack(
  root: string,
  webhookUrl: string,
  settings: Record<string, string> = {},
  keeper: Supervisor = startedOnce(),
  nodeArgs?: (name: string) => readonly string[],
): Promise<Stack> {
  const children = new Map<string, ChildProcess>();
  const supervise: Supervisor = {
    start: (service) =>
      keeper.start({
        ...service,
        async spawn() {
          const child = await service.spawn();
          children.set(service.name.replace('the ', '').toLowerCase(), child);
          return child;
        },
      }),
    stop: () => keeper.stop(),
  };
  // If the run is interrupted, everything that it started ends, before its folder is deleted.
  process.prependOnceListener('exit', () => {
    for (const child of children.values()) if (child.isRunning()) process.kill(-child.pid, 'SIGKILL');
  });

  const folder = sandboxFolder(root);
  await makeFolders(folder);
  const ports = await freePorts();
  // Ignores the environment's servers: they belong to others, with other data and load.
  const found = { mysql: await findMysql({}), temporal: await findTemporal({}) };
  const services = await startServices(found, folder, ports, supervise);
  const urls = sandboxUrls(ports, services);
  const env = {
    ...sandboxEnvironment(urls, ports, services, await keptCredentials(folder), folder),
    // The generator acts for many merchants, as a proxy does.
    MALIPO_CONNECTIONS_PER_ADDRESS: '512',
    MALIPO_SIMULATOR_STK_DELAY_MS: String(customerMs),
    MALIPO_SIMULATOR_MOMO_DELAY_MS: String(customerMs),
    ...settings,
  };
  await prepareSchema(services.database);
  const { auditKeys } = readConfig(env);
  const db = openDatabase(services.database.serviceUrl, { poolMax: 2, auditKeys });
  if (services.adminUrl === undefined) throw new Error('the database server must be a private one');
  const adminUrl = withSchema(services.adminUrl, schemaOf(services.database.serviceUrl));
  const admin = openDatabase(adminUrl, { poolMax: 8, auditKeys });
  const merchant = await addMerchant(db, env, 'Benchmark', webhookUrl);
  for (const service of ownProcesses(urls, env, folder, nodeArgs)) {
    await step(`starting ${service.name}`, () => supervise.start(service));
  }

  const malipo = (...args: string[]) =>
    runCommand(process.execPath, [cli, ...args], { env: { ...process.env, ...env } });

  return {
    apiUrl: urls.api,
    temporal: plainTemporal(services.temporalAddress),
    db,
    admin,
    merchant,
    get pids() {
      return Object.fromEntries([...children].map(([name, { pid }]) => [name, pid]));
    },
    env,
    addMerchant: (name, url = webhookUrl) => addMerchant(db, env, name, url),
    dead: () => [...children].filter(([, child]) => !child.isRunning()).map(([name]) => name),
    async logs() {
      const files = ['api', 'worker', 'simulator'].map((name) => folder.log(name));
      return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    },
    malipo,
    async verify(...options) {
      await malipo('verify', '--json', ...options);
    },
    async stop() {
      await admin.destroy();
      await db.destroy();
      await supervise.stop();
    },
  };
}

export async function addMerchant(
  db: Database,
  env: Record<string, string>,
  name: string,
  webhookUrl: string,
): Promise<NewMerchant> {
  const environment = 'sandbox';
  const merchant = await createMerchant(db, secretBox(readConfig(env).secretKeys), {
    name,
    environment,
    stkRate: unlimited,
    stkBurst: unlimited,
    apiRate: unlimited,
    apiBurst: unlimited,
  });
  const { merchant_id: merchantId } = merchant;
  await setMerchant(db, merchantId, { webhookUrl, callbackUrl: webhookUrl }, { environment });
  await transferByHand(db, {
    from: { class: 'bank', currency: 'ZMW' },
    to: { class: 'float', merchantId, rail: 'momo', country: 'ZMB', currency: 'ZMW' },
    amountMinor: floatMinor,
    reason: 'the benchmark',
    whenShort: 'FLOAT_INSUFFICIENT',
  });
  return merchant;
}

export async function freePorts(): Promise<Ports> {
  const ports = await Promise.all(portNames.map(async (name) => [name, await freePort()] as const));
  return Object.fromEntries(ports) as Record<keyof Ports, number>;
}
