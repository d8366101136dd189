/** The providers that the sandbox simulates. Each has an origin of its own, as the provider has. */

interface SimulatedProvider {
  /** In "the simulated …". */
  what: string;
  port: { variable: string; standard: number };
  /** The variable that tells the adapter where the provider is. */
  baseUrl: string;
  /** By their names in `sandbox.json`, the variables that carry them to the adapter and to the simulator alike. */
  credentials: Record<string, string>;
}

export const simulatedProviders = {
  stk: {
    what: 'STK provider',
    port: { variable: 'MALIPO_SIMULATOR_STK_PORT', standard: 3210 },
    baseUrl: 'STK_BASE_URL',
    credentials: {
      consumer_key: 'STK_CONSUMER_KEY',
      consumer_secret: 'STK_CONSUMER_SECRET',
      passkey: 'STK_PASSKEY',
      shortcode: 'STK_SHORTCODE',
    },
  },
  momo: {
    what: 'mobile-money provider',
    port: { variable: 'MALIPO_SIMULATOR_MOMO_PORT', standard: 3220 },
    baseUrl: 'MOMO_BASE_URL',
    credentials: { token: 'MOMO_TOKEN' },
  },
  xb: {
    what: 'cross-border provider',
    port: { variable: 'MALIPO_SIMULATOR_XB_PORT', standard: 3230 },
    baseUrl: 'XB_BASE_URL',
    credentials: {
      secret_key: 'XB_SECRET_KEY',
      publishable_key: 'XB_PUBLISHABLE_KEY',
      challenge: 'XB_CHALLENGE',
    },
  },
  walletpay: {
    what: 'wallet provider',
    port: { variable: 'MALIPO_SIMULATOR_WALLETPAY_PORT', standard: 3240 },
    baseUrl: 'WALLETPAY_BASE_URL',
    credentials: {
      client_id: 'WALLETPAY_CLIENT_ID',
      client_secret: 'WALLETPAY_CLIENT_SECRET',
      webhook_id: 'WALLETPAY_WEBHOOK_ID',
    },
  },
  cardproc: {
    what: 'card processor',
    port: { variable: 'MALIPO_SIMULATOR_CARDPROC_PORT', standard: 3250 },
    baseUrl: 'CARDPROC_BASE_URL',
    credentials: {
      consumer_key: 'CARDPROC_CONSUMER_KEY',
      consumer_secret: 'CARDPROC_CONSUMER_SECRET',
    },
  },
} as const satisfies Record<string, SimulatedProvider>;

export type ProviderName = keyof typeof simulatedProviders;

/** Where each simulated provider is, without a slash at its end. */
export type ProviderUrls = Record<ProviderName, string>;

export const providerNames = Object.keys(simulatedProviders) as ProviderName[];

/** A value for each simulated provider. */
export function forEachProvider<T>(
  valueOf: (name: ProviderName, provider: SimulatedProvider) => T,
): Record<ProviderName, T> {
  return Object.fromEntries(
    providerNames.map((name) => [name, valueOf(name, simulatedProviders[name])]),
  ) as Record<ProviderName, T>;
}

/** What tells the adapters where the simulated providers are, and the simulator where they are to listen. */
export function providerAddresses(urls: ProviderUrls): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of providerNames) {
    env[simulatedProviders[name].baseUrl] = urls[name];
    env[simulatedProviders[name].port.variable] = new URL(urls[name]).port;
  }
  return env;
}
