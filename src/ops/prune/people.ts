/** Sessions that are over, links that nobody can use any more, and payouts that nobody has sent. */
import type { Database } from '../../store/database';
import { batch, countBy, type Chore } from './chore';

/** Long enough to tell somebody that a link was there, and is too old. */
const linksKeptDays = 30;

async function remove(db: Database, statement: string): Promise<{ taken: number; isMore: boolean }> {
  const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
  return { taken, isMore: taken === batch };
}

/** A list waits for three days at most. */
const unsentKeptDays = 30;

function choreOf(what: string, from: string, by = 'expires_at'): Chore {
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${from}`, []),
    takeSome: (db) => remove(db, `DELETE ${from} ORDER BY ${by} LIMIT ${String(batch)}`),
  };
}

export const peopleChores: Chore[] = [
  choreOf('sessions of the portal', 'FROM user_sessions WHERE expires_at < UTC_TIMESTAMP(3)'),
  choreOf(
    'links that were mailed',
    `FROM user_links WHERE expires_at < UTC_TIMESTAMP(3) - INTERVAL ${String(linksKeptDays)} DAY`,
  ),
  choreOf(
    'lists of payouts that were not sent',
    `FROM payout_batches WHERE state <> 'sent' AND made_at < UTC_TIMESTAMP(3) - INTERVAL ${String(unsentKeptDays)} DAY`,
    'made_at',
  ),
];
