import { randomBytes } from 'node:crypto';
import { secretBox } from '../../../src/merchants/secrets';

const older = { id: '2025', key: randomBytes(32) };
const newer = { id: '2026', key: randomBytes(32) };

describe('encrypting a secret', () => {
  it('decrypts to the same text', () => {
    const box = secretBox([newer]);
    expect(box.open(box.encrypt('whsec_änderung', 'merchant-a'), 'merchant-a')).toBe('whsec_änderung');
  });

  it('shows nothing of the text, and never the same ciphertext twice', () => {
    const box = secretBox([newer]);
    const encrypted = [box.encrypt('whsec_abc', 'merchant-a'), box.encrypt('whsec_abc', 'merchant-a')];
    expect(encrypted.join()).not.toContain('whsec');
    expect(new Set(encrypted).size).toBe(2);
  });

  it('cannot be decrypted for another merchant', () => {
    const box = secretBox([newer]);
    const encrypted = box.encrypt('whsec_abc', 'merchant-a');
    expect(() => box.open(encrypted, 'merchant-b')).toThrow();
  });

  it('cannot be decrypted after any change', () => {
    const box = secretBox([newer]);
    const encrypted = box.encrypt('whsec_abc', 'merchant-a');
    const bytes = Buffer.from(encrypted.slice(5), 'base64url');
    for (let i = 0; i < bytes.length; i += 1) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(i) ^ 1, i);
      expect(() => box.open(`2026.${altered.toString('base64url')}`, 'merchant-a')).toThrow();
    }
    expect(() => box.open(encrypted.slice(0, 12), 'merchant-a')).toThrow();
    expect(() => box.open('', 'merchant-a')).toThrow();
  });

  it('cannot be decrypted with a part of its tag, which is quicker to guess', () => {
    const box = secretBox([newer]);
    const encrypted = Buffer.from(box.encrypt('', 'merchant-a').slice(5), 'base64url');
    const opened = (bytes: number) =>
      box.open(`2026.${encrypted.subarray(0, bytes).toString('base64url')}`, 'merchant-a');
    expect(opened(12 + 16)).toBe('');
    for (let tagBytes = 0; tagBytes < 16; tagBytes += 1) expect(() => opened(12 + tagBytes)).toThrow();
  });
});

describe('replacing the key of the deployment', () => {
  it('encrypts with the first key and decrypts with all', () => {
    const encryptedBefore = secretBox([older]).encrypt('whsec_abc', 'merchant-a');
    const box = secretBox([newer, older]);
    expect(box.open(encryptedBefore, 'merchant-a')).toBe('whsec_abc');
    expect(box.encrypt('whsec_abc', 'merchant-a')).toMatch(/^2026\./);
  });

  it('names the missing key', () => {
    const encrypted = secretBox([older]).encrypt('whsec_abc', 'merchant-a');
    expect(() => secretBox([newer]).open(encrypted, 'merchant-a')).toThrow(
      'encrypted with a key that is not configured: "2025"',
    );
    expect(() => secretBox([newer]).open('2026', 'merchant-a')).toThrow('not configured: ""');
  });

  it('rejects an empty key ring', () => {
    expect(() => secretBox([])).toThrow('a secret box needs at least one key');
  });

  it('reports what the first key has encrypted', () => {
    const box = secretBox([newer, older]);
    const encrypted = [newer, older, { ...newer, id: '20260' }].map((key) =>
      secretBox([key]).encrypt('a', 'b'),
    );
    expect(encrypted.map(box.isCurrent)).toEqual([true, false, false]);
  });
});
