/** What a developer of a shop has: login, listen and trigger, with a merchant's keys against a real stack. */
import { freePort } from '../../../tools/sandbox/services/free-port';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDeveloper } from '../../../packages/cli/run';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { sharedStack } from '../../support/shared-stack';
import type { Stack, TestMerchant } from '../../support/stack';
import { startReceiver, verifySignature, type WebhookReceiver } from '../../support/webhook-receiver';

interface Ran {
  code: number;
  out: string;
  err: string;
}

let stack: Stack;
let merchant: TestMerchant;
let home: string;
/** What the commands find in the environment. */
let env: NodeJS.ProcessEnv;
/** A server of the developer's own: it takes what is signed. */
let server: WebhookReceiver;

beforeAll(async () => {
  stack = await sharedStack({ timeScale: 20 });
  merchant = await stack.createMerchant('Duka', { permissions: ['can_payout'] });
  home = mkdtempSync(join(tmpdir(), 'malipo-developer-'));
  server = await startReceiver();
  env = {
    ...{ XDG_CONFIG_HOME: home, MALIPO_URL: stack.apiUrl, MALIPO_API_KEY: merchant.apiKey },
    ...{ MALIPO_API_SECRET: merchant.apiSecret, MALIPO_WEBHOOK_SECRET: merchant.webhookSecret },
    MALIPO_SIMULATOR_URL: stack.simulatorUrl,
  };
  const { merchantId } = merchant;
  for (const float of [
    { rail: 'momo', country: 'ZMB', currency: 'ZMW' },
    { rail: 'walletpay', country: null, currency: 'USD' },
  ] as const) {
    await transferByHand(stack.db, {
      from: { class: 'bank', currency: float.currency },
      to: { class: 'float', merchantId, ...float },
      ...{ amountMinor: 10_000_000n, reason: 'test', whenShort: 'FLOAT_INSUFFICIENT' },
    });
  }
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
  await stack.stop();
});

async function malipo(
  args: string[],
  world: {
    env?: NodeJS.ProcessEnv;
    keys?: (press: (key: string) => void) => void;
    out?: (text: string) => void;
  } = {},
): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await runDeveloper(args, {
    out(text) {
      out += text;
      world.out?.(text);
    },
    err: (text) => (err += text),
    env: world.env ?? env,
    folder: '/nowhere',
    keys(press) {
      world.keys?.(press);
      return () => undefined;
    },
  });
  return { code, out, err };
}

const profileFile = () => join(home, 'malipo', 'default.json');
const loggedIn = () => ({ XDG_CONFIG_HOME: home });

