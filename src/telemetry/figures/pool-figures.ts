/** The connections that a process holds to the database, read whenever the metrics are. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { poolOf, type Database } from '../../store/database';

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
