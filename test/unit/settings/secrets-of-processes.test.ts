/** Each process needs only the secrets that it uses, and every rail works in it without the others. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { createRails, railDefinitions } from '../../../src/rails';
import { readSecretFiles, secretSettings, usesSecret, type ProcessName } from '../../../src/secret-files';
import { ownTokens } from '../../support/own-tokens';
import { silentLog } from '../../support/silent-log';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = Buffer.alloc(32).toString('base64');
const secretOf: Record<string, string> = {
  DATABASE_URL: 'mysql://malipo@db/malipo',
  MALIPO_SECRET_KEYS: `k1:${key}`,
  MALIPO_AUDIT_KEY: `a1:${key}`,
  MOMO_REQUEST_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  MALIPO_FX_SOURCE: 'https://rates.example.com',
  MALIPO_SMTP_URL: 'smtps://user:secret@mail.example.com',
};
/** What every process has, as in one map of settings for all of them. */
const shared = {
  MALIPO_ENV: 'live',
  MALIPO_PUBLIC_URL: 'https://pay.example.com',
  STK_BASE_URL: 'https://api.safaricom.co.ke',
  STK_SHORTCODE: '174379',
  STK_INITIATOR: 'initiator',
  MOMO_BASE_URL: 'https://api.pawapay.io',
  MOMO_REQUEST_KEY_ID: 'key-1',
  XB_BASE_URL: 'https://payment.intasend.com',
  WALLETPAY_BASE_URL: 'https://api-m.paypal.com',
  CARDPROC_BASE_URL: 'https://pay.pesapal.com/v3',
};
let nowhere: string;
beforeAll(() => {
  nowhere = mkdtempSync(join(tmpdir(), 'malipo-no-secrets-'));
});
afterAll(() => {
  rmSync(nowhere, { recursive: true, force: true });
});

/** Its own secrets, and the names of files that it does not have, for the others and those of `but`. */
function envOf(process: ProcessName, but: readonly string[] = []): NodeJS.ProcessEnv {
  const secrets = secretSettings.map((name) =>
    !usesSecret(process, name)
      ? [`${name}_FILE`, join(nowhere, name)]
      : [name, but.includes(name) ? '' : (secretOf[name] ?? 'c29tZSBrZXkgb2Ygb3Vycw==')],
  );
  return { ...shared, ...(Object.fromEntries(secrets) as NodeJS.ProcessEnv) };
}

function railsOf(
  process: ProcessName,
  but: readonly string[] = [],
  names: string[] = [],
  asked: unknown[] = [],
): PaymentsContext['rails']['all'] {
  const env = readSecretFiles(envOf(process, but), process);
  const config = readConfig(env);
  return createRails(
    {
      ...{ environment: config.environment, publicUrl: config.publicUrl, timezone: config.timezone },
      ...{ timeScale: 1, env, log: silentLog, tokens: ownTokens(), observe: () => undefined, process },
      ask: (question) => {
        asked.push(question);
        return Promise.resolve(undefined);
      },
    },
    names,
  );
}

describe.each(['api', 'worker', 'portal'] as const)('the %s', (process) => {
  it('has every rail with only its own secrets', () => {
    expect(railsOf(process).map(({ name }) => name)).toEqual(railDefinitions.map(({ name }) => name));
  });

  it('gets no other secret, even if the environment has it', () => {
    const every = Object.fromEntries(secretSettings.map((name) => [name, 'x']));
    const own = secretSettings.filter((name) => usesSecret(process, name));
    expect(Object.keys(readSecretFiles(every, process)).sort()).toEqual([...own].sort());
  });

  it('serves the same kinds of payments, refunds and statements as one with every key', () => {
    const shape = (rails: ReturnType<typeof railsOf>) =>
      rails.map(({ name, operations, refund, payOut, statement, wallets, statementSource }) => [
        ...[name, Object.keys(operations), typeof refund, payOut && 'many', statement?.provider],
        ...[wallets?.provider, statementSource && 'fetch' in statementSource],
      ]);
    expect(shape(railsOf(process))).toEqual(shape(railsOf('worker')));
  });
});

it('the portal has no key of a provider, and the API none of those that only workers use', () => {
  const providers = /^(?:STK|MOMO|XB|WALLETPAY|CARDPROC)_/;
  const of = (process: ProcessName) =>
    secretSettings.filter((name) => providers.test(name) && usesSecret(process, name));
  expect(of('portal')).toEqual([]);
  expect(of('migrate')).toEqual([]);
  expect(of('api').filter((name) => /^(?:STK|CARDPROC)_/.test(name))).toEqual([]);
  expect(of('worker')).toEqual(secretSettings.filter((name) => providers.test(name)));
});

it.each([
  ['worker', 'STK_PASSKEY', 'stk'],
  ['worker', 'MOMO_TOKEN', 'momo'],
  ['api', 'MOMO_TOKEN', 'momo'],
  ['worker', 'XB_SECRET_KEY', 'xb'],
  ['api', 'WALLETPAY_WEBHOOK_ID', 'walletpay'],
  ['worker', 'CARDPROC_CONSUMER_SECRET', 'cardproc'],
] as const)('the %s does not start without %s, and names it', (process, secret, rail) => {
  expect(() => railsOf(process, [secret], [rail])).toThrow(secret);
});

it('the portal asks a worker for what only the provider knows', async () => {
  const asked: unknown[] = [];
  const [momo] = railsOf('portal', [], ['momo'], asked);
  const row = {
    ...{ phone_number: '+260763000789', country: 'ZMB', amount: '1.00', currency: 'ZMW' },
    account_reference: 'A-1',
  };
  const merchant = { merchant_id: 'm', can_pay_out: 1 } as never;
  await expect(
    momo?.payOut?.check({ db: undefined as never }, { merchant, requestId: 'r' }, [row]),
  ).resolves.toMatchObject([{ code: 'PROVIDER_UNAVAILABLE' }]);
  expect(asked).toEqual([{ kind: 'rail', rail: 'momo', about: { kind: 'networks' } }]);
});
