/** The environment of the sandbox's processes. */
import { providerEnvironment, type SandboxCredentials } from './credentials';
import type { Ports } from './ports';
import type { ProcessUrls } from './processes';
import type { SandboxFolder } from './sandbox-folder';
import type { Services } from './start-services';
import {
  forEachProvider,
  providerAddresses,
  providerNames,
  simulatedProviders,
  type ProviderUrls,
} from './simulated-providers';

function loopbackUrl(port: number): string {
  return `http://127.0.0.1:${String(port)}`;
}

/** The user's host with the chosen port. */
function hostAndPort(given: string | undefined, port: number): string {
  const host = given?.includes(':') === true ? given.replace(/:[^:]*$/, '') : '127.0.0.1';
  return `${host}:${String(port)}`;
}

export interface SandboxUrls extends ProcessUrls {
  providers: ProviderUrls;
  temporalUi: string;
}

export function sandboxUrls(ports: Ports, services: Services): SandboxUrls {
  return {
    api: loopbackUrl(ports.api),
    ops: loopbackUrl(ports.ops),
    simulator: loopbackUrl(ports.simulator),
    providers: forEachProvider((name) => loopbackUrl(ports[name])),
    workerHealth: loopbackUrl(ports.workerHealth),
    portal: loopbackUrl(ports.portal),
    portalHealth: loopbackUrl(ports.portalHealth),
    temporalUi: services.temporalUiUrl,
  };
}

/** Where the simulated accounts send their notifications. */
export function notificationAddresses(apiUrl: string): Record<string, string> {
  return together(providerNames.map((name) => simulatedProviders[name].notificationAddresses?.(apiUrl)));
}

/** The authority of simulated events' certificates: live trusts only the providers' own. */
export function sandboxTrust(urls: ProviderUrls): Record<string, string> {
  return together(providerNames.map((name) => simulatedProviders[name].trust?.(urls[name])));
}

function together(parts: readonly (Record<string, string> | undefined)[]): Record<string, string> {
  return parts.reduce<Record<string, string>>((all, part) => ({ ...all, ...part }), {});
}

/** Further accounts at the card processor: the sandbox's own for direct calls, and the user's. */
function processorAccounts({ direct }: SandboxCredentials): Record<string, string> {
  const own = `${direct.consumer_key}:${direct.consumer_secret}`;
  const named = process.env['CARDPROC_EXTRA_ACCOUNTS'];
  return { CARDPROC_EXTRA_ACCOUNTS: named ? `${own},${named}` : own };
}

/** One environment for all processes: each reads its own settings. The user's other variables are passed on. */
export function sandboxEnvironment(
  urls: SandboxUrls,
  ports: Ports,
  services: Services,
  credentials: SandboxCredentials,
  folder: SandboxFolder,
): Record<string, string> {
  return {
    MALIPO_ENV: 'sandbox',
    DATABASE_URL: services.database.serviceUrl,
    TEMPORAL_ADDRESS: services.temporalAddress,
    TEMPORAL_NAMESPACE: services.temporalNamespace,
    MALIPO_TEMPORAL_UI_URL: services.temporalUiUrl,
    MALIPO_API_PORT: String(ports.api),
    MALIPO_OPS_PORT: String(ports.ops),
    MALIPO_PUBLIC_URL: urls.api,
    // Errors link to the pages that the API serves itself, unless the user sets another address.
    MALIPO_DOCS_URL: process.env['MALIPO_DOCS_URL'] ?? `${urls.ops}/docs`,
    MALIPO_SECRET_KEYS: credentials.secret_keys,
    MALIPO_AUDIT_KEY: credentials.audit_key,
    MALIPO_WORKER_METRICS: hostAndPort(process.env['MALIPO_WORKER_METRICS'], ports.workerMetrics),
    MALIPO_WORKER_HEALTH: hostAndPort(process.env['MALIPO_WORKER_HEALTH'], ports.workerHealth),
    MALIPO_PORTAL_PORT: String(ports.portal),
    MALIPO_PORTAL_URL: urls.portal,
    MALIPO_PORTAL_HEALTH: hostAndPort(process.env['MALIPO_PORTAL_HEALTH'], ports.portalHealth),
    MALIPO_SIMULATOR_URL: urls.simulator,
    MALIPO_SIMULATOR_PORT: String(ports.simulator),
    MALIPO_SIMULATOR_SMTP_PORT: String(ports.simulatorSmtp),
    // Ours, whatever the user's shell has: the sandbox sends no mail outside.
    MALIPO_SMTP_URL: `smtp://127.0.0.1:${String(ports.simulatorSmtp)}`,
    MALIPO_SIMULATOR_STATE: folder.simulator,
    // These providers have one notification address per account, not per payment.
    ...notificationAddresses(urls.api),
    ...sandboxTrust(urls.providers),
    ...providerAddresses(urls.providers),
    ...providerEnvironment(credentials),
    ...processorAccounts(credentials),
  };
}
