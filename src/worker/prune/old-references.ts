/** What was paid under a reference long ago: who pays it now pays something else. */
import type { Transaction } from '../../store/database';
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
    const taken = await inTransaction(db, takeSome);
    return { taken, isMore: taken === batch };
  },
};

/** Found first: neither server deletes from what it reads in the same statement. */
async function takeSome(trx: Transaction): Promise<number> {
  const [rows] = (await trx.raw(
    `SELECT r.payment_id ${old} ORDER BY r.paid_at LIMIT ${String(batch)}`,
  )) as unknown as [{ payment_id: string }[]];
  const ids = rows.map(({ payment_id: id }) => id);
  // Who has paid it again since has made its first row young.
  return trx('paid_references').whereIn('payment_id', ids).whereRaw(isOld).delete();
}
