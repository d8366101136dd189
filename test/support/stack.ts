/** The product as it really runs: an API, a worker and a simulator of one's own, as separate processes. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMerchant, setMerchant, type MerchantInput } from '../../src/merchants/merchants';
import { secretBox } from '../../src/merchants/secrets';
import { startChild, whenReady, type ChildProcess } from '../../src/ops/services/child-process';
import { answersOk } from '../../src/ops/services/wait-for';
import { notificationAddresses, sandboxTrust } from '../../src/ops/start/environment';
import {
  forEachProvider,
  providerAddresses,
  providerNames,
  type ProviderUrls,
} from '../../src/ops/start/simulated-providers';
import type { Database } from '../../src/store/database';
import { portReserve } from './ports';
import { createTestDatabase, testTemporalAddress, type TestDatabase } from './services';
import { startReceiver, type WebhookReceiver } from './webhook-receiver';

const bundles = join(__dirname, '..', '..', 'dist', 'bundle');

export type ProcessName = 'api' | 'worker' | 'simulator';

export interface StackOptions {
  /** How many times faster than the wall clock the sandbox runs. */
  timeScale?: number;
  env?: Record<string, string>;
  /** Settings of one process alone, such as a database behind a proxy. */
  envOf?: Partial<Record<ProcessName, Record<string, string>>>;
  /** Processes that are not started. */
  without?: ProcessName[];
  temporalAddress?: string;
  database?: Pick<TestDatabase, 'url' | 'db' | 'drop'>;
}

export interface TestMerchant {
  merchantId: string;
  apiKey: string;
  apiSecret: string;
  webhookSecret: string;
  receiver: WebhookReceiver;
}

