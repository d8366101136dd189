/** A process's connections to the database, read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { onRejection, openDatabase, poolOf, rejectionReasons, type Database } from '../../store/database';
import type { Figures } from './figures';

/** @param pools by name; each name becomes a label value. */
export function showPools(registers: Registry[], pools: Record<string, Database>): void {
  const labelled = Object.entries(pools).map(([name, db]) => ({ name, pool: poolOf(db) }));
  new Gauge({
    name: 'malipo_database_pool_connections',
    help: 'Connections to the database, in use or free.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { name, pool } of labelled) {
        this.set({ pool: name, state: 'used' }, pool.numUsed());
        this.set({ pool: name, state: 'free' }, pool.numFree());
      }
    },
  });
  new Gauge({
    name: 'malipo_database_pool_waiting',
    help: 'Callers that are waiting for a connection, because all are in use.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const { name, pool } of labelled) this.set({ pool: name }, pool.numPendingAcquires());
    },
  });
  const failed = new Counter({
    name: 'malipo_database_pool_timeouts_total',
    help: 'Callers that got no connection in time: all were in use, or the database accepted none.',
    labelNames: ['pool'],
    registers,
  });
  for (const { name, pool } of labelled) {
    failed.inc({ pool: name }, 0);
    pool.on('acquireFail', () => {
      failed.inc({ pool: name });
    });
  }
  const refused = new Counter({
    name: 'malipo_database_refused_writes_total',
    help: 'Statements of this process that a server refused, because it is read-only or its disk is full.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of rejectionReasons) refused.inc({ reason }, 0);
  onRejection((reason) => {
    refused.inc({ reason });
  });
}

// The lag of each replica, by the heartbeat that every API process writes twice a second. This needs only the right to
// read that table. It measures the path of a payment's rows, independent of what the server reports.

interface Replicas extends Figures {
  close(): Promise<void>;
}

/** @param urls of the replicas, such as `mysql://user:password@replica-1/malipo`. The label is host and port. */
export function replicaFigures(registers: Registry[], urls: readonly string[]): Replicas {
  const lag = new Gauge({
    name: 'malipo_database_replica_lag_seconds',
    help: 'Age of the newest heartbeat of an API process in a replica of the database; 0.5 or less without lag.',
    labelNames: ['replica'],
    registers,
  });
  const answers = new Gauge({
    name: 'malipo_database_replica_up',
    help: 'Whether a replica of the database answers: 1 or 0.',
    labelNames: ['replica'],
    registers,
  });
  const replicas = urls.map((url) => ({
    replica: new URL(url).host,
    db: openDatabase(url, { poolMax: 1, patienceMs: 3_000 }),
  }));
  return {
    what: 'a replica of the database',
    everyMs: 10_000,
    async show() {
      const checked = await Promise.allSettled(
        replicas.map(async ({ replica, db }) => {
          const seconds = await behindSeconds(db).catch((error: unknown) => {
            answers.set({ replica }, 0);
            // The last value is out of date, and would hide that the replica is down.
            lag.remove({ replica });
            throw error;
          });
          answers.set({ replica }, 1);
          lag.set({ replica }, seconds);
        }),
      );
      const failed = checked.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
    async close() {
      await Promise.all(replicas.map(({ db }) => db.destroy()));
    },
  };
}

/** Both times come from database servers. If their clocks differ, another alert fires. */
async function behindSeconds(db: Database): Promise<number> {
  const [rows] = (await db.raw(
    'SELECT TIMESTAMPDIFF(MICROSECOND, MAX(seen_at), UTC_TIMESTAMP(6)) AS micros FROM processes',
  )) as unknown as [{ micros: string | number | null }[]];
  return Math.max(0, Number(rows[0]?.micros ?? NaN)) / 1e6;
}
