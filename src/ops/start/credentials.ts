/** What the sandbox makes up once and then keeps: the key that seals secrets, and its accounts at the simulators. */
import { randomBytes, randomInt } from 'node:crypto';
import { readJsonIfThere, writeSecretJson, type SandboxFolder } from './sandbox-folder';

/**
 * Per provider prefix: its credentials as `sandbox.json` names them, and the variables that carry them to the adapter
 * and to the simulator alike.
 */
const providerVariables: Record<string, { baseUrl: string; credentials: Record<string, string> }> = {
  stk: {
    baseUrl: 'STK_BASE_URL',
    credentials: {
      consumer_key: 'STK_CONSUMER_KEY',
      consumer_secret: 'STK_CONSUMER_SECRET',
      passkey: 'STK_PASSKEY',
      shortcode: 'STK_SHORTCODE',
    },
  },
  momo: { baseUrl: 'MOMO_BASE_URL', credentials: { token: 'MOMO_TOKEN' } },
  xb: {
    baseUrl: 'XB_BASE_URL',
    credentials: {
      secret_key: 'XB_SECRET_KEY',
      publishable_key: 'XB_PUBLISHABLE_KEY',
      challenge: 'XB_CHALLENGE',
    },
  },
  walletpay: {
    baseUrl: 'WALLETPAY_BASE_URL',
    credentials: {
      client_id: 'WALLETPAY_CLIENT_ID',
      client_secret: 'WALLETPAY_CLIENT_SECRET',
      webhook_id: 'WALLETPAY_WEBHOOK_ID',
    },
  },
  cardproc: {
    baseUrl: 'CARDPROC_BASE_URL',
    credentials: {
      consumer_key: 'CARDPROC_CONSUMER_KEY',
      consumer_secret: 'CARDPROC_CONSUMER_SECRET',
    },
  },
};

export interface SandboxCredentials {
  secret_keys: string;
  providers: Record<string, Record<string, string>>;
}

export async function keptCredentials({ credentials: file }: SandboxFolder): Promise<SandboxCredentials> {
  const kept = await readJsonIfThere<SandboxCredentials>(file);
  const credentials: SandboxCredentials = {
    secret_keys: kept?.secret_keys ?? `sandbox:${randomBytes(32).toString('base64')}`,
    providers: {},
  };
  // A sandbox made before a rail existed gets that rail's credentials now.
  for (const [prefix, { credentials: names }] of Object.entries(providerVariables)) {
    credentials.providers[prefix] = Object.fromEntries(
      Object.keys(names).map((name) => [name, kept?.providers[prefix]?.[name] ?? madeUp(name)]),
    );
  }
  await writeSecretJson(file, credentials);
  return credentials;
}

function madeUp(name: string): string {
  return name === 'shortcode' ? String(randomInt(100_000, 1_000_000)) : randomBytes(24).toString('hex');
}

/** As environment of the API, the worker and the simulator. */
export function providerEnvironment(
  { providers }: SandboxCredentials,
  simulatorUrl: string,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [prefix, { baseUrl, credentials }] of Object.entries(providerVariables)) {
    env[baseUrl] = `${simulatorUrl}/${prefix}`;
    for (const [name, variable] of Object.entries(credentials))
      env[variable] = providers[prefix]?.[name] ?? '';
  }
  return env;
}

/** As `providers` of sandbox.json. */
export function describeProviders(
  { providers }: SandboxCredentials,
  simulatorUrl: string,
): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(providers).map(([prefix, own]) => [
      prefix,
      { base_url: `${simulatorUrl}/${prefix}`, ...own },
    ]),
  );
}
