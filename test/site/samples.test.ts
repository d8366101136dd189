/** Every sample of the guides that says it can be run, run against a real stack. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transfer } from '../../src/ledger/transfers';
import { findExecutable } from '../../src/ops/services/on-path';
import { signatureHeaders } from '../../src/webhooks/signature';
import { startStack, type Stack } from '../support/stack';

jest.setTimeout(240_000);

const guides = join(__dirname, '..', '..', 'src', 'ops', 'site', 'guides');

interface Sample {
  guide: string;
  language: string;
  code: string;
}

const samples: Sample[] = readdirSync(guides).flatMap((guide) =>
  [...readFileSync(join(guides, guide), 'utf8').matchAll(/^```(\w+) run\n(.*?)^```$/gms)].map(
    ([, language = '', code = '']) => ({ guide, language, code }),
  ),
);

/** How a file of each language is run. */
const languages: Record<
  string,
  { command: string; file: string; args?: string[]; env?: Record<string, string> }
> = {
  sh: { command: 'bash', file: 'sample.sh', args: ['-eu', '-o', 'pipefail'] },
  js: { command: 'node', file: 'sample.js' },
  python: {
    command: 'python3',
    file: 'sample.py',
    env: { PYTHONPATH: join(__dirname, '..', '..', 'clients', 'python') },
  },
  php: { command: 'php', file: 'sample.php' },
  java: { command: 'java', file: 'Webhook.java' },
  go: { command: 'go', file: 'sample.go', args: ['run'] },
};

interface Ran {
  code: number;
  out: string;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'malipo-samples-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run({ language, code }: Sample, env: Record<string, string>, input = ''): Promise<Ran> {
  const { command, file, args = [], env: own } = languages[language] ?? { command: language, file: 'sample' };
  const path = join(folder, file);
  writeFileSync(path, code);
  return new Promise((resolve) => {
    const child = execFile(
      command,
      [...args, path],
      { env: { ...process.env, ...own, ...env }, timeout: 180_000 },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, out: `${stdout}${stderr}` });
      },
    );
    child.stdin?.end(input);
  });
}

const isWebhookSample = ({ code }: Sample) => code.includes('WEBHOOK_SECRET');

describe('the samples that call the API', () => {
  let stack: Stack;
  let env: Record<string, string>;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    const merchant = await stack.createMerchant();
    await transfer(stack.db, {
      from: { class: 'bank', currency: 'ZMW' },
      to: { class: 'float', merchantId: merchant.merchantId, rail: 'momo', country: 'ZMB', currency: 'ZMW' },
      ...{ amountMinor: 10_000_000n, reason: 'test', whenShort: 'FLOAT_INSUFFICIENT' },
    });
    env = { API: stack.apiUrl, KEY: merchant.apiKey, SECRET: merchant.apiSecret };
  });
  afterAll(() => stack.stop());

  const calling = samples.filter((sample) => !isWebhookSample(sample));
  it.each(calling.map((sample, n) => [`${sample.guide} ${String(n + 1)}`, sample] as const))(
    '%s',
    async (_name, sample) => {
      const { code, out } = await run(sample, env);
      expect({ code, out }).toMatchObject({ code: 0 });
      expect(out).not.toContain('"success":false');
      if (sample.language === 'sh') expect(out).toContain('"success":true');
    },
  );
});

describe('the samples that verify webhooks', () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
  const body = JSON.stringify({ payment_id: '0199', status: 'Success', name: 'Wanjikũ' });
  const sent = (at: Date, secrets: string[]) => {
    const headers = signatureHeaders('msg_1', at, body, secrets);
    return {
      WEBHOOK_ID: headers['webhook-id'],
      WEBHOOK_TIMESTAMP: headers['webhook-timestamp'],
      WEBHOOK_SIGNATURE: headers['webhook-signature'],
      WEBHOOK_SECRET: secret,
    };
  };
  const other = `whsec_${Buffer.from('another secret of so many bytes .').toString('base64')}`;

  const verifying = samples.filter(isWebhookSample);

  it('are there in five languages', () => {
    expect(verifying.map(({ language }) => language).sort()).toEqual(['go', 'java', 'js', 'php', 'python']);
  });

  for (const sample of verifying) {
    const { command } = languages[sample.language] ?? { command: '' };
    const isHere = findExecutable([command]) !== undefined;
    if (!isHere)
      process.stderr.write(`… skipped: the sample in ${sample.language}, as there is no ${command}\n`);
    (isHere ? it : it.skip)(
      `${sample.language} takes what is ours, also while a secret changes, and nothing else`,
      async () => {
        const now = new Date();
        const codes = [];
        for (const [env, text] of [
          [sent(now, [secret]), body],
          [sent(now, [other, secret]), body],
          [sent(now, [other]), body],
          [sent(now, [secret]), `${body} `],
          [sent(new Date(now.getTime() - 6 * 60_000), [secret]), body],
        ] as const) {
          codes.push((await run(sample, env, text)).code);
        }
        expect(codes).toEqual([0, 0, 1, 1, 1]);
      },
    );
  }
});
