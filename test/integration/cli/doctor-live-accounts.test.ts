import { startLiveDoctor, type LiveDoctor } from './live-support';

let doctor: LiveDoctor;
beforeAll(async () => {
  doctor = await startLiveDoctor();
});
afterAll(() => doctor.stop());

const containing = (text: string): unknown => expect.stringContaining(text);

describe('malipo doctor --live walletpay', () => {
  const account = (changes: Record<string, unknown>) =>
    doctor.control('walletpay').notify('account', changes);
  afterEach(() => account({ withheld: [], event_types: ['*'], balances: { USD: '250000.00' } }));

  it('reports an app with the right configuration as ok', async () => {
    const { code, json, levels, of } = await doctor.examine('walletpay');
    expect(code).toBe(0);
    expect(json['providers']).toEqual([{ title: 'PayPal', simulated: true }]);
    expect(levels()).toEqual({
      provider: 'ok',
      clock: 'ok',
      webhook: 'ok',
      payouts: 'ok',
      balances: 'ok',
      'callback address': 'attention',
    });
    expect(of('balances')).toMatchObject([{ sentence: 'The wallet has 250000.00 USD.' }]);
  });

  it('reports wrong credentials with the names of their settings', async () => {
    const { code, of } = await doctor.examine('walletpay', { WALLETPAY_CLIENT_SECRET: 'wrong' });
    expect(code).toBe(1);
    for (const name of ['webhook', 'payouts', 'balances']) {
      expect(of(name)).toMatchObject([{ level: 'fault', remedy: containing('WALLETPAY_CLIENT_SECRET') }]);
    }
  });

  it('reports a webhook that the app does not have, and one with another address', async () => {
    const unknown = await doctor.examine('walletpay', { WALLETPAY_WEBHOOK_ID: 'WH-OF-ANOTHER-APP' });
    expect(unknown.of('webhook')).toMatchObject([
      {
        level: 'fault',
        sentence: containing('no webhook with our id'),
        remedy: containing('WALLETPAY_WEBHOOK_ID'),
      },
    ]);
    const elsewhere = await doctor.examine('walletpay', { MALIPO_PUBLIC_URL: 'http://127.0.0.1:1' });
    expect(elsewhere.of('webhook')).toMatchObject([
      {
        level: 'fault',
        sentence: containing('but the service listens at http://127.0.0.1:1/api/v1/walletpay/webhook'),
      },
      { level: 'ok' },
    ]);
  });

  it('reports the events to which the webhook is not subscribed', async () => {
    await account({ event_types: ['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.COMPLETED'] });
    const some = await doctor.examine('walletpay');
    expect(some.of('webhook')).toMatchObject([
      { level: 'ok' },
      {
        level: 'attention',
        sentence: expect.stringMatching(/^The webhook does not get: .*PAYMENT\.CAPTURE\.REVERSED/),
      },
    ]);
    expect(some.of('webhook')[1]?.sentence).not.toMatch(/ORDER\.APPROVED|PAYOUTS\.PAYMENT/);
    await account({ event_types: ['PAYMENT.SALE.COMPLETED'] });
    expect((await doctor.examine('walletpay')).of('webhook')[1]).toMatchObject({ level: 'fault' });
  });

  it('reports the missing permissions of the app, and an empty wallet', async () => {
    await account({ balances: { USD: '0.00' } });
    expect((await doctor.examine('walletpay')).of('balances')).toMatchObject([
      { level: 'attention', sentence: 'The wallet is empty: 0.00 USD.' },
    ]);
    await account({ withheld: ['payouts', 'reporting'] });
    const { code, of } = await doctor.examine('walletpay');
    expect(code).toBe(1);
    expect(of('payouts')).toMatchObject([{ level: 'fault', sentence: 'The app may not make payouts.' }]);
    expect(of('balances')).toMatchObject([
      { level: 'attention', sentence: containing('may not read its balances') },
    ]);
  });
});

