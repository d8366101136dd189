/** A worker says that it runs, as the API does with its lease: what old code needs is not taken away from under it. */
import { v7 as uuid } from 'uuid';
import type { Log } from '../domain/log';
import { repeat, type Repeating } from '../domain/repeat';
import type { Database } from '../store/database';
import { forgetProcess, showAlive } from '../store/processes';

const everyMs = 5_000;

export function startSignOfLife(db: Database, log: Log): Repeating {
  const processId = uuid();
  const otherwise = 'this process could not say whether it runs';
  const showing = repeat(() => showAlive(db, processId, 'worker'), { everyMs, firstMs: 0, log, otherwise });
  return {
    async stop() {
      await showing.stop();
      await forgetProcess(db, processId).catch((error: unknown) => {
        log.warn(otherwise, { error });
      });
    },
  };
}
