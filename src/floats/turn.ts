/** One of many workers asks the providers: who it is, is claimed in the database, for longer than it takes. */
import { v7 as uuid } from 'uuid';
import type { Database, Transaction } from '../store/database';
import type { FloatRoundRow } from '../store/float-tables';

/** A round waits twenty seconds for the slowest provider; whoever had its turn longer ago is dead, or writes nothing. */
const leaseSeconds = 120;

export interface Turn {
  /** The row as it is. */
  round(db: Database): Promise<FloatRoundRow>;
  /** Locks the row, and keeps the turn for as long again. @returns undefined when it is another's by now. */
  hold(trx: Transaction): Promise<FloatRoundRow | undefined>;
  end(): Promise<void>;
  /** Leaves it to whoever comes next. */
  giveUp(): Promise<void>;
}

/** @returns undefined where it is another's. */
export async function takeTurn(db: Database): Promise<Turn | undefined> {
  const me = uuid();
  const mine = () => db('float_rounds').where({ id: 1, leased_by: me });
  const leasedUntil = db.raw<Date>(`UTC_TIMESTAMP(3) + INTERVAL ${String(leaseSeconds)} SECOND`);
  const claimed = await db('float_rounds')
    .where({ id: 1 })
    .whereRaw('(leased_until IS NULL OR leased_until < UTC_TIMESTAMP(3))')
    .update({
      leased_by: me,
      leased_until: leasedUntil,
    });
  if (claimed === 0) return undefined;
  const over = { leased_by: null, leased_until: null };
  return {
    async round(handle) {
      const row = await handle('float_rounds').where({ id: 1 }).first();
      if (!row) throw new Error('the row of the float proof is gone');
      return row;
    },
    async hold(trx) {
      const own = trx('float_rounds').where({ id: 1, leased_by: me });
      return (await own.clone().update({ leased_until: leasedUntil })) === 1
        ? own.clone().first()
        : undefined;
    },
    async end() {
      await mine().update({ ...over, finished_at: db.raw<Date>('UTC_TIMESTAMP(3)') });
    },
    async giveUp() {
      await mine().update(over);
    },
  };
}
