import { inTransaction } from '../store/transaction';
import { holdRows, rowChanged } from '../users/audit-log';
import type { Database } from '../store/database';
import type { MerchantRow } from '../store/tables';
import type { SecretBox } from './secrets';

/** Every column that holds a sealed secret; all are sealed for their merchant. A test looks for others. */
export const sealedColumns = ['webhook_secret', 'previous_webhook_secret'] as const;

/** The tables that have them, and what names a row of each. */
export const sealedIn = { merchants: 'merchant_id', webhook_endpoints: 'endpoint_id' } as const;
type Table = keyof typeof sealedIn;

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
