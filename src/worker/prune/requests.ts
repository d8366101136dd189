/** What merchants asked of the API, which is kept for a week. */
import { requestsKeptDays } from '../../merchants/request-log';
import { batch, countBy, type Chore } from './chore';

const old = `FROM api_requests WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(requestsKeptDays)} DAY`;

export const requestChore: Chore = {
  what: 'requests of merchants',
  count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
  async takeSome(db) {
    const statement = `DELETE ${old} ORDER BY created_at LIMIT ${String(batch)}`;
    const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
    return { taken, isMore: taken === batch };
  },
};
