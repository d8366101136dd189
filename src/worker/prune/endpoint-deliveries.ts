/** How tries to tell further endpoints went, and what was to be sent there once more: kept as long as the events are. */
import { eventsKeptDays } from './old-events';
import { batch, countBy, type Chore } from './chore';

function oldRowsOf(table: string, what: string, days: number): Chore {
  const old = `FROM ${table} WHERE created_at < UTC_TIMESTAMP(3) - INTERVAL ${String(days)} DAY`;
  return {
    what,
    count: (db) => countBy(db, `SELECT COUNT(*) AS n ${old}`, []),
    async takeSome(db) {
      const statement = `DELETE ${old} ORDER BY created_at LIMIT ${String(batch)}`;
      const [{ affectedRows: taken }] = (await db.raw(statement)) as unknown as [{ affectedRows: number }];
      return { taken, isMore: taken === batch };
    },
  };
}

export function endpointChores(bodiesKeptDays: number): Chore[] {
  const days = eventsKeptDays(bodiesKeptDays);
  return [
    oldRowsOf('endpoint_tries', 'tries to tell endpoints', days),
    // What is sent again is over in three days: these are of endpoints that were ended.
    oldRowsOf('endpoint_resends', 'events to be sent again', days),
  ];
}
