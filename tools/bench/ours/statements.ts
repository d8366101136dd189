/** SQL statements by process, as the database server's own log of them counts. */
import type { Database } from '../../../src/store/database';
import { ownersOfPorts } from '../measures/sockets';

/** Each is a round trip; what begins and ends a transaction is one, too. */
const roundTrips = ['Query', 'Execute', 'Prepare'];

/** Of connections that were gone before they could be looked at. */
const unknown = 'gone';

/**
 * Counts while `work` goes on, what the processes do besides included: there is little of it in a second. The log makes
 * the server slower, so nothing is timed meanwhile.
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

/** Our own questions are no part of a payment. */
const ourselves = 'driver';

/** Whose each connection is, by its number. */
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
