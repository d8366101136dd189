/** The providers that the sandbox simulates, one of each rail. Each has an origin of its own, as the provider has. */
import type { SimulatedProvider } from '../../src/rail-kit/sandbox';
import { railSandboxes } from '../../src/rails/sandbox';

export type ProviderName = keyof typeof railSandboxes;

/** Where each simulated provider is, without a slash at its end. */
export type ProviderUrls = Record<ProviderName, string>;

export const providerNames = Object.keys(railSandboxes) as ProviderName[];

/** A value for each simulated provider. */
export function forEachProvider<T>(
  valueOf: (name: ProviderName, provider: SimulatedProvider) => T,
): Record<ProviderName, T> {
  return Object.fromEntries(
    providerNames.map((name) => [name, valueOf(name, railSandboxes[name].provider)]),
  ) as Record<ProviderName, T>;
}

export const simulatedProviders = forEachProvider((_name, provider) => provider);

/** What tells the adapters where the simulated providers are, and the simulator where they are to listen. */
export function providerAddresses(urls: ProviderUrls): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of providerNames) {
    env[simulatedProviders[name].baseUrl] = urls[name];
    env[simulatedProviders[name].port.variable] = new URL(urls[name]).port;
  }
  return env;
}
