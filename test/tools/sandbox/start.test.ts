import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, whenReady, type Service } from '../../../tools/sandbox/services/child-process';
import { isPortFree } from '../../../tools/sandbox/services/free-port';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { keptCredentials } from '../../../tools/sandbox/credentials';
import { readOptions } from '../../../tools/sandbox/options';
import type { SandboxDescription } from '../../../tools/sandbox/sandbox-description';
import { makeFolders, sandboxFolder } from '../../../tools/sandbox/sandbox-folder';
import { forEachProvider } from '../../../tools/sandbox/simulated-providers';
import { pauseAfterMs, supervisor } from '../../../tools/sandbox/supervisor';
import { isAlive } from '../../../tools/sandbox/services/process-identity';
import { createCardprocClient } from '../../support/simulator/cardproc-client';
import { lostDocLinks } from '../../support/doc-links';
import { cliProgram, end, portVariables, startIn, startProgram } from '../../support/sandbox/started';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'malipo-start-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('npm start -- <options>', () => {
  it('accepts --fresh and --no-demo', () => {
    expect(readOptions([])).toEqual({ fresh: false, demo: true });
    expect(readOptions(['--fresh', '--no-demo'])).toEqual({ fresh: true, demo: false });
  });

  it('prints its usage for anything else', () => {
    expect(() => readOptions(['--demo'])).toThrow('unknown option --demo\nusage: npm start');
  });
});

describe('the credentials of a sandbox', () => {
  it('stay the same between starts, and readable by their owner only', async () => {
    const folder = sandboxFolder(root);
    await makeFolders(folder);
    const first = await keptCredentials(folder);
    expect(await keptCredentials(folder)).toEqual(first);
    expect(statSync(folder.credentials).mode & 0o777).toBe(0o600);
  });

  it('are completed when a rail or an account has been added', async () => {
    const folder = sandboxFolder(root);
    await makeFolders(folder);
    const { secret_keys: secretKeys } = await keptCredentials(folder);
    writeFileSync(folder.credentials, JSON.stringify({ secret_keys: secretKeys, providers: {} }));
    const completed = await keptCredentials(folder);
    expect(completed.secret_keys).toBe(secretKeys);
    expect(completed.providers['stk']?.['consumer_key']).toMatch(/^[0-9a-f]{48}$/);
    expect(completed.direct.consumer_key).toMatch(/^[0-9a-f]{48}$/);
  });
});

describe('the supervisor', () => {
  function service(name: string): Service & { pids: number[] } {
    const logFile = join(root, `${name}.log`);
    const program = `process.on("SIGTERM", () => { require("node:fs").appendFileSync(${JSON.stringify(join(root, 'ends'))}, "${name} "); process.exit(); }); setInterval(() => {}, 1000); console.log("ready " + process.pid)`;
    const pids: number[] = [];
    return {
      name,
      pids,
      async spawn() {
        const child = await startChild({ name, command: process.execPath, args: ['-e', program], logFile });
        pids.push(child.pid);
        return child;
      },
      ready: (child) =>
        whenReady(
          child,
          () => Promise.resolve(readFileSync(logFile, 'utf8').includes(`ready ${String(child.pid)}\n`)),
          {
            what: name,
            timeoutMs: 10_000,
          },
        ),
    };
  }

  it('waits a little longer each time, and at most five seconds', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map(pauseAfterMs)).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  it('restarts what dies, and stops everything in the reverse order', async () => {
    const supervise = supervisor();
    const [database, worker] = [service('database'), service('worker')];
    await supervise.start(database);
    await supervise.start(worker);

    process.kill(Number(worker.pids[0]), 'SIGKILL');
    await waitFor(() => Promise.resolve(worker.pids.length === 2), {
      what: 'a second worker',
      timeoutMs: 10_000,
    });
    const isReady = () =>
      Promise.resolve(
        readFileSync(join(root, 'worker.log'), 'utf8').includes(`ready ${String(worker.pids[1])}\n`),
      );
    await waitFor(isReady, { what: 'the second worker', timeoutMs: 10_000 });
    expect(database.pids).toHaveLength(1);

    await supervise.stop();
    expect(readFileSync(join(root, 'ends'), 'utf8')).toBe('worker database ');
    expect([...database.pids, ...worker.pids].filter(isAlive)).toEqual([]);
  });
});

