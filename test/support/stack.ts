/**
 * The product as it runs: an API, a worker and a simulator, as separate processes. With MALIPO_TARGET=cluster there are
 * several of the first two, and a balancer in front of the APIs.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, startChild, whenReady, type ChildProcess } from '../../tools/sandbox/services/child-process';
import { answersOk } from '../../tools/sandbox/services/wait-for';
import { notificationAddresses, sandboxTrust } from '../../tools/sandbox/environment';
import {
  forEachProvider,
  providerAddresses,
  providerNames,
  type ProviderUrls,
} from '../../tools/sandbox/simulated-providers';
import type { Database } from '../../src/store/database';
import { testAuditKey } from './audit-key';
import { portReserve } from './ports';
import { formation, type Formation, type Member } from './formation';
import { shortLived } from './short-lived';
import { createTestDatabase, type TestDatabase } from './database';
import { testCredentials } from './sandbox/test-credentials';
import { dropSchedules, testTemporalSettings } from './temporal';
import { merchantsOf, type MerchantsOfStack } from './merchants-of-stack';

export type { TestMerchant } from './merchants-of-stack';

const bundles = join(__dirname, '..', '..', 'dist', 'bundle');
export type ProcessName = 'api' | 'worker' | 'simulator';

export interface StackOptions {
  /** How many times faster than the wall clock the sandbox runs. */
  timeScale?: number;
  env?: Record<string, string>;
  /** Settings of one process only, such as a database behind a proxy. */
  envOf?: Partial<Record<ProcessName, Record<string, string>>>;
  /** Processes that are not started. */
  without?: ProcessName[];
  temporalAddress?: string;
  database?: Pick<TestDatabase, 'url' | 'db' | 'drop'>;
  /** The parent folder of the stack's folder. */
  within?: string;
  /** The jest process may end before it. */
  outlivesUs?: boolean;
}

