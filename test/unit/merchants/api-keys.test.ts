import { crc32 } from 'node:zlib';
import {
  digestOf,
  keyRow,
  isApiKey,
  isKeyOfOtherEnvironment,
  mintApiKeyPair,
  mintSecret,
  mintWebhookSecret,
} from '../../../src/merchants/api-keys';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('a new key pair', () => {
  it('shows its environment', () => {
    const live = mintApiKeyPair('live');
    expect(live.api_key).toMatch(/^pk_live_[0-9A-Za-z]{24}$/);
    expect(live.api_secret).toMatch(/^sk_live_[0-9A-Za-z]{49}$/);
    const sandbox = mintApiKeyPair('sandbox');
    expect(sandbox.api_key).toMatch(/^pk_test_[0-9A-Za-z]{24}$/);
    expect(sandbox.api_secret).toMatch(/^sk_test_[0-9A-Za-z]{49}$/);
  });

  it('has a checksum that a scanner can verify', () => {
    for (let i = 0; i < 200; i += 1) {
      const { api_secret: secret } = mintApiKeyPair('live');
      const checksum = Array.from(secret.slice(-6)).reduce(
        (sum, digit) => sum * 62 + alphabet.indexOf(digit),
        0,
      );
      expect(checksum).toBe(crc32(secret.slice(0, -6)));
    }
  });

  it('is never the same twice', () => {
    const pairs = Array.from({ length: 200 }, () => mintApiKeyPair('live'));
    expect(new Set(pairs.flatMap((pair) => [pair.api_key, pair.api_secret])).size).toBe(400);
  });

  it('is stored with the hash of its secret, and without the secret', () => {
    const pair = { api_key: 'pk_test_a', api_secret: 'sk_test_a' };
    const at = new Date(0);
    expect(keyRow('m', pair, { createdAt: at, scopes: ['payout'] })).toEqual({
      ...{ api_key: 'pk_test_a', merchant_id: 'm', created_at: at, scopes: 'read,payout' },
      secret_hash: digestOf('sk_test_a'),
    });
    expect(digestOf('abc').toString('hex')).toMatch(/^ba7816bf8f01cfea414140de5dae2223b00361a396177a9c/);
  });

  it('of an operator has its own prefix', () => {
    expect(mintSecret('op', 'live')).toMatch(/^op_live_[0-9A-Za-z]{49}$/);
  });

  it('is stored as 32 bytes that do not reveal the secret', () => {
    expect(digestOf(mintApiKeyPair('live').api_secret)).toHaveLength(32);
  });
});

describe('a new webhook secret', () => {
  it('has 32 bytes, as Standard Webhooks requires', () => {
    const secret = mintWebhookSecret();
    expect(secret).toMatch(/^whsec_/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  });
});

describe('distinguishing keys by their text', () => {
  it.each([
    ['pk_test_abcdefghijklmnopqrstuvwx', true],
    ['pk_live_ABCDEFGHIJKL012345678901', true],
    ['pk_test_short', false],
    ['sk_test_abcdefghijklmnopqrstuvwx', false],
    ['pk_test_abcdefghijklmnopqrstuvw’', false],
    ["pk_test_' OR 1=1 -- aaaaaaaaaaaa", false],
    ['pk_test_abcdefghijklmnopqrstuvwx, pk_test_abcdefghijklmnopqrstuvwx', false],
    ['xpk_test_abcdefghijklmnopqrstuvwx', false],
    ['pk_test_abcdefghijklmnopqrstuvwxy', false],
    ['', false],
  ])('%s', (text, expected) => {
    expect(isApiKey(text)).toBe(expected);
  });

  it('recognises the other environment by its prefix', () => {
    expect(isKeyOfOtherEnvironment('pk_live_anything', 'sandbox')).toBe(true);
    expect(isKeyOfOtherEnvironment('pk_test_anything', 'sandbox')).toBe(false);
    expect(isKeyOfOtherEnvironment('pk_test_anything', 'live')).toBe(true);
    expect(isKeyOfOtherEnvironment('sk_live_anything', 'sandbox')).toBe(false);
  });
});
