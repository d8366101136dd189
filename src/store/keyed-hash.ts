/**
 * Hashes of secrets and their scope, under a key that the database does not have. With only the database, an attacker
 * cannot create a row for a known secret, or change their own row into another user's.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { auditKeysOf, type AuditKey, type Database, type Transaction } from './database';

/** The kind of secret, then everything that it gives access to. */
type SignedParts = readonly [
  what: 'link' | 'session' | 'recovery code' | 'operator',
  ...about: (string | number | null)[],
];

/** Under the newest key. */
export function keyedHash(db: Database | Transaction, secret: string, parts: SignedParts): Buffer {
  const [key] = auditKeysOf(db);
  if (!key) throw new Error('MALIPO_AUDIT_KEY is not set: secrets cannot be hashed');
  return hashUnder(key, secret, parts);
}

/** Under each key: hashes made with older keys stay valid. */
export function keyedHashes(db: Database | Transaction, secret: string, parts: SignedParts): Buffer[] {
  return auditKeysOf(db).map((key) => hashUnder(key, secret, parts));
}

export function isKeyedHash(
  db: Database | Transaction,
  hash: Buffer,
  secret: string,
  parts: SignedParts,
): boolean {
  return keyedHashes(db, secret, parts).some(
    (own) => own.length === hash.length && timingSafeEqual(own, hash),
  );
}

/** The derived key is separate, so that no line of the audit log is ever the hash of a secret. */
function hashUnder({ key }: AuditKey, secret: string, parts: SignedParts): Buffer {
  const own = createHmac('sha256', key).update('malipo secrets').digest();
  return createHmac('sha256', own)
    .update(JSON.stringify([...parts, secret]))
    .digest();
}
