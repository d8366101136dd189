import { randomUUID } from 'node:crypto';
import { base32OfUuid, uuidOfBase32 } from '../../../src/domain/base32';

describe('a UUID in base32', () => {
  it.each([
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '01890a5d-ac96-774b-bcce-b302099a8057',
    randomUUID(),
  ])('%s has 26 characters, and is read back', (uuid) => {
    expect(base32OfUuid(uuid)).toMatch(/^[A-Z2-7]{26}$/);
    expect(uuidOfBase32(base32OfUuid(uuid))).toBe(uuid);
  });

  it.each(['', 'A'.repeat(25), 'A'.repeat(27), 'a'.repeat(26), '1'.repeat(26), `${'A'.repeat(25)}B`])(
    'is not %j',
    (text) => {
      expect(uuidOfBase32(text)).toBeUndefined();
    },
  );
});
