import { createHash, randomInt } from 'node:crypto';

/** Crockford's base 32: no letter that reads like a digit. 16 of them are 80 bits, which nobody guesses. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 16;
const aCode = /^[0-9A-HJKMNP-TV-Z]{16}$/;
/** What people type for what they see. */
const readsLike: Record<string, string> = { O: '0', I: '1', L: '1' };

export function mintVoucherCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** In groups of four, as it stands in the mail. */
export function inGroups(code: string): string {
  return code.match(/.{4}/g)?.join('-') ?? code;
}

/** Reads a code as somebody types it, in any case and with spaces or dashes. @returns undefined for what is none. */
export function readVoucherCode(text: string): string | undefined {
  const code = text
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/[OIL]/g, (letter) => readsLike[letter] ?? letter);
  return aCode.test(code) ? code : undefined;
}

/** What is kept of a code. */
export function hashOfCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
