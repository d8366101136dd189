/** `malipo new-shop`: the shop of each language, made and started with the commands that it prints, against a real stack. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signatureHeaders } from '../../../src/webhooks/post';
import { startChild, whenReady, type ChildProcess } from '../../../tools/sandbox/services/child-process';
import { runCommand } from '../../../tools/sandbox/services/run-command';
import { answersOk, waitFor } from '../../../tools/sandbox/services/wait-for';
import { shellKeys } from '../../../tools/sandbox/shell-keys';
import { expectClean } from '../../support/expect-clean';
import { portReserve } from '../../support/ports';
import { simulatorControl } from '../../support/rails/simulator-control';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';
import { startFaultyFront, type FaultyFront } from '../clients/faulty-front';
import { languages, type Language } from '../clients/languages';

const root = join(__dirname, '..', '..', '..');
const program = join(root, 'scripts', 'malipo.mjs');
const ports = portReserve();
let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack({ timeScale: 1 });
});
afterAll(async () => {
  await expectClean(stack);
  await stack.stop();
  ports.letGo();
});

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
/** How the shop of a language is compared with its client; PHP can only parse it. */
const typeChecks: Record<Language['name'], string[]> = {
  node: [
    ...[
      process.execPath,
      compiler,
      '--allowJs',
      '--checkJs',
      '--noEmit',
      '--strict',
      '--noUncheckedIndexedAccess',
    ],
    ...['--module', 'nodenext', '--target', 'es2022', '--types', 'node'],
    ...['--typeRoots', join(root, 'node_modules', '@types'), 'shop.mjs'],
  ],
  python: [languages.python.command ?? '', '-m', 'mypy', '--strict', '--cache-dir', '../types', 'shop.py'],
  php: [languages.php.command ?? '', '-d', 'display_errors=1', '-l', 'shop.php'],
};

