/** Up to where a run has seen everything. */
import type { Database, Transaction } from '../store/database';
import { rowsOf } from './check';
import type { Marks } from './scope';

/**
 * A transaction shows its rows when it commits, with numbers and moments of when it wrote them. Nothing of ours is open
 * for as long as this; what was written later is looked at again by the next run.
 */
const openAtMostMs = 3_600_000;

/** The database's clock, and since when the run that begins now may not have seen every change. */
export async function momentOf(db: Database | Transaction): Promise<{ now: Date; changedSince: Date }> {
  const [row] = await rowsOf<{ now: Date }>(db, 'SELECT UTC_TIMESTAMP(3) AS now');
  const now = row?.now ?? new Date();
  return { now, changedSince: new Date(now.getTime() - openAtMostMs) };
}

/** As the database reads it. */
export const literal = (moment: Date): string => moment.toISOString().replace('T', ' ').replace('Z', '');

/** The moment that a literal means. */
export const momentIn = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`);

/** Nothing is proved. A TIMESTAMP has no midnight of the first day. */
export const noMarks: Marks = {
  changedSince: '1970-01-02 00:00:00.000',
  last: { ledger_entries: '0', ledger_postings: '0', payment_log: '0', inbox: '0' },
};

/**
 * The last row of each table before the first that is as young as `changedSince`: a row and not a number, for the
 * numbers between the two may be those of rows that are written and not committed. Looks at what came after `before`.
 */
export async function marksAt(trx: Transaction, before: Marks, changedSince: Date): Promise<Marks> {
  const since = literal(changedSince);
  const { last } = before;
  const idIn = async (statement: string): Promise<string | undefined> => {
    const [row] = await rowsOf<{ id: string | number }>(trx, `${statement} LIMIT 1`);
    return row && String(row.id);
  };
  const upTo = async (table: string, id: string, after: string, isYoung: string): Promise<string> => {
    const rest = `SELECT ${id} AS id FROM ${table} WHERE ${id} > ${after}`;
    const young = await idIn(`${rest} AND ${isYoung} ORDER BY ${id}`);
    const old = young === undefined ? '' : `AND ${id} < ${young}`;
    return (await idIn(`${rest} ${old} ORDER BY ${id} DESC`)) ?? after;
  };
  const entries = await upTo('ledger_entries', 'entry_id', last.ledger_entries, `at >= '${since}'`);
  return {
    changedSince: since,
    last: {
      ledger_entries: entries,
      ledger_postings: await upTo('ledger_postings', 'seq', last.ledger_postings, `entry_id > ${entries}`),
      payment_log: await upTo('payment_log', 'log_id', last.payment_log, `at >= '${since}'`),
      inbox: await upTo('inbox', 'inbox_id', last.inbox, `received_at >= '${since}'`),
    },
  };
}
