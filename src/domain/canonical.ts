/**
 * Encoded texts are accepted in their canonical form only. Node's decoders skip invalid characters and ignore spare
 * bits. One value would then have any number of texts, and a limit or a memory that counts by the text would count
 * each of them separately.
 */

/** @returns undefined where the text is not exactly the canonical form of its bytes. */
export function bytesOf(text: string, encoding: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
