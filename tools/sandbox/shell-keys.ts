/** `.malipo/env`: the first shop's keys under the names that the clients and `malipo` read. */
import type { KeptSandbox } from '../../src/cli/kept-sandbox';

type Described = Pick<KeptSandbox, 'api_url' | 'simulator_url' | 'merchants'>;

/** Lines for `source` in a POSIX shell. No value has a quote. */
export function shellKeys({ api_url: api, simulator_url: simulator, merchants: [shop] }: Described): string {
  if (!shop) return '';
  const values = {
    MALIPO_URL: api,
    MALIPO_API_KEY: shop.api_key,
    MALIPO_API_SECRET: shop.api_secret,
    MALIPO_WEBHOOK_SECRET: shop.webhook_secret,
    MALIPO_SIMULATOR_URL: simulator,
  };
  const lines = Object.entries(values).map(([name, value]) => `export ${name}='${value}'`);
  return [`# The keys of ${shop.name}. \`npm start\` writes this file.`, ...lines, ''].join('\n');
}
