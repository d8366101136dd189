/** SQL statements by process, counted by the database server's own log. */
import type { Database } from '../../../src/store/database';
import { ownersOfPorts } from '../measures/sockets';

/** Each is a round trip, including the start and end of a transaction. */
const roundTrips = ['Query', 'Execute', 'Prepare'];

/** For connections that were closed before their owner was found. */
const unknown = 'gone';

/**
 * Counts during `work`, including the processes' background work, which is little. The log slows the server, so nothing
 * is measured meanwhile.
 */
export async function statementsOf(
  admin: Database,
  pids: () => Readonly<Record<string, number>>,
  work: () => Promise<void>,
): Promise<Record<string, number>> {
  await admin.raw("SET GLOBAL log_output = 'TABLE'");
  await admin.raw('TRUNCATE TABLE mysql.general_log');
  await admin.raw('SET GLOBAL general_log = ON');
  let owners: Map<string, string>;
  try {
    await work();
    owners = await ownersOfConnections(admin, pids());
  } finally {
    await admin.raw('SET GLOBAL general_log = OFF');
  }
  const [rows] = (await admin.raw(
    `SELECT thread_id AS thread, COUNT(*) AS n FROM mysql.general_log
     WHERE command_type IN (${roundTrips.map(() => '?').join(', ')}) AND user_host NOT LIKE '%admin%'
     GROUP BY thread_id`,
    roundTrips,
  )) as unknown as [{ thread: string | number; n: string | number }[]];
  const counts: Record<string, number> = {};
  for (const { thread, n } of rows) {
    const name = owners.get(String(thread)) ?? unknown;
    if (name !== ourselves) counts[name] = (counts[name] ?? 0) + Number(n);
  }
  return counts;
}

/** Our own queries are not part of a payment. */
const ourselves = 'driver';

/** The owner of each connection, by its number. */
export async function ownersOfConnections(
  admin: Database,
  pids: Readonly<Record<string, number>>,
): Promise<Map<string, string>> {
  const [connections] = (await admin.raw('SHOW PROCESSLIST')) as unknown as [
    { Id: string | number; Host: string }[],
  ];
  const byPort = await ownersOfPorts({ ...pids, [ourselves]: process.pid });
  const owners = new Map<string, string>();
  for (const { Id: id, Host: host } of connections) {
    const owner = byPort.get(Number(host.split(':').at(-1)));
    if (owner !== undefined) owners.set(String(id), owner);
  }
  return owners;
}
