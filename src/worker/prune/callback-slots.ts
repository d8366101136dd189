/** What was counted of callbacks: it tells of a provider's last weeks, and nothing is judged by older ones. */
import { inTransaction } from '../../store/transaction';
import { batch, countBy, type Chore } from './chore';

const keptDays = 30;

function slotsOf(table: 'callback_counts' | 'callback_refusals', what: string): Chore {
  const old = `FROM ${table} WHERE slot_at < UTC_TIMESTAMP(3) - INTERVAL ${String(keptDays)} DAY`;
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
    takeSome: (db) =>
      inTransaction(db, async (trx) => {
        const [{ affectedRows: taken }] = (await trx.raw(
          `DELETE ${old} ORDER BY slot_at LIMIT ${String(batch)}`,
        )) as unknown as [{ affectedRows: number }];
        return { taken, isMore: taken === batch };
      }),
  };
}

export const slotChores: Chore[] = [
  slotsOf('callback_counts', 'counts of callbacks'),
  slotsOf('callback_refusals', 'counts of refused callbacks'),
];
