/** Sessions that are over, and links that nobody can use any more. */
import type { Database } from '../../store/database';
import { batch, countBy, type Chore } from './chore';

/** Long enough to tell somebody that a link was there, and is too old. */
const linksKeptDays = 30;

async function remove(db: Database, statement: string): Promise<{ taken: number; isMore: boolean }> {
  const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
  return { taken, isMore: taken === batch };
}

function choreOf(what: string, from: string): Chore {
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${from}`, []),
    takeSome: (db) => remove(db, `DELETE ${from} ORDER BY expires_at LIMIT ${String(batch)}`),
  };
}

export const peopleChores: Chore[] = [
  choreOf('sessions of the portal', 'FROM user_sessions WHERE expires_at < UTC_TIMESTAMP(3)'),
  choreOf(
    'links that were mailed',
    `FROM user_links WHERE expires_at < UTC_TIMESTAMP(3) - INTERVAL ${String(linksKeptDays)} DAY`,
  ),
];
