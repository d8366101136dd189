import {
  callbackAddressCheckup,
  whyNotFromOutside,
  providerCheckup,
} from '../../../src/cli/doctor/addresses';
import type { ProviderCheckups } from '../../../src/rail-kit/provider-checkups';

const daraja: ProviderCheckups = {
  title: 'Daraja',
  baseUrl: 'https://api.safaricom.co.ke',
  baseUrlSetting: 'STK_BASE_URL',
  documentedUrls: { sandbox: 'https://sandbox.safaricom.co.ke', live: 'https://api.safaricom.co.ke' },
  notificationUrl: 'https://pay.example.invalid/in/stk',
  checkups: [],
};
const call = { timeoutMs: 5_000, requestId: 'req-1' };

describe('the address of a provider', () => {
  const reported = async (environment: 'sandbox' | 'live', baseUrl: string) => {
    const deployment = {
      config: { environment, publicUrl: 'https://pay.example.invalid' },
      simulatorUrl: undefined,
    };
    const [found] = await providerCheckup({ ...daraja, baseUrl }, deployment).examine(call);
    return [found?.level, found?.sentence];
  };

  it.each([
    ['live', 'https://api.safaricom.co.ke/', 'ok', 'Daraja, live'],
    ['sandbox', 'https://sandbox.safaricom.co.ke', 'ok', 'Daraja, sandbox'],
    ['live', 'https://sandbox.safaricom.co.ke', 'fault', 'no real money would move'],
    ['sandbox', 'https://api.safaricom.co.ke', 'fault', 'real money would move'],
    ['live', 'https://api.safaricom.co.ke/v9', 'attention', 'not the address that Daraja documents'],
    ['live', 'https://daraja.example.org', 'attention', 'gets all our requests'],
    ['live', 'https://localhost:3210', 'fault', 'simulated provider'],
    ['sandbox', 'http://[::1]:3210', 'ok', 'Simulated provider'],
  ] as const)('%s with %s is: %s', async (environment, baseUrl, level, words) => {
    expect(await reported(environment, baseUrl)).toEqual([level, expect.stringContaining(words)]);
  });
});

describe('the address that a provider notifies', () => {
  it.each([
    ['http://localhost:3000', 'the machine itself'],
    ['https://127.0.0.1', 'the machine itself'],
    ['https://[::1]:8443', 'the machine itself'],
    ['https://10.1.2.3', 'a private address'],
    ['https://192.168.1.4:8443', 'a private address'],
    ['https://[fd00::1]', 'a private address'],
    ['https://8.8.8.8', 'an IP address instead of a name'],
    ['http://pay.example.com', 'not https'],
    ['https://nowhere.invalid', 'the name does not resolve'],
  ])('%s is not reachable from outside: %s', async (url, words) => {
    expect(await whyNotFromOutside(new URL(url))).toContain(words);
  });

  it('is a fault when the provider is a real one', async () => {
    const config = { environment: 'live' as const, publicUrl: 'https://nowhere.invalid' };
    const found = await callbackAddressCheckup(daraja, { config, simulatorUrl: undefined }, false).examine(
      call,
    );
    expect(found.map(({ level }) => level)).toEqual(['fault', 'fault']);
    expect(found[0]?.sentence).toContain('Daraja cannot notify us');
  });
});