/** Every payment of the demo, as a new user reads it. */
const demoPayments = [
  ['STK push', 'customer pays', 'Success (0)', 'verified'],
  ['STK push', 'customer has too little money', 'Failed (1)', 'verified'],
  ['STK push', 'customer cancels', 'Cancelled (1032)', 'verified'],
  ['STK push', 'customer does not answer', 'Timeout (1037)', 'verified'],
  ['Mobile money', 'customer pays 50.00 ZMW', 'Success', 'verified'],
  ['Mobile money', '20.00 ZMW of it is refunded', 'Success', 'verified'],
  ['Mobile money', 'payout of 25.00 ZMW', 'Success', 'verified'],
  ['Mobile money', 'payout of 40.00 ZMW, cancelled by the merchant', 'ENQUEUED, then Cancelled', 'verified'],
  ['Cross-border', 'customer in Uganda pays 20000 UGX', 'COMPLETE', 'verified'],
  ['Cross-border', 'customer in Tanzania pays 20000 TZS', 'COMPLETE', 'verified'],
  ['Wallet checkout', 'buyer approves 20.00 USD and returns', 'Completed', 'verified'],
  ['Wallet checkout', '5.00 USD of it is refunded', 'Success', 'verified'],
  ['Wallet checkout', 'buyer approves 30.00 USD and closes the tab', 'Completed', 'verified'],
  ['Wallet checkout', 'payout of 15.00 USD, claimed by its recipient', 'Success', 'verified'],
  [
    'Wallet checkout',
    'payout of 10.00 USD nobody claims, 30 days later',
    'Failed (UNCLAIMED_RETURNED)',
    'verified',
  ],
  ['Hosted checkout', 'customer pays 1500.00 KES by card', 'COMPLETED', 'verified'],
  ['Hosted checkout', 'customer pays 700.00 KES by mobile money', 'COMPLETED', 'verified'],
  ['Hosted checkout', 'customer fails, then pays 300.00 KES', 'FAILED, then COMPLETED', 'verified'],
  ['Hosted checkout', '400.00 KES paid, then reversed', 'COMPLETED, then REVERSED', 'verified'],
  ['Hosted checkout', 'card API order of 900.00 KES, polled', 'COMPLETED', 'none'],
  ['Voucher', 'voucher of 100.00 KES, mailed and redeemed', 'Active, then Redeemed', 'none'],
  [
    'Outflow controls',
    'payout of 30000 UGX, at most 20000 a payment',
    '400 OUTFLOW_LIMIT_REACHED (per_payment)',
    'none',
  ],
  [
    'Outflow controls',
    'payout of 10000 UGX to a new recipient, released',
    'ENQUEUED, then Success',
    'verified',
  ],
  [
    'Reconciliation',
    "an unmatched line of the provider's statement",
    '1 unmatched receipt, 1250.00 KES',
    'none',
  ],
  [
    'Reconciliation',
    'unmatched receipt of 1250.00 KES, assigned to its merchant',
    'assigned, every line is matched',
    'none',
  ],
];

interface DemoLine {
  rail: string;
  what: string;
  outcome: string;
  webhook: string;
  link: string;
  /** The type of the workflow, as in its id. */
  workflow: string;
}

/** The lines of the printed table with a payment. */
function demoTableOf(text: string): DemoLine[] {
  return text
    .split('\n')
    .map((line) => line.split('│').map((cell) => cell.trim()))
    .filter((cells) => /^(?:http|none$)/.test(cells.at(5) ?? ''))
    .map(([, rail = '', what = '', outcome = '', webhook = '', link = '']) => {
      const [kebab = ''] = decodeURIComponent(link).split('/workflows/').at(1)?.split('/') ?? [];
      const workflow = kebab.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      return { rail, what, outcome, webhook, link, workflow };
    });
}

/** The request of the linked page to the same server. */
async function typeOf(link: string): Promise<string> {
  const url = new URL(link);
  const answer = await fetch(`${url.origin}/api/v1${url.pathname}`);
  const described = (await answer.json()) as { workflowExecutionInfo?: { type?: { name?: string } } };
  return described.workflowExecutionInfo?.type?.name ?? `HTTP ${String(answer.status)}`;
}

