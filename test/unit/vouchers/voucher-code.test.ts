import fc from 'fast-check';
import { hashOfCode, inGroups, mintVoucherCode, readVoucherCode } from '../../../src/vouchers/voucher-code';

describe('the code of a voucher', () => {
  it('has 16 characters, none of which looks like another, and is never the same', () => {
    const codes = Array.from({ length: 500 }, mintVoucherCode);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{16}$/);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('is read as users type it', () => {
    const code = '0123456789ABCDEF';
    expect(inGroups(code)).toBe('0123-4567-89AB-CDEF');
    for (const typed of [
      '0123-4567-89AB-CDEF',
      ' 0123 4567 89ab cdef ',
      'o123-4567-89ab-cdef',
      'Oi23456789ABCDEF',
    ]) {
      expect(readVoucherCode(typed)).toBe(code);
    }
    expect(readVoucherCode('0l23456789ABCDEF')).toBe(code);
  });

  it.each(['', '0123-4567-89AB-CDE', '0123-4567-89AB-CDEF-0', 'U123456789ABCDEF', '0123456789ABCDE!'])(
    'is not %p',
    (typed) => {
      expect(readVoucherCode(typed)).toBeUndefined();
    },
  );

  it('is never read from any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const code = readVoucherCode(text);
        expect(code === undefined || /^[0-9A-HJKMNP-TV-Z]{16}$/.test(code)).toBe(true);
      }),
    );
  });

  it('is stored as a hash', () => {
    expect(hashOfCode('0123456789ABCDEF')).toHaveLength(32);
    expect(hashOfCode('0123456789ABCDEF').equals(hashOfCode('0123456789ABCDEG'))).toBe(false);
  });
});
