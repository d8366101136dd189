import { randomBytes } from 'node:crypto';
import { secretBox } from '../../../src/merchants/secrets';

const older = { id: '2025', key: randomBytes(32) };
const newer = { id: '2026', key: randomBytes(32) };

describe('sealing a secret', () => {
  it('opens to the same text', () => {
    const box = secretBox([newer]);
    expect(box.open(box.seal('whsec_änderung', 'merchant-a'), 'merchant-a')).toBe('whsec_änderung');
  });

  it('shows nothing of the text, and never the same twice', () => {
    const box = secretBox([newer]);
    const sealed = [box.seal('whsec_abc', 'merchant-a'), box.seal('whsec_abc', 'merchant-a')];
    expect(sealed.join()).not.toContain('whsec');
    expect(new Set(sealed).size).toBe(2);
  });

  it('does not open for another merchant', () => {
    const box = secretBox([newer]);
    const sealed = box.seal('whsec_abc', 'merchant-a');
    expect(() => box.open(sealed, 'merchant-b')).toThrow();
  });

  it('does not open after any change', () => {
    const box = secretBox([newer]);
    const sealed = box.seal('whsec_abc', 'merchant-a');
    const bytes = Buffer.from(sealed.slice(5), 'base64url');
    for (let i = 0; i < bytes.length; i += 1) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(i) ^ 1, i);
      expect(() => box.open(`2026.${altered.toString('base64url')}`, 'merchant-a')).toThrow();
    }
    expect(() => box.open(sealed.slice(0, 12), 'merchant-a')).toThrow();
    expect(() => box.open('', 'merchant-a')).toThrow();
  });

  it('does not open with a part of its tag, which is quicker to guess', () => {
    const box = secretBox([newer]);
    const sealed = Buffer.from(box.seal('', 'merchant-a').slice(5), 'base64url');
    const opened = (bytes: number) =>
      box.open(`2026.${sealed.subarray(0, bytes).toString('base64url')}`, 'merchant-a');
    expect(opened(12 + 16)).toBe('');
    for (let tagBytes = 0; tagBytes < 16; tagBytes += 1) expect(() => opened(12 + tagBytes)).toThrow();
  });
});

describe('replacing the key of the deployment', () => {
  it('seals with the first key and opens with all', () => {
    const sealedBefore = secretBox([older]).seal('whsec_abc', 'merchant-a');
    const box = secretBox([newer, older]);
    expect(box.open(sealedBefore, 'merchant-a')).toBe('whsec_abc');
    expect(box.seal('whsec_abc', 'merchant-a')).toMatch(/^2026\./);
  });

  it('names the key that is missing', () => {
    const sealed = secretBox([older]).seal('whsec_abc', 'merchant-a');
    expect(() => secretBox([newer]).open(sealed, 'merchant-a')).toThrow(
      'sealed with a key that is not configured: "2025"',
    );
    expect(() => secretBox([newer]).open('2026', 'merchant-a')).toThrow('not configured: ""');
  });

  it('refuses an empty key ring', () => {
    expect(() => secretBox([])).toThrow('a secret box needs at least one key');
  });

  it('tells what the first key has sealed', () => {
    const box = secretBox([newer, older]);
    const sealed = [newer, older, { ...newer, id: '20260' }].map((key) => secretBox([key]).seal('a', 'b'));
    expect(sealed.map(box.isCurrent)).toEqual([true, false, false]);
  });
});
