import { ConfigError } from '../config';
import { overriding } from '../secret-files';
import { providerEnvironment, type SandboxCredentials } from '../ops/start/credentials';
import type { SandboxDescription } from '../ops/start/sandbox-description';
import { clusterFolder, readJsonIfThere, sandboxFolder } from '../ops/start/sandbox-folder';
import { providerAddresses, type ProviderUrls } from '../ops/start/simulated-providers';

/**
 * The settings of the deployment to work on. An environment that names one is complete by itself: a folder that
 * happens to hold a sandbox must never lend its credentials to live. Otherwise it is the sandbox of this folder, as
 * `npm start` has left it, or with MALIPO_TARGET=cluster that of `npm run cluster`, with what it does not describe taken
 * from the environment.
 * @throws ConfigError when there is neither.
 */
export async function settingsOf(env: NodeJS.ProcessEnv, root: string): Promise<NodeJS.ProcessEnv> {
  if (env['MALIPO_ENV'] !== undefined) return env;
  const folder = env['MALIPO_TARGET'] === 'cluster' ? clusterFolder(root) : sandboxFolder(root);
  const description = await readJsonIfThere<SandboxDescription>(folder.description);
  const credentials = await readJsonIfThere<SandboxCredentials>(folder.credentials);
  if (!description || !credentials) {
    throw new ConfigError(
      'No deployment is named: set MALIPO_ENV, DATABASE_URL and the other settings, or stand in a folder where `npm start` has made a sandbox.',
    );
  }
  // A sandbox of an earlier version has none.
  const auditKey = (credentials as Partial<SandboxCredentials>).audit_key;
  return overriding(env, {
    MALIPO_ENV: 'sandbox',
    DATABASE_URL: description.database_url,
    TEMPORAL_ADDRESS: description.temporal_address,
    MALIPO_TEMPORAL_UI_URL: description.temporal_ui_url,
    MALIPO_PUBLIC_URL: description.api_url,
    MALIPO_SECRET_KEYS: credentials.secret_keys,
    ...(auditKey !== undefined && { MALIPO_AUDIT_KEY: auditKey }),
    MALIPO_SIMULATOR_URL: description.simulator_url,
    // As this start has it, which gives way to others: never the usual port.
    ...(description.portal && { MALIPO_PORTAL_URL: description.portal.url }),
    ...description.settings,
    ...providerAddresses(baseUrlsOf(description)),
    ...providerEnvironment(credentials),
  });
}

/** A sandbox described before a rail existed does not say where its provider is. */
function baseUrlsOf({ providers }: SandboxDescription): Partial<ProviderUrls> {
  return Object.fromEntries(Object.entries(providers).map(([name, { base_url: url }]) => [name, url]));
}
