import { credentials } from '../../support/simulator/credentials';
import { startLiveDoctor, type LiveDoctor } from './live-support';

let doctor: LiveDoctor;
beforeAll(async () => {
  doctor = await startLiveDoctor();
});
afterAll(() => doctor.stop());
afterEach(() => {
  jest.restoreAllMocks();
});

const rails = ['stk', 'momo', 'xb', 'walletpay', 'cardproc'];
const containing = (text: string): unknown => expect.stringContaining(text);

describe('malipo doctor --live', () => {
  it('names the rails when the given one does not exist', async () => {
    const { code, err } = await doctor.read('mpesa');
    expect([code, err]).toEqual([
      2,
      containing(`There is no rail mpesa; this deployment has ${rails.join(', ')}.`),
    ]);
  });

  it('reports that the provider is simulated, and that only a simulator reaches a loopback address', async () => {
    const { json, of } = await doctor.examine('stk');
    expect(json['providers']).toEqual([{ title: 'Safaricom Daraja', simulated: true }]);
    expect(of('provider')).toMatchObject([
      { level: 'ok', sentence: containing('Simulated provider at http') },
    ]);
    expect(of('callback address')).toMatchObject([
      { level: 'attention', sentence: containing('this is the machine itself'), remedy: 'MALIPO_PUBLIC_URL' },
      { level: 'ok', sentence: containing('Our API answers') },
    ]);
    const { code, out } = await doctor.read('stk');
    expect(code).toBe(0);
    expect(out).toMatch(/^Rail stk: Safaricom Daraja, simulated\n[\s\S]*Healthy; \d findings to review\.\n$/);
  });

  it.each(rails)('only reads at the provider of %s: it sends no money and changes nothing', async (rail) => {
    await doctor.examine(rail);
    const exchanges = (await doctor.control(rail).exchanges()) as unknown as {
      call: string;
      method: string;
    }[];
    expect(exchanges.length).toBeGreaterThan(0);
    expect(exchanges.filter(({ call, method }) => method !== 'GET' && call !== 'token')).toEqual([]);
    expect(await doctor.control(rail).successes()).toEqual([]);
  });

  it.each(rails)('shows no credential of %s, right or wrong', async (rail) => {
    const wrong = Object.fromEntries(
      Object.entries(credentials)
        .filter(([name]) => /KEY|SECRET|TOKEN|PASS/.test(name))
        .map(([name, value]) => [name, `wrong-${value}`]),
    );
    for (const env of [{}, wrong]) {
      const { out } = await doctor.read(rail, env);
      const secrets = Object.values({ ...credentials, ...wrong }).filter((value) => !/^\d+$/.test(value));
      expect(secrets.filter((secret) => out.includes(secret))).toEqual([]);
    }
  });

  it('reports a wrong clock, compared with the clock of the provider', async () => {
    expect((await doctor.examine('stk')).of('clock')).toMatchObject([{ level: 'ok' }]);
    const real = Date.now.bind(Date);
    const wrongBy = (ms: number) => jest.spyOn(Date, 'now').mockImplementation(() => real() + ms);
    wrongBy(20_000);
    expect((await doctor.examine('stk')).of('clock')).toMatchObject([
      { level: 'attention', sentence: containing('ahead of Safaricom Daraja') },
    ]);
    wrongBy(-600_000);
    expect((await doctor.examine('stk')).of('clock')).toMatchObject([
      {
        level: 'fault',
        sentence: expect.stringMatching(/^This machine is [56]\d\d s behind/),
        remedy: containing('NTP'),
      },
    ]);
  });

  it('reports that the provider cannot be reached', async () => {
    const { code, of } = await doctor.examine('stk', { STK_BASE_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(of('clock')).toMatchObject([
      { level: 'fault', sentence: containing('ECONNREFUSED'), remedy: containing('STK_BASE_URL') },
    ]);
    expect(of('token')).toMatchObject([
      { level: 'fault', sentence: containing('neither a token nor a rejection') },
    ]);
  });
});

describe('malipo doctor --live stk', () => {
  it('proves the consumer key and secret, and reports what only a first push proves', async () => {
    const { code, levels, of } = await doctor.examine('stk');
    expect(code).toBe(0);
    expect(levels()).toMatchObject({ token: 'ok', shortcode: 'attention', 'callback rules': 'ok' });
    expect(of('shortcode')).toMatchObject([{ sentence: containing('can only be verified by a first push') }]);
  });

  it('uses the access token that the processes share, because a new one would invalidate it', async () => {
    await doctor.examine('stk');
    const asked = (await doctor.control('stk').exchanges('token')).length;
    expect((await doctor.examine('stk')).levels()).toMatchObject({ token: 'ok' });
    expect(await doctor.control('stk').exchanges('token')).toHaveLength(asked);
  });

  it('reports wrong credentials with the names of their settings', async () => {
    const { code, of } = await doctor.examine('stk', { STK_CONSUMER_SECRET: 'wrong' });
    expect(code).toBe(1);
    expect(of('token')).toMatchObject([
      { level: 'fault', remedy: containing('STK_CONSUMER_KEY and STK_CONSUMER_SECRET') },
    ]);
  });
});

describe('malipo doctor --live momo', () => {
  const momo = () => doctor.control('momo');
  const networks = (status: string) =>
    momo().notify('providers/MTN_MOMO_ZMB', { operation: 'DEPOSIT', status });
  const wallet = (balance: string) => momo().notify('wallets', { country: 'ZMB', currency: 'ZMW', balance });

  it('reports an account with the right configuration as ok', async () => {
    const { code, levels, of } = await doctor.examine('momo');
    expect(code).toBe(0);
    expect(levels()).toEqual({
      provider: 'ok',
      clock: 'ok',
      'active configuration': 'ok',
      'public keys': 'ok',
      wallets: 'ok',
      'callback address': 'attention',
    });
    expect(of('active configuration').map(({ sentence }) => sentence)).toEqual([
      containing('Malipo Sandbox has'),
      'Every network of the account is operational.',
      `The provider notifies us at ${doctor.publicUrl}/in/momo.`,
      'The account and the settings agree on signatures.',
    ]);
  });

  it('reports a rejected token', async () => {
    const { code, of } = await doctor.examine('momo', { MOMO_TOKEN: 'wrong' });
    expect(code).toBe(1);
    for (const name of ['active configuration', 'wallets']) {
      expect(of(name)).toMatchObject([
        { level: 'fault', sentence: containing('HTTP 403'), remedy: containing('MOMO_TOKEN') },
      ]);
    }
  });

  it('reports a closed network and an empty wallet', async () => {
    await networks('CLOSED');
    await wallet('0.00');
    const { code, of } = await doctor.examine('momo');
    await networks('OPERATIONAL');
    await wallet('1000.00');
    expect(code).toBe(0);
    expect(of('active configuration')).toContainEqual(
      expect.objectContaining({
        level: 'attention',
        sentence: 'Not operational: MTN_MOMO_ZMB DEPOSIT CLOSED.',
      }),
    );
    expect(of('wallets')).toMatchObject([
      {
        level: 'attention',
        sentence: containing('Empty wallets, from which nothing can be paid: ZMB 0.00 ZMW'),
      },
    ]);
  });

  it('reports notifications that go to another address', async () => {
    const { code, of } = await doctor.examine('momo', { MALIPO_PUBLIC_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    const faults = of('active configuration').filter(({ level }) => level === 'fault');
    expect(faults.map(({ sentence }) => sentence)).toEqual(
      ['DEPOSIT', 'PAYOUT', 'REFUND'].map(
        (operation) =>
          `The provider notifies a ${operation} at ${doctor.publicUrl}/in/momo, but the service listens at http://127.0.0.1:1/in/momo.`,
      ),
    );
    expect(of('callback address')).toMatchObject([
      {},
      { level: 'fault', sentence: containing('ECONNREFUSED') },
    ]);
  });

  it('reports that the account and our settings disagree about signatures', async () => {
    await momo().notify('account', { signed_callbacks: false });
    const unsigned = await doctor.examine('momo');
    await momo().notify('account', { signed_callbacks: true });
    expect(unsigned.of('active configuration')).toContainEqual(
      expect.objectContaining({ level: 'fault', remedy: containing('MOMO_SIGNED_CALLBACKS') }),
    );
    const unlooked = await doctor.examine('momo', { MOMO_SIGNED_CALLBACKS: 'false' });
    expect(unlooked.levels()).toMatchObject({ 'active configuration': 'attention' });
  });

  it('reports a response that it cannot read', async () => {
    await momo().next({ call: 'conf', behave: 'html' });
    await momo().next({ call: 'balances', behave: '503' });
    await momo().next({ call: 'keys', behave: 'drop' });
    const { of } = await doctor.examine('momo');
    expect(of('active configuration')).toMatchObject([{ level: 'fault', sentence: containing('not JSON') }]);
    expect(of('wallets')).toMatchObject([{ level: 'fault', sentence: containing('HTTP 503') }]);
    expect(of('public keys')).toMatchObject([{ level: 'fault', sentence: containing('no answer') }]);
  });
});