describe('malipo login', () => {
  it('keeps the keys where only their owner may read them, and listen and trigger use them', async () => {
    const { code, out } = await malipo(['login', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { profile: 'default', file: profileFile(), merchant_id: merchant.merchantId },
    ]);
    expect(out).not.toContain(merchant.apiSecret);
    expect(statSync(profileFile()).mode & 0o777).toBe(0o600);
    expect((await malipo(['trigger'], { env: loggedIn() })).code).toBe(0);
  });

  it('refuses keys that are not right, a file that others may read, and a profile that is not there', async () => {
    const wrong = await malipo(['login'], { env: { ...env, MALIPO_API_SECRET: 'sk_test_wrong' } });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('401')]);
    await malipo(['login']);
    chmodSync(profileFile(), 0o644);
    const open = await malipo(['trigger'], { env: loggedIn() });
    expect([open.code, open.err]).toEqual([1, expect.stringContaining('chmod 600')]);
    const none = await malipo(['trigger', '--profile', 'other'], { env: loggedIn() });
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('malipo login')]);
    expect((await malipo(['login', '--profile', '../x'])).code).toBe(2);
  });

  it('sends no secret to an address that only looks like the API, and repeats no password', async () => {
    const { host } = new URL(server.url);
    for (const url of [
      `http://127.0.0.1:3000@${host}`,
      `http://shop:hunter2@${host}`,
      `http://${host}/?x=1`,
    ]) {
      const { code, err } = await malipo(['login'], { env: { ...env, MALIPO_URL: url } });
      expect([code, err]).toEqual([2, expect.stringContaining('without user, query and fragment')]);
      expect(err).not.toContain('hunter2');
    }
    expect(server.received).toEqual([]);
  });

  it('keeps no keys for a server that is not the API', async () => {
    const other = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${String((other.address() as AddressInfo).port)}`;
    const { code, err } = await malipo(['login', '--profile', 'lost'], { env: { ...env, MALIPO_URL: url } });
    other.close();
    expect([code, err]).toEqual([1, expect.stringContaining('not as the API of Malipo')]);
    expect(existsSync(profileFile().replace('default', 'lost'))).toBe(false);
  });
});

interface Listed {
  scenarios: { name: string }[];
}
const namesListed = async () =>
  (JSON.parse((await malipo(['trigger', '--json'])).out) as Listed).scenarios.map(({ name }) => name);

describe('malipo trigger', () => {
  it('brings about every scenario of every rail', async () => {
    const names = await namesListed();
    const all = (await (await fetch(`${stack.simulatorUrl}/control/scenarios`)).json()) as Listed;
    expect(names).toEqual(all.scenarios.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    const answers = await Promise.all(names.map((name) => malipo(['trigger', name, '--json'])));
    const reported = answers.map(({ out, err }, n) => ({
      name: names[n],
      err,
      ...(JSON.parse(out || '{}') as object),
    }));
    // What we ourselves refuse never reaches a provider.
    const refused = reported.filter(
      (one) => 'code' in one && /VALIDATION|INVALID|REQUIRED/.test(String(one.code)),
    );
    expect(refused).toEqual([]);
    expect(reported.filter(({ err }) => err !== '')).toEqual([]);
    expect(
      reported.filter((one) => !('payments' in one) || (one.payments as unknown[]).length === 0),
    ).toEqual([]);
  });

  it.each([
    ['stk.insufficient-funds', 'failed'],
    ['momo.deposit.success', 'succeeded'],
    ['momo.payout.recipient-not-found', 'failed'],
    ['xb.success', 'succeeded'],
    ['walletpay.order.success', 'succeeded'],
    ['cardproc.order.no-surprise', 'succeeded'],
  ])('%s ends as %s', async (name, state) => {
    const { code, out } = await malipo(['trigger', name, '--wait', '60', '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { scenario: name, status: 200, payments: [{ state }] },
    ]);
  });

  it('refuses what is no scenario, and keys of live', async () => {
    expect((await malipo(['trigger', 'stk.no-such'])).code).toBe(1);
    const live = await malipo(['trigger'], { env: { ...env, MALIPO_API_KEY: 'pk_live_1' } });
    expect([live.code, live.err]).toEqual([1, expect.stringContaining('Only a sandbox')]);
  });
});

interface Line {
  event: { id: string; type: string; data: unknown };
  forwarded: { http_status: number } | null;
  again: boolean;
}
const linesIn = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

describe('malipo listen', () => {
  it('forwards what webhooks tell with their very body and signature, and the last one again at a key', async () => {
    const paid = linesIn(
      (await malipo(['listen', '--from-beginning', '--types', 'deposit.succeeded', '--limit', '1', '--json']))
        .out,
    )[0]?.event;
    let press: (key: string) => void = () => undefined;
    let isSent = false;
    const listening = malipo(
      ['listen', '--from-beginning', '--types', 'deposit.succeeded', '--forward-to', server.url, '--json'],
      {
        keys: (pressed) => (press = pressed),
        out: () => (isSent = true),
      },
    );
    await waitFor(() => Promise.resolve(isSent), { what: 'an event', timeoutMs: 60_000 });
    press('r');
    await waitFor(
      () =>
        Promise.resolve(
          new Set(server.received.map(({ headers }) => headers['webhook-id'])).size < server.received.length,
        ),
      { what: 'one of them again', timeoutMs: 60_000 },
    );
    press('q');
    const { code, out } = await listening;
    expect(code).toBe(0);
    const lines = linesIn(out);
    expect(lines[0]).toMatchObject({ event: { id: paid?.id }, again: false });
    expect(lines.filter(({ again }) => again)).toHaveLength(1);
    for (const webhook of server.received) verifySignature(webhook, merchant.webhookSecret);
    const [mine, sent] = [server, merchant.receiver].map(({ received }) =>
      received.find(({ headers }) => headers['webhook-id'] === paid?.id),
    );
    expect(mine?.headers['x-callback-type']).toBe(sent?.headers['x-callback-type']);
    // Save for the moment at which it was sent, where a rail tells that.
    const untimed = (text = '') => text.replace(/"timestamp":"[^"]*"/, '');
    expect(untimed(mine?.rawBody)).toBe(untimed(sent?.rawBody));
  });

  it('shows what no webhook tells, and sends it on only where all is wanted', async () => {
    const args = ['listen', '--from-beginning', '--types', 'deposit.created', '--limit', '1', '--json'];
    const before = server.received.length;
    const plain = linesIn((await malipo([...args, '--forward-to', server.url])).out);
    expect([plain[0]?.event.type, plain[0]?.forwarded, server.received.length]).toEqual([
      'deposit.created',
      null,
      before,
    ]);
    const all = linesIn((await malipo([...args, '--all', '--forward-to', server.url])).out);
    expect(all[0]?.forwarded).toMatchObject({ http_status: 200 });
  });

  it('begins with what happens from then on', async () => {
    let isListening = false;
    const listening = malipo(['listen', '--types', 'deposit.created', '--limit', '1'], {
      out: () => (isListening = true),
    });
    await waitFor(() => Promise.resolve(isListening), { what: 'it to listen', timeoutMs: 30_000 });
    let ended = false;
    const over = listening.then((ran) => {
      ended = true;
      return ran;
    });
    // It may still be looking for the end of what has happened.
    const begun: string[] = [];
    await waitFor(
      async () => {
        const { out } = await malipo(['trigger', 'stk.success', '--json']);
        begun.push(
          ...(JSON.parse(out) as { payments: { payment_id: string }[] }).payments.map(
            (one) => one.payment_id,
          ),
        );
        return ended;
      },
      { what: 'it to show a payment', timeoutMs: 60_000, everyMs: 500 },
    );
    const { out } = await over;
    expect(begun.some((id) => out.includes(id))).toBe(true);
  });

  it('tells a server that checks signatures from one that does not', async () => {
    const args = ['listen', '--from-beginning', '--limit', '1', '--check-signature', '--json'];
    const careless = await malipo([...args, '--forward-to', server.url]);
    expect([careless.code, careless.out]).toEqual([1, expect.stringContaining('"verifies":false')]);
    server.answerWith((_request, response) => {
      const last = server.received.at(-1);
      try {
        if (last) verifySignature(last, merchant.webhookSecret);
        response.statusCode = 200;
      } catch {
        response.statusCode = 401;
      }
      response.end();
    });
    const careful = await malipo([...args, '--forward-to', server.url]);
    expect([careful.code, careful.out]).toEqual([0, expect.stringContaining('"verifies":true')]);
    // As the guide about going live says: the check alone, and no event.
    const only = await malipo(['listen', '--forward-to', server.url, '--check-signature', '--limit', '0']);
    expect([only.code, only.out]).toEqual([0, expect.stringContaining('refuses a forged one')]);
    expect(only.out).not.toMatch(/->/);
  });

  it.each([
    ['accepts everything', 200, 'Your server does not check signatures: 200 in'],
    ['refuses everything', 400, 'Your server refuses genuine webhooks, too; it may have another secret'],
  ])('says what a server does that %s', async (_what, status, sentence) => {
    server.answerWith((_request, response) => {
      response.statusCode = status;
      response.end();
    });
    const args = ['--check-signature', '--limit', '0', '--forward-to', server.url];
    expect(await malipo(['listen', ...args])).toMatchObject({
      code: 1,
      out: expect.stringContaining(sentence) as unknown,
    });
  });

  it('says that a server does not answer', async () => {
    const port = String(await freePort());
    const args = ['--check-signature', '--limit', '0', '--forward-to', `http://127.0.0.1:${port}/hook`];
    const { code, out } = await malipo(['listen', ...args]);
    expect([code, out]).toEqual([1, expect.stringContaining('Your server did not answer: ')]);
  });

  it('refuses a cursor that is none, and a target that is no web server', async () => {
    const lost = await malipo(['listen', '--after', 'nonsense']);
    expect([lost.code, lost.err]).toEqual([1, expect.stringContaining('400')]);
    expect((await malipo(['listen', '--forward-to', 'localhost:8000'])).code).toBe(2);
  });
});
