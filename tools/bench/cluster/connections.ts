/** The connections of each process to each store, and how many of them are busy at once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../src/store/database';
import { ownersOfPorts } from '../measures/sockets';
import { rounded, sum } from '../measures/statistics';
import { ownersOfConnections } from '../ours/statements';
import { jsonIn } from './counters';
import type { ClusterStack } from './stack';

export interface Connections {
  mysql: Record<string, number>;
  postgresql: Record<string, number>;
}

export async function connectionsOf({
  admin,
  servers,
  pids,
}: Pick<ClusterStack, 'admin' | 'servers' | 'pids'>): Promise<Connections> {
  const ofMysql = await ownersOfConnections(admin, pids);
  const drawn = await servers.temporal.postgres.query(
    `SELECT json_build_object('ports', json_agg(client_port)) FROM pg_stat_activity
     WHERE client_port IS NOT NULL AND pid <> pg_backend_pid()`,
  );
  const { ports } = jsonIn(drawn) as { ports: number[] };
  const byPort = await ownersOfPorts(pids);
  return {
    mysql: counted([...ofMysql.values()].filter((owner) => owner in pids)),
    postgresql: counted(ports.map((port) => byPort.get(port) ?? 'others')),
  };
}

function counted(owners: readonly string[]): Record<string, number> {
  const names = [...new Set(owners)].sort();
  return Object.fromEntries(names.map((name) => [name, owners.filter((owner) => owner === name).length]));
}

const everyMs = 100;

/**
 * The average number of connections to MySQL that are in a statement or a transaction during `work`. The server reports
 * only the current number, so it is read ten times a second.
 */
export async function busyConnections(admin: Database, work: () => Promise<void>): Promise<number> {
  const seen: number[] = [];
  const over = new AbortController();
  const checking = (async () => {
    while (!over.signal.aborted) {
      const [[row]] = (await admin.raw(
        `SELECT COUNT(*) AS n FROM information_schema.processlist
         WHERE user NOT LIKE '%admin%' AND user <> 'system user'
           AND (command <> 'Sleep' OR id IN (SELECT trx_mysql_thread_id FROM information_schema.innodb_trx))`,
      )) as unknown as [[{ n: string | number }]];
      seen.push(Number(row.n));
      await delay(everyMs);
    }
  })();
  try {
    await work();
  } finally {
    over.abort();
    await checking;
  }
  return rounded(sum(seen) / seen.length);
}