describe('npm start', () => {
  it('brings everything up, demonstrates each rail beside a user who pays already, and leaves nothing behind', async () => {
    if (!existsSync(startProgram)) throw new Error('this test runs the build: npm test makes it first');
    const env = await portVariables();
    const { child, output } = startIn(root, env);
    try {
      const early = await payEarly(root);
      await waitFor(() => Promise.resolve(/Ctrl-C stops|✗/.test(output.text)), {
        what: 'the summary',
        timeoutMs: 180_000,
      });
      expect(output.text).toContain('The demo succeeded.');
      expect(early).toMatchObject({ success: true });
      expect(linesTooWide(output.text)).toEqual([]);
      expect(await firstPayment(root, output.text)).toMatchObject({ success: true });
      const demoText = readFileSync(join(root, '.malipo', 'demo.txt'), 'utf8');
      const payments = demoTableOf(demoText);
      expect(payments.map(({ rail, what, outcome, webhook }) => [rail, what, outcome, webhook])).toEqual(
        demoPayments,
      );
      const begun = payments.filter(({ link }) => link !== 'none');
      expect(begun).toHaveLength(payments.length - 3);
      for (const { link, workflow } of begun) expect([link, await typeOf(link)]).toEqual([link, workflow]);
      expect(demoText).toContain(
        'Demo Payments: KES wallet +5900.00, TZS wallet +20000.00, UGX float +40000.00, UGX wallet +20000.00, USD float +35.00, USD wallet +45.00, ZMW float +75.00, ZMW wallet +30.00.',
      );
      expect(output.text).toContain("The books were verified, and compared with the providers' own.");

      const file = join(root, '.malipo', 'sandbox.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const sandbox = JSON.parse(readFileSync(file, 'utf8')) as SandboxDescription;
      expect(sandbox).toMatchObject({
        api_url: `http://127.0.0.1:${String(env['MALIPO_API_PORT'])}`,
        ops_url: `http://127.0.0.1:${String(env['MALIPO_OPS_PORT'])}`,
        merchants: [{ name: 'Demo Shop' }, { name: 'Second Shop' }],
        providers: forEachProvider((_name, { port: { variable } }) => ({
          base_url: `http://127.0.0.1:${String(env[variable])}`,
        })),
      });

      expect(await signsIn(sandbox)).toBe(true);
      expect(await lostDocLinks(sandbox)).toEqual([]);

      // A merchant with its own account at the processor; the engine's books do not contain it.
      const { base_url: cardproc, direct } = sandbox.providers.cardproc;
      const shop = createCardprocClient({ url: sandbox.simulator_url, origins: { cardproc } }, { ...direct });
      const trackingId = await shop.order();
      await shop.decide(trackingId, 'pay_card');
      expect(await shop.stateOf(trackingId)).toBe(1);
      const verified = await runCommand(process.execPath, [cliProgram, 'verify', '--with-simulator'], {
        cwd: root,
      });
      expect(verified).toMatch(/All \d+ checks passed/);

      const second = startIn(root, env);
      await once(second.child, 'exit');
      expect(second.output.text).toContain(`is running already (process ${String(child.pid)})`);
      expect(await end(child)).toBe(0);
    } finally {
      await end(child);
    }
    const free = await Promise.all(
      Object.values(env).map((port) => isPortFree(Number(port.replace(/^.*:/, '')))),
    );
    expect(free).not.toContain(false);
    expect(existsSync(join(root, '.malipo', 'start.lock'))).toBe(false);
  });
});

/** As soon as the API answers: the demo has not begun, or is in the middle of its payments. */
function payEarly(folder: string): Promise<unknown> {
  const file = join(folder, '.malipo', 'sandbox.json');
  return waitFor(
    async () => {
      if (!existsSync(file)) return undefined;
      const { api_url: url, merchants } = JSON.parse(readFileSync(file, 'utf8')) as SandboxDescription;
      const answer = await fetch(`${url}/api/v1/stk_push`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': merchants[0]?.api_key ?? '',
          'x-api-secret': merchants[0]?.api_secret ?? '',
        },
        body: JSON.stringify({
          ...{ phone_number: '254708374149', amount: 1250 },
          ...{ account_reference: 'EARLY', transaction_desc: 'Early' },
        }),
      });
      return answer.status === 200 && answer.json();
    },
    { what: 'an early payment', timeoutMs: 180_000 },
  );
}

/** Longer lines wrap on a terminal of 80 columns. A webhook is as long as it is. */
function linesTooWide(text: string): string[] {
  return text.split('\n').filter((line) => line.length > 80 && !line.startsWith('webhook: '));
}

/** By the printed commands, as a reader pastes them. */
async function firstPayment(folder: string, text: string): Promise<unknown> {
  const code = /^ {2}source [^]*?'$/m.exec(text)?.[0] ?? '';
  return JSON.parse(await runCommand('bash', ['-c', code], { cwd: folder }));
}

/** By the login that is printed. */
async function signsIn({ portal }: SandboxDescription): Promise<boolean> {
  if (!portal) return false;
  const page = await fetch(`${portal.url}/sign-in`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const cookie = page.headers.getSetCookie().map((text) => text.split(';')[0]);
  const answer = await fetch(`${portal.url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: portal.url, cookie: cookie.join('; ') },
    body: new URLSearchParams({ csrf, email: portal.email, password: portal.password }),
  });
  return answer.status === 303 && answer.headers.getSetCookie().some((text) => /session=\w/.test(text));
}
