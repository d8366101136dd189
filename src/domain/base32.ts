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
