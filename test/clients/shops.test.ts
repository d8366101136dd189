/** The shops of the clients' examples, each in its language, against one real stack and over a bad line. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { setMerchant } from '../../src/merchants/merchants';
import { findExecutable } from '../../src/ops/services/on-path';
import { pythonEnvironment } from '../../src/ops/services/python-environment';
import { waitFor } from '../../src/ops/services/wait-for';
import { signatureHeaders } from '../../src/webhooks/signature';
import { portReserve } from '../support/ports';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { startFaultyFront, type FaultyFront } from './faulty-front';

jest.setTimeout(120_000);

const root = join(__dirname, '..', '..');
const clients = join(root, 'clients');
const folder = mkdtempSync(join(tmpdir(), 'malipo-shops-'));
const ports = portReserve();
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ timeScale: 20 });
});
afterAll(async () => {
  await stack.stop();
  ports.letGo();
  rmSync(folder, { recursive: true, force: true });
});

interface Shop {
  language: string;
  command: string;
  args(port: number): string[];
  env?: Record<string, string>;
}

const shops: Shop[] = [
  { language: 'node', command: 'node', args: () => [bundled()] },
  {
    language: 'python',
    command: 'python3',
    args: () => [join(clients, 'python', 'examples', 'shop.py')],
    env: { PYTHONPATH: join(clients, 'python'), PYTHONDONTWRITEBYTECODE: '1' },
  },
  {
    language: 'php',
    command: 'php',
    args: (port) => ['-S', `127.0.0.1:${String(port)}`, join(clients, 'php', 'examples', 'shop.php')],
    env: { SHOP_FOLDER: folder },
  },
];

/** Node runs JavaScript alone. */
function bundled(): string {
  const outfile = join(folder, 'shop.cjs');
  const entryPoints = [join(clients, 'node', 'examples', 'shop.ts')];
  buildSync({ entryPoints, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  return outfile;
}

interface Order {
  order_id: string;
  status: string;
  transaction_id: string;
  next_step?: string;
  code?: string;
}

describe.each(shops)('the shop in $language', ({ language, command, args, env }) => {
  const isHere = findExecutable([command]) !== undefined;
  if (!isHere) process.stderr.write(`… not tested: the shop in ${language}, as there is no ${command}\n`);
  const itThere = isHere ? it : it.skip;
  let shop: ChildProcess | undefined;
  let front: FaultyFront;
  let merchant: TestMerchant;
  let url: string;
  let told = '';

  beforeAll(async () => {
    if (!isHere) return;
    const port = await ports.take();
    url = `http://127.0.0.1:${String(port)}`;
    front = await startFaultyFront(stack.apiUrl);
    merchant = await stack.createMerchant(`Shop in ${language}`);
    await setMerchant(
      stack.db,
      merchant.merchantId,
      { callbackUrl: `${url}/webhooks` },
      { environment: 'sandbox' },
    );
    shop = spawn(command, args(port), {
      env: {
        ...process.env,
        ...env,
        PORT: String(port),
        MALIPO_URL: front.url,
        MALIPO_API_KEY: merchant.apiKey,
        MALIPO_API_SECRET: merchant.apiSecret,
        MALIPO_WEBHOOK_SECRET: merchant.webhookSecret,
      },
    });
    for (const stream of [shop.stdout, shop.stderr]) stream?.on('data', (text) => (told += String(text)));
    await waitFor(
      () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      { what: `the shop in ${language}`, timeoutMs: 20_000 },
    );
  });
  afterAll(async () => {
    shop?.kill();
    if (isHere) await front.close();
  });

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Order };
  };
  const shown = async (orderId: string) => (await (await fetch(`${url}/orders/${orderId}`)).json()) as Order;
  const becomes = (orderId: string, status: string) =>
    waitFor(async () => ((await shown(orderId)).status === status ? true : undefined), {
      what: `an order that is ${status}: ${told}`,
      timeoutMs: 60_000,
    });

  itThere('takes a payment once over a bad line, learns of it by webhook, and gives it back', async () => {
    const taken = await post('/orders', { phone_number: '+260763456789' });
    expect([taken.status, taken.body]).toMatchObject([201, { transaction_id: expect.any(String) }]);
    const { order_id: orderId, transaction_id: depositId } = taken.body;
    await becomes(orderId, 'paid');
    expect((await shown(orderId)).next_step).toBe('Your payment has been received. Thank you.');

    expect((await post(`/orders/${orderId}/refund`, {})).status).toBe(200);
    await becomes(orderId, 'refunded');

    const payments = await stack.db('payments').where({ merchant_id: merchant.merchantId }).select('kind');
    expect(payments.map(({ kind }) => kind).sort()).toEqual(['deposit', 'refund']);
    expect([...front.keys.values()]).toEqual([
      Array(3).fill(`pay-${orderId}`),
      Array(3).fill(`refund-${orderId}`),
    ]);
    const [refund] = await stack.db('payments').where({ parent_id: depositId }).select('state');
    expect(refund?.state).toBe('succeeded');
  });

  itThere('tells a refusal by its code', async () => {
    const { status, body } = await post('/orders', { phone_number: '12' });
    expect([status, body.code]).toEqual([422, 'INVALID_PHONE_NUMBER']);
  });

  itThere('believes no webhook of somebody else, and none that is old', async () => {
    const { body: order } = await post('/orders', { phone_number: '+260763000129' });
    const body = JSON.stringify({ type: 'deposit', status: 'Success', account_reference: order.order_id });
    const other = `whsec_${Buffer.from('another secret of so many bytes .').toString('base64')}`;
    const minutesAgo = (n: number) => new Date(Date.now() - n * 60_000);
    const kind = { 'X-Callback-Type': 'Mobile-Money' };
    const forged = [
      signatureHeaders('msg_1', minutesAgo(0), body, [other]),
      signatureHeaders('msg_2', minutesAgo(6), body, [merchant.webhookSecret]),
      signatureHeaders('msg_3', minutesAgo(0), `${body} `, [merchant.webhookSecret]),
      {},
    ];
    for (const headers of forged)
      expect((await post('/webhooks', body, { ...kind, ...headers })).status).toBe(400);
    expect((await shown(order.order_id)).status).toBe('waiting');
    // While a secret changes there are two signatures.
    const ours = signatureHeaders('msg_4', minutesAgo(0), body, [other, merchant.webhookSecret]);
    expect((await post('/webhooks', body, { ...kind, ...ours })).status).toBe(204);
    expect((await shown(order.order_id)).status).toBe('paid');
  });
});

