import { ConfigError } from '../../../../src/config';
import { requestSigner } from '../../../../src/rails/momo/providers/pawapay/signature';
import { readMomoSettings } from '../../../../src/rails/momo/settings';
import { newEcKey, pemOf } from '../../../support/rails/momo/callback-signing';
import { examine, key, pem, right } from '../../../support/rails/momo/examine-request';

describe('the settings of the request key', () => {
  const env = { MOMO_BASE_URL: 'https://api.example', MOMO_TOKEN: 'token' };
  const withKey = { ...env, MOMO_REQUEST_KEY_ID: 'MALIPO:1', MOMO_REQUEST_KEY: pem };

  it.each([
    ['by default in DER', {}, 'der'],
    ['raw where that is wanted', { MOMO_REQUEST_SIGNATURE: 'raw' }, 'ieee-p1363'],
  ])('sign %s', async (_how, changes, encoding) => {
    const { requestKey } = readMomoSettings({ ...withKey, ...changes }, 'sandbox');
    if (!requestKey) throw new Error('there is no key');
    const headers = await requestSigner(requestKey)('https://api.example/v2/payouts?a=b', '{"a":1}');
    const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const received: Record<string, unknown> = Object.fromEntries(lowerCase);
    expect(received['content-type']).toBe('application/json');
    expect(examine(received, 'api.example', '/v2/payouts', '{"a":1}')).toEqual({
      ...right,
      signedAs: [encoding],
    });
  });

  it('are undefined without a key', () => {
    expect(readMomoSettings(env, 'sandbox').requestKey).toBeUndefined();
  });

  it.each([
    ['no PEM', { MOMO_REQUEST_KEY: 'no key' }],
    ['a public key', { MOMO_REQUEST_KEY: pemOf(key) }],
    [
      'a key of another curve',
      { MOMO_REQUEST_KEY: newEcKey('P-384').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string },
    ],
    ['a key without its id', { MOMO_REQUEST_KEY_ID: undefined }],
    ['an id without its key', { MOMO_REQUEST_KEY: undefined }],
    ['an encoding nobody knows', { MOMO_REQUEST_SIGNATURE: 'pem' }],
  ])('reject %s, without showing it', (_what, changes) => {
    const read = () => readMomoSettings({ ...withKey, ...changes }, 'sandbox');
    expect(read).toThrow(ConfigError);
    expect(read).not.toThrow(/BEGIN|no key/);
  });
});
