import { createHash, randomInt } from 'node:crypto';

/** Crockford's base 32: no letter looks like a digit. 16 characters are 80 bits, which cannot be guessed. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 16;
const aCode = /^[0-9A-HJKMNP-TV-Z]{16}$/;
/** Letters that users type instead of similar digits. */
const readsLike: Record<string, string> = { O: '0', I: '1', L: '1' };

export function mintVoucherCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** In groups of four, as in the mail. */
export function inGroups(code: string): string {
  return code.match(/.{4}/g)?.join('-') ?? code;
}

/** Reads a code as a user types it, in any case and with spaces or dashes. @returns undefined for an invalid code. */
export function readVoucherCode(text: string): string | undefined {
  const code = text
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/[OIL]/g, (letter) => readsLike[letter] ?? letter);
  return aCode.test(code) ? code : undefined;
}

/** The stored form of a code. */
export function hashOfCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