export interface Stack {
  apiUrl: string;
  /** Where the API answers operators. */
  opsUrl: string;
  /** The simulator's front page and control API. */
  simulatorUrl: string;
  /** Where each simulated provider is. */
  providerUrls: ProviderUrls;
  db: Database;
  env: Record<string, string>;
  /** A merchant of its own, whose webhooks arrive at a receiver of its own. */
  createMerchant(name?: string, settings?: Omit<MerchantInput, 'name'>): Promise<TestMerchant>;
  process(name: ProcessName): ChildProcess;
  /** kill -9 */
  kill(name: ProcessName): Promise<void>;
  start(name: ProcessName): Promise<void>;
  /** One more of the kind, on ports of its own and with the same settings save `env`. It ends with the stack. */
  startAnother(name: 'api' | 'worker', env?: Record<string, string>): Promise<FurtherProcess>;
  /** Everything the processes have written so far. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

export interface FurtherProcess {
  url: string;
  child: ChildProcess;
}

const programs: Record<ProcessName, string> = {
  api: 'api.js',
  worker: 'worker.js',
  simulator: 'simulator.js',
};

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const database = options.database ?? (await createTestDatabase());
  const folder = await mkdtemp(join(tmpdir(), 'malipo-stack-'));
  const ports = portReserve();
  const [api, ops, simulator, smtp, metrics, health] = await Promise.all([
    ports.take(),
    ports.take(),
    ports.take(),
    ports.take(),
    ports.take(),
    ports.take(),
  ]);
  const apiUrl = `http://127.0.0.1:${String(api)}`;
  const opsUrl = `http://127.0.0.1:${String(ops)}`;
  const simulatorUrl = `http://127.0.0.1:${String(simulator)}`;
  const providerPorts = await Promise.all(providerNames.map(() => ports.take()));
  const providerUrls = forEachProvider(
    (name) => `http://127.0.0.1:${String(providerPorts[providerNames.indexOf(name)])}`,
  );
  const keys = [{ id: 'test', key: randomBytes(32) }];
  const env: Record<string, string> = {
    MALIPO_ENV: 'sandbox',
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: options.temporalAddress ?? testTemporalAddress(),
    MALIPO_TASK_QUEUE: `test-${randomBytes(6).toString('hex')}`,
    MALIPO_API_PORT: String(api),
    MALIPO_OPS_PORT: String(ops),
    MALIPO_WORKER_METRICS: `127.0.0.1:${String(metrics)}`,
    MALIPO_WORKER_HEALTH: `127.0.0.1:${String(health)}`,
    MALIPO_SIMULATOR_PORT: String(simulator),
    MALIPO_SIMULATOR_SMTP_PORT: String(smtp),
    MALIPO_SMTP_URL: `smtp://127.0.0.1:${String(smtp)}`,
    MALIPO_SIMULATOR_STATE: join(folder, 'simulator'),
    MALIPO_SIMULATOR_URL: simulatorUrl,
    MALIPO_SECRET_KEYS: `test:${keys[0]?.key.toString('base64') ?? ''}`,
    // A machine that is slow for a while turns no caller of a test away, save where the test is about that.
    MALIPO_BACKLOG_MAX_MS: '60000',
    // Nor do the limits of one address, which all of them have.
    MALIPO_CONNECTIONS_PER_ADDRESS: '1024',
    MALIPO_KEYLESS_ORDERS: '60000',
    MALIPO_KEYLESS_ORDERS_OF_ALL: '60000',
    // What the providers say of a night is fetched where a test is about that.
    MALIPO_STATEMENTS_AT: 'off',
    MALIPO_SANDBOX_TIME_SCALE: String(options.timeScale ?? 20),
    ...providerAddresses(providerUrls),
    STK_CONSUMER_KEY: 'test-consumer-key',
    STK_CONSUMER_SECRET: 'test-consumer-secret',
    STK_PASSKEY: 'test-passkey',
    STK_SHORTCODE: '174379',
    ...notificationAddresses(apiUrl),
    MOMO_TOKEN: 'test-momo-token',
    // Tests of the other provider say so.
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
  const readyUrls: Record<ProcessName, string> = {
    api: `${opsUrl}/readyz`,
    worker: `http://127.0.0.1:${String(health)}/readyz`,
    simulator: `${simulatorUrl}/control/clock`,
  };
  const running = new Map<ProcessName, ChildProcess>();
  const further: ChildProcess[] = [];
  const receivers: WebhookReceiver[] = [];

  function spawn(name: ProcessName, ownEnv: Record<string, string> = {}): Promise<ChildProcess> {
    return startChild({
      name: `the test's ${name}`,
      command: process.execPath,
      args: ['--enable-source-maps', join(bundles, programs[name])],
      env: { PATH: process.env.PATH, ...env, ...options.envOf?.[name], ...ownEnv },
      logFile: join(folder, `${name}.log`),
      graceMs: 10_000,
    });
  }

  function ready(child: ChildProcess, url: string): Promise<void> {
    return whenReady(child, () => answersOk(url), { what: child.name, timeoutMs: 60_000 });
  }

  async function start(name: ProcessName): Promise<void> {
    const child = await spawn(name);
    running.set(name, child);
    await ready(child, readyUrls[name]);
  }

  const wanted = (Object.keys(programs) as ProcessName[]).filter((name) => !options.without?.includes(name));
  await Promise.all(wanted.map(start));

  function running_(name: ProcessName): ChildProcess {
    const child = running.get(name);
    if (!child) throw new Error(`${name} was not started`);
    return child;
  }

  return {
    apiUrl,
    opsUrl,
    simulatorUrl,
    providerUrls,
    db: database.db,
    env,
    async createMerchant(name = 'Test Shop', settings = {}) {
      const receiver = await startReceiver();
      receivers.push(receiver);
      const box = secretBox(keys);
      const created = await createMerchant(database.db, box, {
        name,
        environment: 'sandbox',
        // Tests are quicker than a merchant; what limits and guards it has tests of its own.
        stkRate: 60_000,
        stkBurst: 60_000,
        duplicateWindow: 0,
        paidTwice: 'off',
        ...settings,
      });
      await setMerchant(
        database.db,
        created.merchant_id,
        { webhookUrl: receiver.url, callbackUrl: receiver.url },
        { environment: 'sandbox' },
      );
      return {
        merchantId: created.merchant_id,
        apiKey: created.api_key,
        apiSecret: created.api_secret,
        webhookSecret: created.webhook_secret,
        receiver,
      };
    },
    process: running_,
    async kill(name) {
      const child = running_(name);
      process.kill(-child.pid, 'SIGKILL');
      await child.exited;
    },
    start,
    async startAnother(name, otherEnv = {}) {
      const [port, otherPort] = await Promise.all([ports.take(), ports.take()]);
      const address = `127.0.0.1:${String(port)}`;
      const other = `127.0.0.1:${String(otherPort)}`;
      const ownEnv =
        name === 'api'
          ? // Callbacks go on reaching the first one.
            { MALIPO_API_PORT: String(port), MALIPO_OPS_PORT: String(otherPort), MALIPO_PUBLIC_URL: apiUrl }
          : { MALIPO_WORKER_HEALTH: address, MALIPO_WORKER_METRICS: other };
      const child = await spawn(name, { ...ownEnv, ...otherEnv });
      further.push(child);
      await ready(child, `http://${name === 'api' ? other : address}/readyz`);
      return { url: `http://${address}`, child };
    },
    async logs() {
      const files = (await readdir(folder)).filter((file) => file.endsWith('.log'));
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
      return texts.join('\n');
    },
    async stop() {
      await Promise.all([...running.values(), ...further].map((child) => child.stop()));
      await Promise.all(receivers.map((receiver) => receiver.close()));
      ports.letGo();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
