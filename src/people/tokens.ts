/** What a browser or a mail holds: 256 random bits, of which only the SHA-256 is kept. */
import { createHash, randomBytes } from 'node:crypto';

const tokenShape = /^[\w-]{43}$/;

export function mintToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A slow hash would buy nothing: this is a random number, not a password. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** True for a text that could be one of ours. */
export function isToken(text: string): boolean {
  return tokenShape.test(text);
}
