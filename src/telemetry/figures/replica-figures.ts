/**
 * How far copies of the database are behind, told by the sign of life that every API process writes twice a second: it
 * needs no right beyond reading that table, and measures the way that a payment's rows take, whatever the server says.
 */
import { Gauge, type Registry } from 'prom-client';
import { openDatabase, type Database } from '../../store/database';
import type { Figures } from './figures';

export interface Replicas extends Figures {
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
