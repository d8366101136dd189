import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../store/database';
import { databaseAheadMs } from '../../store/database-clock';
import type { Figures } from './figures';

/** Leases, claims and due times are of the database's clock, the ages of payments of ours. */
export function databaseClock(registers: Registry[], db: Database): Figures {
  const ahead = new Gauge({
    name: 'database_clock_ahead_seconds',
    help: "By how much the database's clock is ahead of this process's at least; below zero for behind.",
    registers,
  });
  return {
    what: "the database's clock",
    everyMs: 30_000,
    async show() {
      ahead.set((await databaseAheadMs(db)) / 1_000);
    },
  };
}
