import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { bytesOf } from '../domain/canonical';

/** Seals texts that must be read again (webhook secrets), so that a stolen database dump tells none of them. */
export interface SecretBox {
  /** @param context whose secret it is (the merchant id): a sealed text moved to another row does not open. */
  seal(text: string, context: string): string;
  /** @throws Error when the key is unknown, the context is another, or the text was altered or is spelled in another way. */
  open(sealed: string, context: string): string;
  /** True when the newest key sealed it. */
  isCurrent(sealed: string): boolean;
}

export interface SecretKey {
  id: string;
  /** 32 bytes. */
  key: Buffer;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM over a key ring: the first key seals, all of them open, so a key is replaced by putting a new one in
 * front. A sealed text reads `<key id>.<base64url of nonce, tag and ciphertext>`.
 */
export function secretBox(keys: readonly SecretKey[]): SecretBox {
  const [first] = keys;
  if (!first) throw new Error('a secret box needs at least one key');
  const keyById = new Map(keys.map(({ id, key }) => [id, key]));

  return {
    isCurrent: (sealed) => sealed.startsWith(`${first.id}.`),

    seal(text, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, first.key, nonce).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
      return `${first.id}.${Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
    },

    open(sealed, context) {
      const dot = sealed.indexOf('.');
      const id = sealed.slice(0, Math.max(dot, 0));
      const key = keyById.get(id);
      if (!key) throw new Error(`sealed with a key that is not configured: "${id}"`);
      const bytes = bytesOf(sealed.slice(dot + 1), 'base64url');
      if (!bytes) throw new Error('not as it was sealed');
      const nonce = bytes.subarray(0, nonceBytes);
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      const ciphertext = bytes.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString();
    },
  };
}
