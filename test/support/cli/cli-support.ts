/** The command line in process: a real database, and an engine that only records its calls. */
import type { Client } from '@temporalio/client';
import { readConfig, type Config } from '../../../src/config';
import { developerCommands } from '../../../packages/cli/run';
import { runCli } from '../../../src/cli/run-cli';
import type { Session } from '../../../src/cli/session';
import type { Engine } from '../../../src/rail-kit/engine';
import type { PaymentRow } from '../../../src/store/tables';
import type { VoucherEngine } from '../../../src/vouchers/voucher-engine';
import { testAuditKey } from '../audit-key';
import { createTestDatabase, type TestDatabase } from '../database';
import { box, testContext } from '../verify/books-support';

export interface Answer {
  code: number;
  out: string;
  err: string;
  /** What `--json` printed. */
  json: Record<string, unknown>;
}

export interface TestCli extends TestDatabase {
  context: ReturnType<typeof testContext>;
  engine: Engine & {
    signalled: string[];
    advanced: [string, number][];
    fails: ((payment: PaymentRow) => Error) | undefined;
  };
  advancedVouchers: [string, number][];
  /** Replaces parts of the session of later commands. */
  session: Partial<Session>;
  /** The environment of later commands. */
  env: NodeJS.ProcessEnv;
  /** The session of the next command. */
  opened(): Session;
  run(...args: string[]): Promise<Answer>;
  /** @throws Error unless the command succeeds. */
  json(...args: string[]): Promise<Record<string, unknown>>;
}

export function testConfig(url: string, env: NodeJS.ProcessEnv = {}): Config {
  return readConfig({
    MALIPO_ENV: 'sandbox',
    DATABASE_URL: url,
    MALIPO_AUDIT_KEY: testAuditKey,
    MALIPO_SECRET_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
    ...env,
  });
}

export async function createTestCli(): Promise<TestCli> {
  const test = await createTestDatabase();
  const context = testContext(test.db);
  const advancedVouchers: [string, number][] = [];
  const vouchers: VoucherEngine = {
    async signalOrStart() {},
    async advance({ voucher_id: id }, ms) {
      advancedVouchers.push([id, ms]);
    },
    sweep: () => Promise.resolve(0),
  };
  const engine: TestCli['engine'] = {
    signalled: [],
    advanced: [],
    fails: undefined,
    start: () => Promise.resolve('late'),
    signalRunning: () => Promise.resolve(true),
    retryNow: () => Promise.resolve(true),
    checkNow: ({ state }) => Promise.resolve({ state, isAnswered: false }),
    cancel: () => Promise.resolve('too_late'),
    signalOrStart(payment) {
      if (engine.fails) return Promise.reject(engine.fails(payment));
      engine.signalled.push(payment.payment_id);
      return Promise.resolve();
    },
    advance(payment, ms) {
      if (engine.fails) return Promise.reject(engine.fails(payment));
      engine.advanced.push([payment.payment_id, ms]);
      return Promise.resolve();
    },
  };
  const withDeadline = (_: number, work: () => Promise<unknown>) => work();
  const client = { withDeadline } as unknown as Client;
  const cli: TestCli = {
    ...test,
    context,
    engine,
    advancedVouchers,
    session: {},
    env: {},
    opened: () => ({
      config: testConfig(test.url),
      context,
      engine,
      vouchers,
      client,
      box,
      simulatorUrl: undefined,
      portal: () => ({ url: 'http://127.0.0.1:3002', sendsMail: true }),
      close: () => Promise.resolve(),
      ...cli.session,
    }),
    async run(...args) {
      let out = '';
      let err = '';
      const code = await runCli(args, {
        out: (text) => (out += text),
        err: (text) => (err += text),
        env: cli.env,
        folder: '/nowhere',
        further: developerCommands,
        openSession: () => Promise.resolve(cli.opened()),
      });
      const isJson = args.includes('--json') && out !== '';
      return { code, out, err, json: isJson ? (JSON.parse(out) as Answer['json']) : {} };
    },
    async json(...args) {
      const { code, json, err } = await cli.run(...args, '--json');
      if (code !== 0) throw new Error(`malipo ${args.join(' ')} ended with ${String(code)}: ${err}`);
      return json;
    },
  };
  return cli;
}