describe.each(Object.values(languages))('the shop in $name', ({ name: language, command }) => {
  // CI has all languages, and fails where one is missing.
  const runs = command !== undefined || process.env['CI'] === 'true';
  const itThere = runs ? it : it.skip;
  let folder: string;
  let merchant: TestMerchant;
  let url: string;
  /** The commands for each terminal, as printed, with this test's port and keys. */
  let terminals: { shop: string; listener: string };
  let shop: ChildProcess;
  let listener: ChildProcess;
  let front: FaultyFront;
  const seconds: string[] = [];

  beforeAll(async () => {
    if (!runs) return;
    folder = mkdtempSync(join(tmpdir(), 'malipo-new-shop-'));
    merchant = await stack.createMerchant(`Shop in ${language}`);
    front = await startFaultyFront(stack.apiUrl);
    mkdirSync(join(folder, '.malipo'));
    writeKeys(stack.apiUrl);
  });
  afterAll(async () => {
    if (!runs) return;
    await Promise.all([shop.stop(), listener.stop(), front.close()]);
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write(`… the shop in ${language}: ${seconds.join(', ')}\n`);
  });

  function writeKeys(apiUrl: string) {
    const { apiKey: api_key, apiSecret: api_secret, webhookSecret: webhook_secret } = merchant;
    const merchants = [{ name: 'Shop', api_key, api_secret, webhook_secret }];
    const keys = shellKeys({ api_url: apiUrl, simulator_url: stack.simulatorUrl, merchants });
    writeFileSync(join(folder, '.malipo', 'env'), keys);
  }
  async function measured<T>(what: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await work();
    seconds.push(`${what} ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    return result;
  }
  const terminal = (name: keyof typeof terminals) =>
    startChild({
      ...{ name: `the ${name} in ${language}`, command: 'bash', args: ['-euc', terminals[name]] },
      ...{ logFile: join(folder, `${name}.log`), graceMs: 2_000 },
      env: { PATH: process.env['PATH'], HOME: folder, PORT: new URL(url).port, NO_PROXY: '127.0.0.1' },
    });
  async function startShop() {
    shop = await terminal('shop');
    await whenReady(shop, () => answersOk(url), { what: shop.name, timeoutMs: 20_000, everyMs: 20 });
  }
  async function killShop() {
    process.kill(-shop.pid, 'SIGKILL');
    await shop.exited;
  }

  const page = async (path: string) => (await fetch(`${url}${path}`)).text();
  const post = (path: string, body?: Record<string, string> | string, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      ...{ method: 'POST', redirect: 'manual', headers },
      body: typeof body === 'string' ? body : new URLSearchParams(body),
    });
  /** @returns the order's id. */
  async function checkOut(phone: string): Promise<string> {
    const answer = await post('/orders', { phone, amount: '1250' });
    expect(answer.status).toBe(303);
    return (answer.headers.get('location') ?? '').replace('/orders/', '');
  }
  /** Its state in the list, which queries nothing: only a webhook can have changed it. */
  const listed = async (id: string) => new RegExp(`${id}</a> KES 1250 (\\w+)`).exec(await page('/'))?.[1];
  const becomes = (id: string, state: string) =>
    waitFor(async () => (await listed(id)) === state, {
      what: `an order that is ${state}: ${readFileSync(shop.logFile, 'utf8').slice(-2_000)}`,
      timeoutMs: 30_000,
    });
  const changesOf = async (id: string) =>
    [...(await page(`/orders/${id}`)).matchAll(/<li>([^<]*)/g)].map(([, line]) => line);
  const keyOf = (id: string, attempt = 1) => `order-${id}-${String(attempt)}`;
  const paymentsOf = (...keys: string[]) =>
    stack
      .db('payments')
      .where({ merchant_id: merchant.merchantId })
      .whereIn('order_id', keys)
      .orderBy('order_id')
      .select('payment_id', 'order_id', 'provider_reference', 'state');

  /** The real webhook of a payment, as the merchant's own address gets it. */
  const webhookOf = (key: string) => merchant.receiver.next(({ body }) => body['order_id'] === key);
  const sends = (body: string, headers: Record<string, string>) =>
    post('/webhooks', body, {
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))),
      'content-type': 'application/json',
    });

  itThere('is made in an empty folder, and says what comes next', async () => {
    const printed = await measured('made in', () =>
      runCommand(process.execPath, [program, 'new-shop', '--lang', language, 'shop'], { cwd: folder }),
    );
    expect(printed.trimEnd().split('\n').length).toBeLessThanOrEqual(8);
    const port = String(await ports.take());
    url = `http://127.0.0.1:${port}`;
    const commands = printed.replaceAll('8000', port).replaceAll(/source \S+/g, 'source .malipo/env');
    const blocks = commands.match(/(?:^ {2}.*\n)+/gm) ?? [];
    expect(blocks).toHaveLength(2);
    const [shopBlock, listenerBlock] = blocks.map((block) => `cd ${folder}\n${block}`);
    terminals = { shop: shopBlock ?? '', listener: listenerBlock ?? '' };
  });

  itThere('calls its client as its types say', async () => {
    const [program = '', ...args] = typeChecks[language];
    await runCommand(program, args, { cwd: join(folder, 'shop') });
  });

  itThere('is paid through its checkout page, and learns of it by webhook', async () => {
    await measured('started in', startShop);
    listener = await terminal('listener');
    await waitFor(() => Promise.resolve(readFileSync(listener.logFile, 'utf8').includes('Keys: r')), {
      ...{ what: listener.name, timeoutMs: 20_000 },
    });
    expect(await page('/')).toContain('<form method="post" action="/orders">');
    const id = await measured('paid after', async () => {
      const made = await checkOut('254708374149');
      await becomes(made, 'paid');
      return made;
    });
    expect(await paymentsOf(keyOf(id))).toMatchObject([{ state: 'succeeded' }]);
    expect(await page(`/orders/${id}`)).toContain('Your payment has been received. Thank you.');

    // A webhook that comes ten times more, partly at the same time, counts once.
    const changes = await changesOf(id);
    expect(changes).toEqual([expect.stringMatching(/^Success KES 1250 \w+$/)]);
    const { rawBody, headers } = await webhookOf(keyOf(id));
    const answers = await Promise.all(Array.from({ length: 10 }, () => sends(rawBody, headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204));
    expect(await changesOf(id)).toEqual(changes);
    expect(await listed(id)).toBe('paid');
  });

  itThere('believes no forged webhook, and has its orders still after a crash', async () => {
    const id = await checkOut('254700000600');
    const [payment] = await paymentsOf(keyOf(id));
    const body = JSON.stringify({
      ...{ payment_id: payment?.payment_id, order_id: keyOf(id), status: 'Success', sequence: 999 },
      ...{
        callback_type: 'STK-Push',
        initial_amount: 1250,
        actual_amount: 1250,
        mm_receipt_number: 'TKL7SE91QF',
      },
      next_step: { code: 'paid', en: 'Paid', sw: 'Imelipwa', safe_to_repeat: false },
    });
    const other = `whsec_${Buffer.from('another secret of so many bytes .').toString('base64')}`;
    const [now, old] = [new Date(), new Date(Date.now() - 360_000)];
    for (const headers of [
      signatureHeaders('msg_1', now, body, [other]),
      signatureHeaders('msg_2', old, body, [merchant.webhookSecret]),
      signatureHeaders('msg_3', now, `${body} `, [merchant.webhookSecret]),
      {},
    ])
      expect((await sends(body, headers)).status).toBe(400);
    expect(await listed(id)).toBe('waiting');

    await killShop();
    await startShop();
    expect(await listed(id)).toBe('waiting');
    await simulatorControl(stack.simulatorUrl, 'stk').decide(String(payment?.provider_reference), 'pay');
    await becomes(id, 'paid');
    expect(await changesOf(id)).toHaveLength(1);
  });

  itThere('goes on when a customer’s connection breaks in the middle', async () => {
    const { hostname, port } = new URL(url);
    for (const path of ['/orders', '/webhooks']) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      socket.write(`POST ${path} HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n\r\nphone=`);
      // Nothing says when it has read this much; a slow machine only tests less.
      await delay(100);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    for (const page of ['/', '/orders/unknown']) expect((await fetch(url + page)).status).toBeLessThan(500);
  });

  itThere('answers an odd form like a wrong one', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const raw = (text: string) => Buffer.from(text, 'latin1');
    for (const [body, status] of [
      [raw(''), 400],
      [raw('phone[]=1&amount[]=1250'), 400],
      [raw('phone=1&amount=%ff'), 400],
      [raw('phone=1&amount=\xff'), 400],
      // The service refuses the number.
      [raw('phone[]=1&amount=1250'), 303],
      [raw('phone=%ff&amount=1250'), 303],
      [raw('phone=\xff&amount=1250'), 303],
    ] as const) {
      const answer = await fetch(`${url}/orders`, {
        method: 'POST',
        redirect: 'manual',
        headers: form,
        body,
      });
      expect([body.toString('latin1'), answer.status]).toEqual([body.toString('latin1'), status]);
    }
  });

  itThere('asks again only after an attempt that took no money, with the next key', async () => {
    const id = await checkOut('254711223344');
    await becomes(id, 'not_paid');
    expect(await page(`/orders/${id}`)).toContain('Add money, then pay again.');
    // A double click.
    const clicks = await Promise.all([post(`/orders/${id}`), post(`/orders/${id}`)]);
    expect(clicks.map(({ status }) => status)).toEqual([303, 303]);
    await becomes(id, 'not_paid');
    expect(await paymentsOf(keyOf(id), keyOf(id, 2), keyOf(id, 3))).toMatchObject([
      { order_id: keyOf(id), state: 'failed' },
      { order_id: keyOf(id, 2), state: 'failed' },
    ]);

    const refused = await checkOut('12');
    expect(await listed(refused)).toBe('not_paid');
    expect(await paymentsOf(keyOf(refused))).toEqual([]);
  });

  itThere('delivers nothing for another amount', async () => {
    await becomes(await checkOut('254700000710'), 'to_check');
    expect((await post('/orders', { phone: '254708374149', amount: '12.50' })).status).toBe(400);
  });

  itThere('repeats a request without an answer with its key, also after a crash', async () => {
    const sent = () => front.keys.get('/api/v1/stk_push') ?? [];
    front.losesAnswers();
    writeKeys(front.url);
    await listener.stop();
    await killShop();
    await startShop();
    const first = await checkOut('254708374149');
    expect(await page(`/orders/${first}`)).toContain('We do not know yet. Do not pay again.');
    expect(new Set(sent())).toEqual(new Set([keyOf(first)]));

    const unfinished = checkOut('254708374149').catch(() => 'no answer');
    const isSent = () => Promise.resolve(sent().find((key) => key !== keyOf(first)));
    const key = await waitFor(isSent, { what: 'the request of the second order', timeoutMs: 20_000 });
    await killShop();
    expect(await unfinished).toBe('no answer');

    // Without a webhook the shop queries the status.
    writeKeys(stack.apiUrl);
    await startShop();
    for (const id of [first, key.split('-')[1] ?? '']) {
      expect(await listed(id)).toBe('waiting');
      await waitFor(async () => (await page(`/orders/${id}`)).includes('<b id="state">paid</b>'), {
        ...{ what: 'an order that is paid', timeoutMs: 30_000 },
      });
      expect(await paymentsOf(keyOf(id), keyOf(id, 2))).toMatchObject([{ state: 'succeeded' }]);
    }
  });
});
