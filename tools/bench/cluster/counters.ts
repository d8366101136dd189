/** The counters of the stores and the server: read before and after a run, and never during a measurement. */
import { postgresDatabases } from '../../cluster/postgres-server';
import { sum } from '../measures/statistics';
import { samplesOf } from '../measures/prometheus-text';
import type { ClusterStack } from './stack';

type Counters = Record<string, number>;

/** A name ends in its unit, unless it counts something. */
export async function readCounters(stack: Pick<ClusterStack, 'admin' | 'servers'>): Promise<Counters> {
  const [mysql, postgres, temporal] = await Promise.all([
    mysqlCounters(stack),
    postgresCounters(stack),
    temporalCounters(stack),
  ]);
  return { ...mysql, ...postgres, ...temporal };
}

const ofMysql: Record<string, string> = {
  Innodb_data_fsyncs: 'mysql_fsyncs',
  Innodb_os_log_written: 'mysql_log_bytes',
  Com_commit: 'mysql_commits',
  Innodb_row_lock_waits: 'mysql_row_lock_waits',
  Innodb_row_lock_time: 'mysql_row_lock_wait_ms',
};

async function mysqlCounters({ admin }: Pick<ClusterStack, 'admin'>): Promise<Counters> {
  const [rows] = (await admin.raw('SHOW GLOBAL STATUS')) as unknown as [
    { Variable_name: string; Value: string }[],
  ];
  const shown = new Map(rows.map(({ Variable_name: name, Value: value }) => [name, Number(value)]));
  return Object.fromEntries(
    Object.entries(ofMysql).map(([name, ours]) => [ours, shown.get(name) ?? Number.NaN]),
  );
}

/** All in one answer, because each query costs a process. */
const postgresQuestion = `SELECT row_to_json(counters) FROM (
  SELECT
    (SELECT wal_sync FROM pg_stat_wal) AS postgres_fsyncs,
    (SELECT wal_bytes FROM pg_stat_wal) AS postgres_log_bytes,
    (SELECT sum(calls) FROM pg_stat_statements) AS postgres_statements,
    (SELECT sum(xact_commit) FROM pg_stat_database) AS postgres_commits,
    (SELECT sum(active_time + idle_in_transaction_time) FROM pg_stat_database) AS postgres_busy_ms,
    (SELECT sum(pg_database_size(datname)) FROM pg_database
      WHERE datname IN (${Object.values(postgresDatabases)
        .map((name) => `'${name}'`)
        .join(', ')})) AS postgres_table_bytes
) AS counters`;

async function postgresCounters({ servers }: Pick<ClusterStack, 'servers'>): Promise<Counters> {
  return jsonIn(await servers.temporal.postgres.query(postgresQuestion)) as Counters;
}

/** `psql` prints a line for each row. */
export function jsonIn(drawn: string): unknown {
  const line = drawn.split('\n').find((text) => text.trim().startsWith('{'));
  if (line === undefined) throw new Error(`PostgreSQL answered without JSON: ${drawn}`);
  return JSON.parse(line) as unknown;
}

/** The writes that a history shard does one after the other. */
const shardWrites = new Set([
  'CreateWorkflowExecution',
  'UpdateWorkflowExecution',
  'ConflictResolveWorkflowExecution',
]);

async function temporalCounters({ servers }: Pick<ClusterStack, 'servers'>): Promise<Counters> {
  const { ports, namespace } = servers.temporal;
  const counters: Counters = {};
  // Of each service only one process is measured (see stack.ts).
  for (const { service: name, metrics } of ports.instances) {
    const answer = await fetch(`http://127.0.0.1:${metrics}/metrics`);
    const text = await answer.text();
    const total = (counter: string, of: (labels: Record<string, string>) => boolean = () => true) =>
      sum(samplesOf(text, counter).flatMap(({ labels, value }) => (of(labels) ? [value] : [])));
    counters[`persistence_${name}`] = total('persistence_requests');
    if (name === 'frontend') {
      counters['actions'] = total('action', (labels) => labels['namespace'] === namespace);
    }
    if (name === 'history') {
      const isShardWrite = ({ operation = '' }: Record<string, string>) => shardWrites.has(operation);
      counters['shard_writes'] = total('persistence_latency_count', isShardWrite);
      counters['shard_write_ms'] = 1_000 * total('persistence_latency_sum', isShardWrite);
    }
  }
  return counters;
}
