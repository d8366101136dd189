/** The connections that a process holds to the database, read whenever the metrics are. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { poolOf, openDatabase, type Database } from '../../store/database';
import type { Figures } from './figures';

/** @param pools by a name for each, of a few. */
export function showPools(registers: Registry[], pools: Record<string, Database>): void {
  const labelled = Object.entries(pools).map(([name, db]) => ({ name, pool: poolOf(db) }));
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections to the database that are in use, or free.',
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
    name: 'database_pool_waiting',
    help: 'Callers that wait for a connection, because all are in use.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const { name, pool } of labelled) this.set({ pool: name }, pool.numPendingAcquires());
    },
  });
  const failed = new Counter({
    name: 'database_pool_timeouts_total',
    help: 'Callers that got no connection in time: all were in use, or the database took none.',
    labelNames: ['pool'],
    registers,
  });
  for (const { name, pool } of labelled) {
    failed.inc({ pool: name }, 0);
    pool.on('acquireFail', () => {
      failed.inc({ pool: name });
    });
  }
}

// How far copies of the database are behind, told by the sign of life that every API process writes twice a second: it
// needs no right beyond reading that table, and measures the way that a payment's rows take, whatever the server says.

interface Replicas extends Figures {
  close(): Promise<void>;
}

/** @param urls of the copies, such as `mysql://user:password@replica-1/malipo`: named by their host and port. */
export function replicaFigures(registers: Registry[], urls: readonly string[]): Replicas {
  const lag = new Gauge({
    name: 'database_replica_lag_seconds',
    help: 'How old the newest sign of life of an API process is at a copy of the database: half a second where it keeps up.',
    labelNames: ['replica'],
    registers,
  });
  const answers = new Gauge({
    name: 'database_replica_up',
    help: 'Whether a copy of the database answers: 1 or 0.',
    labelNames: ['replica'],
    registers,
  });
  const replicas = urls.map((url) => ({
    replica: new URL(url).host,
    db: openDatabase(url, { poolMax: 1, patienceMs: 3_000 }),
  }));
  return {
    what: 'a copy of the database',
    everyMs: 10_000,
    async show() {
      const looked = await Promise.allSettled(
        replicas.map(async ({ replica, db }) => {
          const seconds = await behindSeconds(db).catch((error: unknown) => {
            answers.set({ replica }, 0);
            // What it said last is true no more, and would only hide that it is gone.
            lag.remove({ replica });
            throw error;
          });
          answers.set({ replica }, 1);
          lag.set({ replica }, seconds);
        }),
      );
      const failed = looked.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
    async close() {
      await Promise.all(replicas.map(({ db }) => db.destroy()));
    },
  };
}

/** Both times are of database servers, whose clocks agree or are an alert by themselves. */
async function behindSeconds(db: Database): Promise<number> {
  const [rows] = (await db.raw(
    'SELECT TIMESTAMPDIFF(MICROSECOND, MAX(seen_at), UTC_TIMESTAMP(6)) AS micros FROM processes',
  )) as unknown as [{ micros: string | number | null }[]];
  return Math.max(0, Number(rows[0]?.micros ?? NaN)) / 1e6;
}
