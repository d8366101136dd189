import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { bytesOf } from '../domain/canonical';
import type { Database } from '../store/database';
import type { MerchantRow } from '../store/tables';
import { inTransaction } from '../store/transaction';
import { holdRows, rowChanged } from '../users/audit-log';

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

/** Every column that holds a sealed secret; all are sealed for their merchant. A test looks for others. */
export const sealedColumns = ['webhook_secret', 'previous_webhook_secret'] as const;

/** The tables that have them, and what names a row of each. */
export const sealedIn = { merchants: 'merchant_id', webhook_endpoints: 'endpoint_id' } as const;
type Table = keyof typeof sealedIn;

const batch = 200;

interface Resealing {
  /** Secrets that the newest key has sealed now, and those it had sealed already. */
  resealed: number;
  current: number;
  /** Merchants with a secret that no configured key opens; nothing of theirs was changed. */
  unreadable: string[];
}

/**
 * Seals every secret with the newest key, so that an older one can be thrown away. Run again after an interruption it
 * goes on where there is still something to do. The old text stands in the WHERE: a rotation at the same moment wins.
 */
export async function resealSecrets(db: Database, box: SecretBox): Promise<Resealing> {
  const result: Resealing = { resealed: 0, current: 0, unreadable: [] };
  for (const table of Object.keys(sealedIn) as Table[]) {
    for (let after = ''; ;) {
      const rows = await readSealed(db, table)
        .where(sealedIn[table], '>', after)
        .orderBy(sealedIn[table])
        .limit(batch);
      for (const row of rows) await resealRow(db, box, table, row, result);
      const last = rows.at(-1);
      if (!last) break;
      after = last.row_id;
    }
  }
  return { ...result, unreadable: [...new Set(result.unreadable)] };
}

type Secrets = Pick<MerchantRow, (typeof sealedColumns)[number]>;
interface Sealed extends Secrets {
  row_id: string;
  merchant_id: string;
}

/** The two have these columns alike. */
const rowsOf = (db: Database, table: Table) => db(table as 'merchants');

function readSealed(db: Database, table: Table) {
  return rowsOf(db, table).select<Sealed[]>({ row_id: sealedIn[table] }, 'merchant_id', ...sealedColumns);
}

async function resealRow(
  db: Database,
  box: SecretBox,
  table: Table,
  { row_id: id, merchant_id: merchantId, ...columns }: Sealed,
  result: Resealing,
): Promise<void> {
  const old = Object.entries(columns).filter((entry): entry is [keyof Secrets, string] => entry[1] !== null);
  const stale = old.filter(([, sealed]) => !box.isCurrent(sealed));
  let fresh: Partial<Secrets>;
  try {
    // What is current is opened, too: only then is it known that no older key is missed.
    const texts = old.map(([column, sealed]) => [column, box.open(sealed, merchantId)] as const);
    const wanted = texts.filter(([column]) => stale.some(([name]) => name === column));
    fresh = Object.fromEntries(wanted.map(([column, text]) => [column, box.seal(text, merchantId)]));
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
      .where({ [sealedIn[table]]: id, ...columns })
      .update(fresh);
    if (updated === 1) await rowChanged(trx, table, id);
    return updated;
  });
  if (changed === 1) {
    result.resealed += stale.length;
    result.current += old.length - stale.length;
    return;
  }
  const [rotated] = await readSealed(db, table).where(sealedIn[table], id);
  if (rotated) await resealRow(db, box, table, rotated, result);
}