describe('what the clients know of the API', () => {
  it('is what the description says', () => {
    const { status, stderr } = spawnSync('node', [join(root, 'scripts', 'clients.mjs'), '--check']);
    expect([status, String(stderr)]).toEqual([0, '']);
  });

  const checker = pythonEnvironment(join(__dirname, 'requirements.txt'));
  if ('absent' in checker)
    process.stderr.write(`… not tested: the types of the client in python, because ${checker.absent}\n`);
  ('absent' in checker ? it.skip : it)('has no wrong type in python, and none that is missing', () => {
    const python = 'absent' in checker ? '' : checker.python;
    const args = ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'types'), 'malipo', 'examples'];
    const { status, stdout } = spawnSync(python, args, { cwd: join(clients, 'python') });
    expect([status, String(stdout)]).toEqual([0, expect.stringContaining('no issues found')]);
    // A merchant's own program is told what it has wrong.
    const wrong = 'from malipo import Malipo\nMalipo("u", "k", "s").momo_deposit(amount=1)\n';
    const own = spawnSync(python, [...args.slice(0, 5), '-c', wrong], { cwd: join(clients, 'python') });
    expect([own.status, String(own.stdout)]).toEqual([1, expect.stringContaining('Missing named argument')]);
  });

  it('has the same version in each language, and no dependency', () => {
    const read = (...path: string[]) => readFileSync(join(clients, ...path), 'utf8');
    const node = JSON.parse(read('node', 'package.json')) as { version: string; dependencies?: unknown };
    expect(node.dependencies).toBeUndefined();
    expect(read('python', 'pyproject.toml')).toContain(`version = "${node.version}"\n`);
    expect(read('python', 'pyproject.toml')).toContain('dependencies = []\n');
  });
});
