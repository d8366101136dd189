/** A phone number as people type it, in every form in which a rail may have stored it. */

/** Country codes of the countries that a rail serves; a number without one may be of any of them. */
const callingCodes = [
  ...[
    '221',
    '223',
    '224',
    '225',
    '226',
    '227',
    '228',
    '229',
    '231',
    '232',
    '233',
    '234',
    '235',
    '236',
    '237',
  ],
  ...[
    '241',
    '242',
    '243',
    '244',
    '248',
    '250',
    '251',
    '252',
    '254',
    '255',
    '256',
    '257',
    '258',
    '260',
    '261',
  ],
  ...['263', '265', '266', '267', '268', '27'],
];
const digitsMin = 9;
const digitsMax = 15;
/** Longer than anything that people write a number with. */
const textMax = 40;

/**
 * @param text such as 0712345678, 712345678, 254712345678 or `+254 712-345 678`, with or without signs that are not seen.
 * @returns what it may be stored as; nothing where it is no whole number.
 */
export function phoneSpellings(text: string): string[] {
  if (text.length > textMax) return [];
  const plain = text
    .normalize('NFKC')
    .replace(/^['"\s]*(?:tel:)?/i, '')
    .replace(/\(0\)/, '');
  const bare = plain.replace(/[\p{C}\p{Z}\s().\-‐-―/]/gu, '');
  if (!/^\+?\d+$/.test(bare)) return [];
  const digits = bare.replace(/^\+|^00/, '');
  if (digits.length < digitsMin || digits.length > digitsMax) return [];
  // In some countries the first 0 belongs to the number; in most it stands for the country's digits.
  const national = [digits, digits.replace(/^0/, '')];
  const isInternational = bare.startsWith('+') || bare.startsWith('00');
  const known = isInternational
    ? []
    : callingCodes.flatMap((code) => national.map((each) => `${code}${each}`));
  const doubled = callingCodes.filter((code) => digits.startsWith(`${code}0`));
  const without = doubled.map((code) => `${code}${digits.slice(code.length + 1)}`);
  return [...new Set([digits, ...known, ...without])]
    .filter((each) => each.length <= digitsMax)
    .flatMap((each) => [each, `+${each}`]);
}
