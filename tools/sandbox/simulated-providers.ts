/** The sandbox's simulated providers, one per rail, each with its own origin, like the real one. */
import type { SimulatedProvider } from '../../src/rail-kit/sandbox';
import { railSandboxes } from '../../src/rails/sandbox';

export type ProviderName = keyof typeof railSandboxes;

/** The base address of each simulated provider, without a trailing slash. */
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

/** The addresses of the simulated providers for the adapters, and the ports for the simulator. */
export function providerAddresses(urls: ProviderUrls): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of providerNames) {
    env[simulatedProviders[name].baseUrl] = urls[name];
    env[simulatedProviders[name].port.variable] = new URL(urls[name]).port;
  }
  return env;
}
