/** Runs every sample of the documentation with a real stack; the others have a reason. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorResponses } from '../../../src/domain/errors';
import { shellKeys } from '../../../tools/sandbox/shell-keys';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { clientCallsOf, curlsOf, type Description } from '../../../tools/docs-site/reference';
import { sharedStack } from '../../support/shared-stack';
import type { Stack } from '../../support/stack';
import { programOf } from './client-programs';
import { fences, nameOf, staleReasons, whyNotRun, type Fence } from './fences';
import { itFor, prepareSample } from './run-sample';
import { isWebhookSample } from './webhook-samples';

const root = join(__dirname, '..', '..', '..');
const description = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8')) as Description;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-samples-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** described-json.test.ts compares JSON with its schema; webhook-samples.test.ts tests webhooks. */
const run = fences.filter((fence) => {
  return fence.language !== 'json' && !isWebhookSample(fence) && whyNotRun(fence) === undefined;
});

it('is run or has a reason, and no reason is left over', () => {
  expect(run.length).toBeGreaterThan(20);
  expect(fences.filter(({ language }) => language === '').map(nameOf)).toEqual([]);
  expect(staleReasons()).toEqual([]);
});

/** A newcomer's folder with the files of `npm start`, and `npx malipo` of this build. */
function makeHome(stack: Stack, merchant: Awaited<ReturnType<Stack['createMerchant']>>) {
  const sandbox = {
    ...{ api_url: stack.apiUrl, simulator_url: stack.simulatorUrl },
    merchants: [
      {
        ...{ name: 'Demo Shop', api_key: merchant.apiKey, api_secret: merchant.apiSecret },
        webhook_secret: merchant.webhookSecret,
      },
    ],
  };
  for (const name of ['.malipo', 'bin', '.config/fish/completions']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, '.malipo', 'sandbox.json'), JSON.stringify(sandbox));
  writeFileSync(join(folder, '.malipo', 'env'), shellKeys(sandbox));
  const npx = join(folder, 'bin', 'npx');
  writeFileSync(
    npx,
    `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(root, 'scripts', 'malipo.mjs')}' "$@"\n`,
  );
  chmodSync(npx, 0o755);
  return {
    ...{ MALIPO_URL: stack.apiUrl, MALIPO_SIMULATOR_URL: stack.simulatorUrl },
    ...{ MALIPO_API_KEY: merchant.apiKey, MALIPO_API_SECRET: merchant.apiSecret },
    ...{ HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') },
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
  };
}

describe('the samples that call the API', () => {
  let stack: Stack;
  let env: Record<string, string>;
  /** Replacements for the reader's own values. */
  let own: [shown: string, meant: string][];
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 20 });
    const merchant = await stack.createMerchant('Demo Shop', { permissions: ['can_payout'] });
    const floats = [
      { rail: 'momo', country: 'ZMB', currency: 'ZMW' },
      { rail: 'walletpay', country: null, currency: 'USD' },
    ] as const;
    for (const { rail, country, currency } of floats) {
      await transferByHand(stack.db, {
        from: { class: 'bank', currency },
        to: { class: 'float', merchantId: merchant.merchantId, rail, country, currency },
        ...{ amountMinor: 10_000_000n, reason: 'test', whenShort: 'FLOAT_INSUFFICIENT' },
      });
    }
    env = makeHome(stack, merchant);
    own = [
      ['https://pay.example.org', stack.apiUrl],
      ['http://127.0.0.1:3000', stack.apiUrl],
      [' localhost:3000', ` ${stack.apiUrl}`],
      ['pk_test_…', merchant.apiKey],
      ['sk_test_…', merchant.apiSecret],
    ];
    await runFence({ language: 'sh', code: 'npx malipo login' });
  });
  afterAll(() => stack.stop());

  async function runFence({ language, code }: Pick<Fence, 'language' | 'code'>) {
    const meant = own.reduce((text, [shown, mine]) => text.replaceAll(shown, mine), code);
    const sample = await prepareSample({ language, code: meant }, folder);
    return sample({
      env: language === 'sh' ? env : { ...env, HOME: process.env['HOME'] ?? '' },
      cwd: folder,
    });
  }

  for (const fence of run) {
    itFor(fence)(nameOf(fence), async () => {
      const { code, out } = await runFence(fence);
      expect({ code, out }).toMatchObject({ code: 0 });
      expect(out).not.toContain('"success":false');
      if (/^(?:curl|ask) /m.test(fence.code)) expect(out).toContain('"success":true');
    });
  }

  /** The example's ids do not exist here, which is no fault of the command. */
  const faults = ['VALIDATION_FAILED', 'INVALID_QUERY', 'INVALID_JSON', 'NOT_FOUND', 'METHOD_NOT_ALLOWED'];
  it('has a valid command for each call in the reference', async () => {
    const curls = curlsOf(description);
    expect(curls.length).toBeGreaterThan(30);
    for (const code of curls) {
      const { code: ended, out } = await runFence({ language: 'sh', code });
      const reported = JSON.parse(out) as { code?: string };
      expect([code, ended, faults.includes(reported.code ?? '') ? out : '']).toEqual([code, 0, '']);
    }
  });

  it.each(['Node', 'Python', 'PHP'] as const)(
    'has a valid call of the client for each call in the reference: %s',
    async (label) => {
      const calls = clientCallsOf(description);
      expect(calls.length).toBe(curlsOf(description).length);
      // Each has a merchant of its own: the keys of the samples are the same in all languages.
      const merchant = await stack.createMerchant(`Shop in ${label}`, { permissions: ['can_payout'] });
      const program = programOf(label, calls, { root, merchantId: merchant.merchantId });
      const language = { Node: 'js', Python: 'python', PHP: 'php' }[label];
      mkdirSync(join(folder, 'vendor'), { recursive: true });
      writeFileSync(join(folder, 'vendor', 'autoload.php'), program.autoload);
      const { code, out } = await (
        await prepareSample({ language, code: program.code }, folder)
      )({
        env: {
          ...env,
          MALIPO_API_KEY: merchant.apiKey,
          MALIPO_API_SECRET: merchant.apiSecret,
          HOME: process.env['HOME'] ?? '',
        },
        cwd: folder,
      });
      const ended = [...out.matchAll(/^@@ (\w+) (.+)$/gm)].map(([, id = '', result = '']) => ({
        id,
        result,
      }));
      expect([code, ended.map(({ id }) => id)]).toEqual([0, calls.map(({ id }) => id)]);
      // A code of the API means that the client could make the call.
      const known = (result: string) =>
        result === 'ok' || (result in errorResponses && !faults.includes(result));
      expect(ended.filter(({ result }) => !known(result))).toEqual([]);
      expect(ended.filter(({ result }) => result === 'ok').length).toBeGreaterThan(15);
    },
  );
});
