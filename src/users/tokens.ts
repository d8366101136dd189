/**
 * What a browser or a mail holds. That of a row begins with the id by which it is found, and goes on with 128 random bits;
 * only a hash of it is kept, under a key that the database does not have (store/keyed-hash.ts).
 */
import { randomBytes } from 'node:crypto';
import { parse, validate } from 'uuid';

const tokenShape = /^[\w-]{43}$/;
const idBytes = 16;

/** Of nothing that is kept: 256 random bits. */
export function mintToken(): string {
  return randomBytes(32).toString('base64url');
}

/** @param id a UUID. */
export function mintTokenOf(id: string): string {
  return Buffer.concat([parse(id), randomBytes(32 - idBytes)]).toString('base64url');
}

/** Of whose row it is; undefined for a text that could be none of ours. */
export function idInToken(token: string): string | undefined {
  if (!tokenShape.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const hex = bytes.subarray(0, idBytes).toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return validate(id) ? id : undefined;
}