describe('malipo doctor --live cardproc', () => {
  it('reports that the first order will register the address, and registers nothing itself', async () => {
    const { code, of } = await doctor.examine('cardproc');
    expect(code).toBe(0);
    expect(of('notification address')).toMatchObject([
      {
        level: 'attention',
        sentence: containing(`${doctor.publicUrl}/listen_cardproc.php is not registered; 0 other`),
      },
    ]);
    expect(await doctor.control('cardproc').exchanges('register_ipn')).toEqual([]);
    expect(of('payment methods')).toMatchObject([{ level: 'attention' }]);
  });

  it.each([
    ['POST', 'ok', 'is registered, and notified by POST'],
    ['GET', 'attention', 'is registered with the wrong settings'],
  ])('reports an address that is registered for %s', async (type, level, words) => {
    const base = doctor.simulator.origins['cardproc'];
    const post = async (path: string, body: unknown, token = '') => {
      const answer = await fetch(`${String(base)}/api/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      return (await answer.json()) as Record<string, string>;
    };
    const publicUrl = `http://127.0.0.1:${type === 'GET' ? '1' : '2'}`;
    const { token } = await post('Auth/RequestToken', {
      consumer_key: 'test-checkout-key',
      consumer_secret: 'test-checkout-secret',
    });
    await post(
      'URLSetup/RegisterIPN',
      { url: `${publicUrl}/listen_cardproc.php`, ipn_notification_type: type },
      token,
    );
    const { of } = await doctor.examine('cardproc', { MALIPO_PUBLIC_URL: publicUrl });
    expect(of('notification address')).toMatchObject([{ level, sentence: containing(words) }]);
  });

  it('reports wrong credentials with the names of their settings', async () => {
    const { code, of } = await doctor.examine('cardproc', { CARDPROC_CONSUMER_SECRET: 'wrong' });
    expect(code).toBe(1);
    expect(of('notification address')).toMatchObject([
      { level: 'fault', remedy: containing('CARDPROC_CONSUMER_KEY and CARDPROC_CONSUMER_SECRET') },
    ]);
  });
});

describe('malipo doctor --live xb', () => {
  it('reports the wallets, and what only a first push can prove', async () => {
    const { code, levels, of } = await doctor.examine('xb');
    expect(code).toBe(0);
    expect(levels()).toMatchObject({ keys: 'ok', wallets: 'ok', webhook: 'attention' });
    expect(of('webhook')).toMatchObject([{ remedy: containing(`${doctor.publicUrl}/in/xb`) }]);
  });

  it('reports an account without a wallet in a currency that we collect', async () => {
    await doctor.control('xb').notify('wallets', { currencies: ['KES'] });
    expect((await doctor.examine('xb')).of('wallets')).toMatchObject([
      { level: 'attention', sentence: 'The account has no wallet in UGX and TZS, only in KES.' },
    ]);
  });

  it('checks the account of mobile money when a country is collected through it', async () => {
    const { code, json, levels } = await doctor.examine('xb', { XB_PROVIDER_TZS: 'pawapay' });
    expect(code).toBe(0);
    expect(json['providers']).toEqual([
      { title: 'IntaSend', simulated: true },
      { title: 'pawaPay', simulated: true },
    ]);
    expect(levels()).toMatchObject({ keys: 'ok', 'active configuration': 'ok' });
  });

  it('reports wrong keys, and keys of the other environment', async () => {
    const wrong = await doctor.examine('xb', { XB_SECRET_KEY: 'ISSecretKey_live_9' });
    expect(wrong.code).toBe(1);
    expect(wrong.of('keys')).toMatchObject([{ level: 'fault', sentence: 'XB_SECRET_KEY is a live key.' }]);
    expect(wrong.of('wallets')).toMatchObject([{ level: 'fault', remedy: containing('XB_SECRET_KEY') }]);
    const swapped = await doctor.examine('xb', { XB_PUBLISHABLE_KEY: 'ISSecretKey_test_1' });
    expect(swapped.of('keys')).toMatchObject([
      { level: 'fault', sentence: containing('it is sent in every body') },
    ]);
  });
});
