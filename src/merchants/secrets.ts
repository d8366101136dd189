import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { bytesOf } from '../domain/canonical';
import type { Database } from '../store/database';
import type { MerchantRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { holdRows, rowChanged } from '../users/audit-log';

/** Encrypts texts that must be read again (webhook secrets), so that a stolen database dump reveals none of them. */
export interface SecretBox {
  /**
   * @param context the owner of the secret (the merchant id). An encrypted text that was moved to another row cannot be
   * decrypted.
   */
  encrypt(text: string, context: string): string;
  /** @throws Error when the key is unknown, the context differs, or the text was altered or has another spelling. */
  open(encrypted: string, context: string): string;
  /** True if the newest key encrypted it. */
  isCurrent(encrypted: string): boolean;
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
 * AES-256-GCM with a key ring: the first key encrypts, all keys decrypt. To replace a key, put a new one in front. An
 * encrypted text has the form `<key id>.<base64url of nonce, tag and ciphertext>`.
 */
export function secretBox(keys: readonly SecretKey[]): SecretBox {
  const [first] = keys;
  if (!first) throw new Error('a secret box needs at least one key');
  const keyById = new Map(keys.map(({ id, key }) => [id, key]));

  return {
    isCurrent: (encrypted) => encrypted.startsWith(`${first.id}.`),

    encrypt(text, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, first.key, nonce).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
      return `${first.id}.${Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')}`;
    },

    open(encrypted, context) {
      const dot = encrypted.indexOf('.');
      const id = encrypted.slice(0, Math.max(dot, 0));
      const key = keyById.get(id);
      if (!key) throw new Error(`encrypted with a key that is not configured: "${id}"`);
      const bytes = bytesOf(encrypted.slice(dot + 1), 'base64url');
      if (!bytes) throw new Error('the encrypted text has been altered');
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

/** Every column with an encrypted secret; each is bound to its merchant. A test looks for other columns. */
export const encryptedColumns = ['webhook_secret', 'previous_webhook_secret'] as const;

/** The tables with these columns, and the primary key of each. */
export const encryptedIn = { merchants: 'merchant_id', webhook_endpoints: 'endpoint_id' } as const;
type Table = keyof typeof encryptedIn;

const batch = 200;

interface ReEncryption {
  /** Secrets that were re-encrypted now, and secrets that the newest key had already encrypted. */
  re_encrypted: number;
  current: number;
  /** Merchants with a secret that no configured key can decrypt; none of their secrets was changed. */
  unreadable: string[];
}

/**
 * Re-encrypts every secret with the newest key, so that an older key can be removed. After an interruption, run it
 * again: it skips finished rows. The old text is in the WHERE, so that a concurrent rotation wins.
 */
export async function reEncryptSecrets(db: Database, box: SecretBox): Promise<ReEncryption> {
  const result: ReEncryption = { re_encrypted: 0, current: 0, unreadable: [] };
  for (const table of Object.keys(encryptedIn) as Table[]) {
    for (let after = ''; ;) {
      const rows = await readEncrypted(db, table)
        .where(encryptedIn[table], '>', after)
        .orderBy(encryptedIn[table])
        .limit(batch);
      for (const row of rows) await reEncryptRow(db, box, table, row, result);
      const last = rows.at(-1);
      if (!last) break;
      after = last.row_id;
    }
  }
  return { ...result, unreadable: [...new Set(result.unreadable)] };
}

type Secrets = Pick<MerchantRow, (typeof encryptedColumns)[number]>;
interface EncryptedRow extends Secrets {
  row_id: string;
  merchant_id: string;
}

/** Both tables have these columns. */
const rowsOf = (db: Database, table: Table) => db(table as 'merchants');

function readEncrypted(db: Database, table: Table) {
  return rowsOf(db, table).select<EncryptedRow[]>(
    { row_id: encryptedIn[table] },
    'merchant_id',
    ...encryptedColumns,
  );
}

async function reEncryptRow(
  db: Database,
  box: SecretBox,
  table: Table,
  { row_id: id, merchant_id: merchantId, ...columns }: EncryptedRow,
  result: ReEncryption,
): Promise<void> {
  const old = Object.entries(columns).filter((entry): entry is [keyof Secrets, string] => entry[1] !== null);
  const stale = old.filter(([, encrypted]) => !box.isCurrent(encrypted));
  let fresh: Partial<Secrets>;
  try {
    // Secrets of the current key are decrypted too: only this proves that no older key is needed.
    const texts = old.map(([column, encrypted]) => [column, box.open(encrypted, merchantId)] as const);
    const wanted = texts.filter(([column]) => stale.some(([name]) => name === column));
    fresh = Object.fromEntries(wanted.map(([column, text]) => [column, box.encrypt(text, merchantId)]));
  } catch {
    result.unreadable.push(merchantId);
    return;
  }
  if (stale.length === 0) {
    result.current += old.length;
    return;
  }
  const changed = await inTransaction(db, async (trx) => {
    await holdRows(trx, table, id);
    const updated = await rowsOf(trx, table)
      .where({ [encryptedIn[table]]: id, ...columns })
      .update(fresh);
    if (updated === 1) await rowChanged(trx, table, id);
    return updated;
  });
  if (changed === 1) {
    result.re_encrypted += stale.length;
    result.current += old.length - stale.length;
    return;
  }
  const [rotated] = await readEncrypted(db, table).where(encryptedIn[table], id);
  if (rotated) await reEncryptRow(db, box, table, rotated, result);
}
