/**
 * Hashes of secrets under a key that the database does not have, over what each is good for: whoever has only the database
 * can make no row for a secret that they know, nor turn the row of their own secret into somebody else's.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { auditKeysOf, type AuditKey, type Database, type Transaction } from './database';

/** What the secret is, first, and then all that it is good for. */
type Said = readonly [
  what: 'link' | 'session' | 'recovery code' | 'operator',
  ...about: (string | number | null)[],
];

/** Under the newest key. */
export function keyedHash(db: Database | Transaction, secret: string, said: Said): Buffer {
  const [key] = auditKeysOf(db);
  if (!key) throw new Error('MALIPO_AUDIT_KEY is not set: nothing is hashed under it');
  return hashUnder(key, secret, said);
}

/** Under each key: what was made before the newest one holds. */
export function keyedHashes(db: Database | Transaction, secret: string, said: Said): Buffer[] {
  return auditKeysOf(db).map((key) => hashUnder(key, secret, said));
}

export function isKeyedHash(db: Database | Transaction, hash: Buffer, secret: string, said: Said): boolean {
  return keyedHashes(db, secret, said).some(
    (own) => own.length === hash.length && timingSafeEqual(own, hash),
  );
}

/** With a key of its own: no line of the audit log is ever the hash of a secret. */
function hashUnder({ key }: AuditKey, secret: string, said: Said): Buffer {
  const own = createHmac('sha256', key).update('malipo secrets').digest();
  return createHmac('sha256', own)
    .update(JSON.stringify([...said, secret]))
    .digest();
}
