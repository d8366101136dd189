const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A UUID in 26 letters and digits (RFC 4648), for providers that allow neither its length nor its dashes. */
export function base32OfUuid(uuid: string): string {
  // 128 bits are 26 characters of 5 bits, the last filled up with zeros.
  let bits = BigInt(`0x${uuid.replaceAll('-', '')}`) << 2n;
  let text = '';
  for (let i = 0; i < 26; i += 1) {
    text = (alphabet[Number(bits & 31n)] ?? '') + text;
    bits >>= 5n;
  }
  return text;
}

/** @returns the UUID that {@link base32OfUuid} made this text of; undefined for any other text. */
export function uuidOfBase32(text: string): string | undefined {
  if (!/^[A-Z2-7]{26}$/.test(text)) return undefined;
  let bits = 0n;
  for (const character of text) bits = (bits << 5n) | BigInt(alphabet.indexOf(character));
  if ((bits & 3n) !== 0n) return undefined;
  const hex = (bits >> 2n).toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
