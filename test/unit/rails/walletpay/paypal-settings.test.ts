/** The settings of the rail, and those that prevent a start in live. */
import { ConfigError } from '../../../../src/config';
import { readWalletpaySettings } from '../../../../src/rails/walletpay/settings';

const env = {
  WALLETPAY_BASE_URL: 'https://api-m.paypal.com',
  WALLETPAY_CLIENT_ID: 'id',
  WALLETPAY_CLIENT_SECRET: 'secret',
  WALLETPAY_WEBHOOK_ID: 'WH-1',
};

describe('the settings of the wallet checkout', () => {
  it('are read, and trust only the provider by default', () => {
    expect(readWalletpaySettings(env, 'live')).toEqual({
      baseUrl: 'https://api-m.paypal.com',
      clientId: 'id',
      clientSecret: 'secret',
      webhookId: 'WH-1',
      certHosts: [],
      authority: undefined,
    });
  });

  it.each(Object.keys(env))('are complete: %s', (name) => {
    expect(() => readWalletpaySettings({ ...env, [name]: undefined }, 'sandbox')).toThrow(name);
  });

  it.each([
    [
      'WALLETPAY_CERT_HOSTS',
      '127.0.0.1:3001,localhost:3001',
      { certHosts: ['127.0.0.1:3001', 'localhost:3001'] },
    ],
    [
      'WALLETPAY_CA_URL',
      'http://127.0.0.1:3001/ca.pem',
      { authority: { url: 'http://127.0.0.1:3001/ca.pem' } },
    ],
  ])('accept %s in the sandbox, and not in live', (name, value, read) => {
    expect(readWalletpaySettings({ ...env, [name]: value }, 'sandbox')).toMatchObject(read);
    const inLive = () => readWalletpaySettings({ ...env, [name]: value }, 'live');
    expect(inLive).toThrow(ConfigError);
    expect(inLive).toThrow(`${name} is for the sandbox only`);
  });

  it('accept an additional authority as a file, in the sandbox and in live', () => {
    const named = { ...env, WALLETPAY_CA_FILE: '/etc/ca.pem' };
    for (const environment of ['sandbox', 'live'] as const) {
      expect(readWalletpaySettings(named, environment).authority).toEqual({ file: '/etc/ca.pem' });
    }
  });

  it('require https in live', () => {
    const plain = { ...env, WALLETPAY_BASE_URL: 'http://127.0.0.1:3240' };
    expect(readWalletpaySettings(plain, 'sandbox').baseUrl).toBe('http://127.0.0.1:3240');
    expect(() => readWalletpaySettings(plain, 'live')).toThrow(
      'WALLETPAY_BASE_URL must be an https URL in live',
    );
  });

  it('allow at most one authority, and only valid hosts', () => {
    const two = { ...env, WALLETPAY_CA_FILE: '/ca.pem', WALLETPAY_CA_URL: 'http://a.example/ca.pem' };
    expect(() => readWalletpaySettings(two, 'sandbox')).toThrow(
      'WALLETPAY_CA_FILE and WALLETPAY_CA_URL: only one of them may be set',
    );
    const host = { ...env, WALLETPAY_CERT_HOSTS: 'http://a.example/' };
    expect(() => readWalletpaySettings(host, 'sandbox')).toThrow('WALLETPAY_CERT_HOSTS must be a list');
  });
});
