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
const said = (text: string): unknown => expect.stringContaining(text);

describe('malipo doctor --live', () => {
  it('names the rails where it is asked for one that there is not', async () => {
    const { code, err } = await doctor.read('mpesa');
    expect([code, err]).toEqual([
      2,
      said(`No rail is called mpesa; this deployment has ${rails.join(', ')}.`),
    ]);
  });

  it('says that the provider is simulated, and that only it reaches a loopback address', async () => {
    const { json, of } = await doctor.examine('stk');
    expect(json['providers']).toEqual([{ title: 'Safaricom Daraja', simulated: true }]);
    expect(of('provider')).toMatchObject([{ level: 'ok', sentence: said('Simulated provider at http') }]);
    expect(of('callback address')).toMatchObject([
      { level: 'attention', sentence: said('this is the machine itself'), mend: 'MALIPO_PUBLIC_URL' },
      { level: 'ok', sentence: said('Our API answers') },
    ]);
    const { code, out } = await doctor.read('stk');
    expect(code).toBe(0);
    expect(out).toMatch(/^Rail stk: Safaricom Daraja, simulated\n[\s\S]*Healthy; \d things to look at\.\n$/);
  });

  it.each(rails)('reads alone at the provider of %s: no money moves, nothing changes', async (rail) => {
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

  it('tells a clock that is wrong, by the provider’s own', async () => {
    expect((await doctor.examine('stk')).of('clock')).toMatchObject([{ level: 'ok' }]);
    const real = Date.now.bind(Date);
    const wrongBy = (ms: number) => jest.spyOn(Date, 'now').mockImplementation(() => real() + ms);
    wrongBy(20_000);
    expect((await doctor.examine('stk')).of('clock')).toMatchObject([
      { level: 'attention', sentence: said('ahead of Safaricom Daraja') },
    ]);
    wrongBy(-600_000);
    expect((await doctor.examine('stk')).of('clock')).toMatchObject([
      {
        level: 'fault',
        sentence: expect.stringMatching(/^This machine is [56]\d\d s behind/),
        mend: said('NTP'),
      },
    ]);
  });

  it('says so where the provider cannot be reached', async () => {
    const { code, of } = await doctor.examine('stk', { STK_BASE_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(of('clock')).toMatchObject([
      { level: 'fault', sentence: said('ECONNREFUSED'), mend: said('STK_BASE_URL') },
    ]);
    expect(of('token')).toMatchObject([{ level: 'fault', sentence: said('no token, and no refusal') }]);
  });
});

describe('malipo doctor --live stk', () => {
  it('proves the consumer key and secret, and says what only a first push proves', async () => {
    const { code, levels, of } = await doctor.examine('stk');
    expect(code).toBe(0);
    expect(levels()).toMatchObject({ token: 'ok', shortcode: 'attention', 'callback rules': 'ok' });
    expect(of('shortcode')).toMatchObject([{ sentence: said('only proven by a first push') }]);
  });

  it('uses the token that the processes share, because a new one would end it', async () => {
    await doctor.examine('stk');
    const asked = (await doctor.control('stk').exchanges('token')).length;
    expect((await doctor.examine('stk')).levels()).toMatchObject({ token: 'ok' });
    expect(await doctor.control('stk').exchanges('token')).toHaveLength(asked);
  });

  it('tells wrong credentials, and which settings they are', async () => {
    const { code, of } = await doctor.examine('stk', { STK_CONSUMER_SECRET: 'wrong' });
    expect(code).toBe(1);
    expect(of('token')).toMatchObject([
      { level: 'fault', mend: said('STK_CONSUMER_KEY and STK_CONSUMER_SECRET') },
    ]);
  });
});

describe('malipo doctor --live momo', () => {
  const momo = () => doctor.control('momo');
  const networks = (status: string) =>
    momo().tell('providers/MTN_MOMO_ZMB', { operation: 'DEPOSIT', status });
  const wallet = (balance: string) => momo().tell('wallets', { country: 'ZMB', currency: 'ZMW', balance });

  it('finds an account that is set up as it should be', async () => {
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
      said('Malipo Sandbox has'),
      'Every network of the account is operational.',
      `It notifies us at ${doctor.publicUrl}/in/momo.`,
      'The account and our settings agree on what is signed.',
    ]);
  });

  it('tells a token that is refused', async () => {
    const { code, of } = await doctor.examine('momo', { MOMO_TOKEN: 'wrong' });
    expect(code).toBe(1);
    for (const name of ['active configuration', 'wallets']) {
      expect(of(name)).toMatchObject([
        { level: 'fault', sentence: said('HTTP 403'), mend: said('MOMO_TOKEN') },
      ]);
    }
  });

  it('tells a network that is closed, and an empty wallet', async () => {
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
      { level: 'attention', sentence: said('Empty wallets, out of which nothing is paid: ZMB 0.00 ZMW') },
    ]);
  });

  it('tells callbacks that go elsewhere', async () => {
    const { code, of } = await doctor.examine('momo', { MALIPO_PUBLIC_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    const faults = of('active configuration').filter(({ level }) => level === 'fault');
    expect(faults.map(({ sentence }) => sentence)).toEqual(
      ['DEPOSIT', 'PAYOUT', 'REFUND'].map(
        (operation) =>
          `A ${operation} is notified to ${doctor.publicUrl}/in/momo, and we listen at http://127.0.0.1:1/in/momo.`,
      ),
    );
    expect(of('callback address')).toMatchObject([{}, { level: 'fault', sentence: said('ECONNREFUSED') }]);
  });

  it('tells signatures that the account and we do not agree on', async () => {
    await momo().tell('account', { signed_callbacks: false });
    const unsigned = await doctor.examine('momo');
    await momo().tell('account', { signed_callbacks: true });
    expect(unsigned.of('active configuration')).toContainEqual(
      expect.objectContaining({ level: 'fault', mend: said('MOMO_SIGNED_CALLBACKS') }),
    );
    const unlooked = await doctor.examine('momo', { MOMO_SIGNED_CALLBACKS: 'false' });
    expect(unlooked.levels()).toMatchObject({ 'active configuration': 'attention' });
  });

  it('tells an answer that is no answer', async () => {
    await momo().next({ call: 'conf', behave: 'html' });
    await momo().next({ call: 'balances', behave: '503' });
    await momo().next({ call: 'keys', behave: 'drop' });
    const { of } = await doctor.examine('momo');
    expect(of('active configuration')).toMatchObject([{ level: 'fault', sentence: said('not JSON') }]);
    expect(of('wallets')).toMatchObject([{ level: 'fault', sentence: said('HTTP 503') }]);
    expect(of('public keys')).toMatchObject([{ level: 'fault', sentence: said('no answer') }]);
  });
});
