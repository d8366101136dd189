/** What `malipo doctor --live xb` says about the countries of the mobile money account. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRails } from '../../../../src/rails';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';

let provider: Server;
beforeAll(async () => {
  const deposits = { DEPOSIT: { status: 'OPERATIONAL' }, PAYOUT: {}, REFUND: {} };
  const uganda = {
    country: 'UGA',
    providers: [{ provider: 'MTN_MOMO_UGA', currencies: [{ currency: 'UGX', operationTypes: deposits }] }],
  };
  provider = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ countries: [uganda] }));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => provider.close(resolve)));

async function faultsWith(env: Record<string, string>): Promise<string[]> {
  const { port } = provider.address() as AddressInfo;
  const settings = {
    environment: 'sandbox',
    publicUrl: 'https://pay.example',
    timezone: 'UTC',
    timeScale: 1,
  };
  const own = { ...settings, log: silentLog, tokens: ownTokens(), observe: () => {} } as const;
  const account = { MOMO_BASE_URL: `http://127.0.0.1:${String(port)}`, MOMO_TOKEN: 'token' };
  const rails = createRails({ ...own, environment: 'sandbox', env: { ...account, ...env } }, ['momo', 'xb']);
  const checkups = rails.find(({ name }) => name === 'xb')?.checkups?.() ?? [];
  const found = checkups.find(({ title }) => title === 'pawaPay')?.checkups ?? [];
  const active = found.find(({ name }) => name === 'active configuration');
  const diagnoses = (await active?.examine({ timeoutMs: 5_000, requestId: 'r' })) ?? [];
  return diagnoses.filter(({ level }) => level === 'fault').map(({ sentence }) => sentence);
}

const intasend = {
  ...{ XB_PROVIDER_TZS: 'intasend', XB_BASE_URL: 'http://127.0.0.1:1' },
  ...{
    XB_SECRET_KEY: 'ISSecretKey_test_1',
    XB_PUBLISHABLE_KEY: 'ISPubKey_test_1',
    XB_CHALLENGE: 'a-challenge-of-this-test',
  },
};

it('a country without deposits, where we collect through the account, is a fault', async () => {
  expect(await faultsWith({ XB_PROVIDER_UGX: 'pawapay', XB_PROVIDER_TZS: 'pawapay' })).toContain(
    'The account cannot collect in TZA: every push there would be rejected.',
  );
});

it('only countries in which we collect through the account count', async () => {
  const faults = await faultsWith({ XB_PROVIDER_UGX: 'pawapay', ...intasend });
  expect(faults.filter((sentence) => sentence.includes('cannot collect'))).toEqual([]);
});
