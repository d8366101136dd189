/**
 * Texts that stand for bytes, taken in their one spelling. Node's decoders skip what is no digit and ignore spare bits: one
 * value would have any number of texts, and whatever is counted or remembered by the text would be counted anew for each.
 */

/** @returns undefined where the text is not exactly what its bytes are written as. */
export function bytesOf(text: string, encoding: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
