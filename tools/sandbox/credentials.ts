/** Secrets that the sandbox generates once and stores: the encryption key, and its accounts at the simulators. */
import { randomBytes, randomInt } from 'node:crypto';
import { readJsonIfThere } from '../../src/cli/kept-sandbox';
import { writeSecretJson, type SandboxFolder } from './sandbox-folder';
import type { SandboxProviders } from './sandbox-description';
import { forEachProvider, simulatedProviders, type ProviderUrls } from './simulated-providers';

/** An account at the card processor. */
export interface ProcessorKeys {
  consumer_key: string;
  consumer_secret: string;
}

export interface SandboxCredentials {
  secret_keys: string;
  audit_key: string;
  providers: Record<string, Record<string, string>>;
  /** The account of a merchant who calls the processor directly; the engine does not see its orders. */
  direct: ProcessorKeys;
}

export async function keptCredentials({ credentials: file }: SandboxFolder): Promise<SandboxCredentials> {
  const credentials = madeUpBeside(await readJsonIfThere<Partial<SandboxCredentials>>(file));
  await writeSecretJson(file, credentials);
  return credentials;
}

/** A sandbox from before a rail or an account existed gets the missing credentials now. */
export function madeUpBeside(kept?: Partial<SandboxCredentials>): SandboxCredentials {
  return {
    secret_keys: kept?.secret_keys ?? `sandbox:${randomBytes(32).toString('base64')}`,
    audit_key: kept?.audit_key ?? `sandbox:${randomBytes(32).toString('base64')}`,
    providers: forEachProvider((provider, { credentials: names }) =>
      Object.fromEntries(
        Object.keys(names).map((name) => [name, kept?.providers?.[provider]?.[name] ?? madeUp(name)]),
      ),
    ),
    direct: kept?.direct ?? {
      consumer_key: madeUp('consumer_key'),
      consumer_secret: madeUp('consumer_secret'),
    },
  };
}

function madeUp(name: string): string {
  return name === 'shortcode' ? String(randomInt(100_000, 1_000_000)) : randomBytes(24).toString('hex');
}

/** As environment variables of the API, the worker and the simulator. */
export function providerEnvironment({
  providers,
}: Pick<SandboxCredentials, 'providers'>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, { credentials }] of Object.entries(simulatedProviders)) {
    for (const [credential, variable] of Object.entries(credentials)) {
      env[variable] = providers[name]?.[credential] ?? '';
    }
  }
  return env;
}

/** As `providers` of sandbox.json. */
export function describeProviders(
  { providers, direct }: SandboxCredentials,
  urls: ProviderUrls,
): SandboxProviders {
  const described = forEachProvider((name) => ({ base_url: urls[name], ...providers[name] }));
  return { ...described, cardproc: { ...described.cardproc, direct } };
}
