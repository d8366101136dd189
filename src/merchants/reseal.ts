import type { Database } from '../store/database';
import type { MerchantRow } from '../store/tables';
import type { SecretBox } from './secrets';

/** Every column that holds a sealed secret; all are sealed for their merchant. A test looks for others. */
export const sealedColumns = ['webhook_secret', 'previous_webhook_secret'] as const;

const batch = 200;

export interface Resealing {
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
  for (let after = ''; ;) {
    const merchants = await db('merchants')
      .where('merchant_id', '>', after)
      .orderBy('merchant_id')
      .limit(batch)
      .select('merchant_id', ...sealedColumns);
    for (const merchant of merchants) await resealMerchant(db, box, merchant, result);
    const last = merchants.at(-1);
    if (!last) return result;
    after = last.merchant_id;
  }
}

type Sealed = Pick<MerchantRow, 'merchant_id' | (typeof sealedColumns)[number]>;

async function resealMerchant(
  db: Database,
  box: SecretBox,
  { merchant_id: merchantId, ...columns }: Sealed,
  result: Resealing,
): Promise<void> {
  const old = Object.entries(columns).filter(
    (entry): entry is [keyof typeof columns, string] => entry[1] !== null,
  );
  const stale = old.filter(([, sealed]) => !box.isCurrent(sealed));
  let fresh: Partial<typeof columns>;
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
  const changed = await db('merchants')
    .where({ merchant_id: merchantId, ...columns })
    .update(fresh);
  if (changed === 1) {
    result.resealed += stale.length;
    result.current += old.length - stale.length;
    return;
  }
  const rotated = await db('merchants')
    .where({ merchant_id: merchantId })
    .first('merchant_id', ...sealedColumns);
  if (rotated) await resealMerchant(db, box, rotated, result);
}
