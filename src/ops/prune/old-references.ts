/** What was paid under a reference long ago: who pays it now pays something else. */
import type { Database } from '../../store/database';
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type Chore } from './chore';

const keptDays = 90;
const isOld = `paid_at < UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays)} DAY`;

/** The first row of a reference goes last: it is what others wait for. Whatever a person is asked about stays. */
const old = `
  FROM paid_references r
  WHERE ${isOld}
    AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.open_key = CONCAT(r.payment_id, ':paid_twice'))
    AND NOT EXISTS (
      SELECT 1 FROM paid_references d JOIN cases c ON c.open_key = CONCAT(d.payment_id, ':paid_twice')
      WHERE d.duplicate_of = r.payment_id)
    AND (r.n > 1 OR NOT EXISTS (
      SELECT 1 FROM paid_references m WHERE m.reference_key = r.reference_key AND m.n > 1))`;

export const oldReferences: Chore = {
  what: 'references that were paid',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
  async takeSome(db) {
    const taken = await inTransaction(db, (trx) => takeSome(trx));
    return { taken, isMore: taken === batch };
  },
};

/** Found first, and taken by their primary key, for neither server deletes from what it reads in the same statement. */
async function takeSome(db: Pick<Database, 'raw'>): Promise<number> {
  const [rows] = (await db.raw(
    `SELECT r.reference_key, r.n ${old} ORDER BY r.paid_at LIMIT ${String(batch)}`,
  )) as unknown as [{ reference_key: Buffer; n: number }[]];
  if (rows.length === 0) return 0;
  const places = rows.map(() => '(?, ?)').join(', ');
  const keys = rows.flatMap(({ reference_key: key, n }) => [key, n]) as never[];
  // Who has paid it again since has made its first row young.
  const [{ affectedRows }] = (await db.raw(
    `DELETE FROM paid_references WHERE (reference_key, n) IN (${places}) AND ${isOld}`,
    keys,
  )) as unknown as [{ affectedRows: number }];
  return affectedRows;
}