/** What a test file does with a stack, shared or not. */
export interface Stack {
  apiUrl: string;
  /** The operators' address of the API. */
  opsUrl: string;
  /** The simulator's front page and control API. */
  simulatorUrl: string;
  /** The origin of each simulated provider. */
  providerUrls: ProviderUrls;
  db: Database;
  env: Record<string, string>;
  /** Merchants of earlier files on the same database. */
  formerMerchants: readonly string[];
  /** A new merchant, whose webhooks arrive at its own receiver. */
  createMerchant: MerchantsOfStack['createMerchant'];
  /** Everything the processes have logged so far. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

/** A stack for one file only, which may kill and restart its processes. */
export interface OwnStack extends Stack {
  /** The folder of the processes' logs and the simulator's state. */
  folder: string;
  /** The first, when there are several. */
  process(name: ProcessName): ChildProcess;
  /** kill -9 of all processes of this kind. */
  kill(name: ProcessName): Promise<void>;
  /** Starts the processes of this kind that are not running. */
  start(name: ProcessName): Promise<void>;
  /** The processes of each kind, as they are started. */
  members: Formation['members'];
  pidOf(member: string): number;
  /** The names of the processes of this kind: one, or several in a cluster. */
  names(name: 'api' | 'worker'): string[];
  /** Stops one of them in order, an API once the balancer has removed it, and starts it again. */
  restart(member: string): Promise<void>;
  /**
   * One more process of this kind, on its own ports and with the same settings except `env`. It ends with the stack.
   * @param bundle a file among the bundles, of another version
   */
  startAnother(
    name: 'api' | 'worker',
    env?: Record<string, string>,
    bundle?: string,
  ): Promise<FurtherProcess>;
}

export interface FurtherProcess {
  url: string;
  child: ChildProcess;
}

export const processNames = ['api', 'worker', 'simulator'] as const satisfies ProcessName[];

export async function startStack(options: StackOptions = {}): Promise<OwnStack> {
  const database = options.database ?? (await createTestDatabase());
  const folder = await mkdtemp(join(options.within ?? tmpdir(), 'malipo-stack-'));
  const ports = portReserve();
  const [api, simulator, smtp] = await Promise.all([ports.take(), ports.take(), ports.take()]);
  const apiUrl = `http://127.0.0.1:${String(api)}`;
  const simulatorUrl = `http://127.0.0.1:${String(simulator)}`;
  const providerPorts = await Promise.all(providerNames.map(() => ports.take()));
  const providerUrls = forEachProvider(
    (name) => `http://127.0.0.1:${String(providerPorts[providerNames.indexOf(name)])}`,
  );
  const parts = await formation({ folder, apiPort: api, simulatorUrl, take: () => ports.take() });
  const { opsUrl } = parts;
  const env: Record<string, string> = {
    MALIPO_ENV: 'sandbox',
    DATABASE_URL: database.url,
    ...(options.temporalAddress === undefined
      ? testTemporalSettings()
      : { TEMPORAL_ADDRESS: options.temporalAddress }),
    MALIPO_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
    ...parts.env,
    MALIPO_SIMULATOR_PORT: String(simulator),
    MALIPO_SIMULATOR_SMTP_PORT: String(smtp),
    MALIPO_SMTP_URL: `smtp://127.0.0.1:${String(smtp)}`,
    MALIPO_SIMULATOR_STATE: join(folder, 'simulator'),
    MALIPO_SIMULATOR_URL: simulatorUrl,
    MALIPO_AUDIT_KEY: testAuditKey,
    MALIPO_SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    // A machine that is slow for a while must not make the API shed requests, except in tests of that.
    MALIPO_BACKLOG_MAX_MS: '60000',
    // Nor must the limits per address, because all callers share one.
    MALIPO_CONNECTIONS_PER_ADDRESS: '1024',
    MALIPO_KEYLESS_ORDERS: '60000',
    MALIPO_KEYLESS_ORDERS_OF_ALL: '60000',
    // Jobs recur only in tests of jobs.
    MALIPO_SCHEDULES: 'off',
    MALIPO_SANDBOX_TIME_SCALE: String(options.timeScale ?? 20),
    ...providerAddresses(providerUrls),
    ...testCredentials(),
    STK_CONSUMER_KEY: 'test-consumer-key',
    STK_CONSUMER_SECRET: 'test-consumer-secret',
    STK_PASSKEY: 'test-passkey',
    STK_SHORTCODE: '174379',
    ...notificationAddresses(apiUrl),
    MOMO_TOKEN: 'test-momo-token',
    // Tests of the other provider set it.
    XB_PROVIDER_UGX: 'intasend',
    XB_PROVIDER_TZS: 'intasend',
    XB_SECRET_KEY: 'test-xb-secret-key',
    XB_PUBLISHABLE_KEY: 'test-xb-publishable-key',
    XB_CHALLENGE: 'test-xb-challenge-of-32-characters',
    WALLETPAY_CLIENT_ID: 'test-client-id',
    WALLETPAY_CLIENT_SECRET: 'test-client-secret',
    WALLETPAY_WEBHOOK_ID: 'test-webhook-id',
    ...sandboxTrust(providerUrls),
    CARDPROC_CONSUMER_KEY: 'test-checkout-key',
    CARDPROC_CONSUMER_SECRET: 'test-checkout-secret',
    ...options.env,
  };
  const running = new Map<string, ChildProcess>();
  const further: ChildProcess[] = [];
  const merchants = merchantsOf({ db: database.db, env });

  function spawn(
    name: ProcessName,
    member: string,
    ownEnv: Record<string, string>,
    bundle = `${name}.js`,
  ): Promise<ChildProcess> {
    return startChild({
      name: `the test's ${member}`,
      command: process.execPath,
      args: [...shortLived, join(bundles, bundle)],
      env: { PATH: process.env.PATH, ...env, ...ownEnv },
      logFile: join(folder, `${member}.log`),
      graceMs: 10_000,
      outlivesUs: options.outlivesUs,
    });
  }

  function ready(child: ChildProcess, url: string): Promise<void> {
    return whenReady(child, () => answersOk(url), { what: child.name, timeoutMs: 60_000 });
  }

  async function startMember(name: ProcessName, { name: called, env: own, readyUrl }: Member): Promise<void> {
    const child = await spawn(name, called, { ...own, ...options.envOf?.[name] });
    running.set(called, child);
    await ready(child, readyUrl);
  }

  async function start(name: ProcessName): Promise<void> {
    const missing = parts.members[name].filter((member) => !running.get(member.name)?.isRunning());
    await Promise.all(missing.map((member) => startMember(name, member)));
  }

  async function end(): Promise<void> {
    await Promise.all([...running.values(), ...further].map((child) => child.stop()));
    if (env['MALIPO_SCHEDULES'] === 'on') await dropSchedules(env['MALIPO_TASK_QUEUE'] ?? '');
    ports.letGo();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }

  const wanted = processNames.filter((name) => !options.without?.includes(name));
  await Promise.all(wanted.map(start)).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  if (parts.balancer && wanted.includes('api')) further.push(await launch(parts.balancer));
  const childrenOf = (name: ProcessName): ChildProcess[] =>
    parts.members[name].flatMap((member) => running.get(member.name) ?? []);

  function first(name: ProcessName): ChildProcess {
    const [child] = childrenOf(name);
    if (!child) throw new Error(`${name} was not started`);
    return child;
  }

  function memberOf(called: string): [ProcessName, Member] {
    for (const name of processNames)
      for (const member of parts.members[name]) if (member.name === called) return [name, member];
    throw new Error(`there is no ${called}`);
  }

  return {
    apiUrl,
    opsUrl,
    simulatorUrl,
    providerUrls,
    db: database.db,
    env,
    formerMerchants: [],
    createMerchant: merchants.createMerchant,
    folder,
    process: first,
    async kill(name) {
      first(name);
      const children = childrenOf(name).filter((child) => child.isRunning());
      for (const { pid } of children) process.kill(-pid, 'SIGKILL');
      await Promise.all(children.map(({ exited }) => exited));
    },
    start,
    members: parts.members,
    pidOf: (member) => running.get(member)?.pid ?? 0,
    names: (name) => parts.members[name].map((member) => member.name),
    async restart(called) {
      const [name, member] = memberOf(called);
      const front = name === 'api' ? parts.balancer : undefined;
      await front?.drain(called);
      const child = running.get(called);
      if (child?.isRunning()) process.kill(-child.pid, 'SIGTERM');
      // Waits however long it takes: a killed start would leave behind the processes that it has started.
      await child?.exited;
      await startMember(name, member);
      await front?.admit(called);
    },
    async startAnother(name, otherEnv = {}, bundle) {
      const [port, otherPort] = await Promise.all([ports.take(), ports.take()]);
      const address = `127.0.0.1:${String(port)}`;
      const other = `127.0.0.1:${String(otherPort)}`;
      const ownEnv =
        name === 'api'
          ? // Notifications still go to the first one.
            { MALIPO_API_PORT: String(port), MALIPO_OPS_PORT: String(otherPort), MALIPO_PUBLIC_URL: apiUrl }
          : { MALIPO_WORKER_HEALTH: address, MALIPO_WORKER_METRICS: other };
      const child = await spawn(name, name, { ...options.envOf?.[name], ...ownEnv, ...otherEnv }, bundle);
      further.push(child);
      const readyUrl = `http://${name === 'api' ? other : address}/readyz`;
      await ready(child, readyUrl).catch(async (error: unknown) => {
        await child.stop();
        throw error;
      });
      return { url: `http://${address}`, child };
    },
    logs: () => logsIn(folder),
    async stop() {
      await end();
      await merchants.end();
    },
  };
}

export async function logsIn(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.log'));
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
}
