/** A worker says that it runs, as the API does with its lease: what old code needs is not taken away from under it. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import type { Log } from '../domain/log';
import type { Database } from '../store/database';
import { forgetProcess, showAlive } from '../store/processes';

const everyMs = 5_000;

export interface SignOfLife {
  stop(): Promise<void>;
}

export function startSignOfLife(db: Database, log: Log): SignOfLife {
  const processId = uuid();
  const stopping = new AbortController();
  const attempt = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      log.warn('this process could not say whether it runs', { error });
    });
  async function repeat({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      await attempt(showAlive(db, processId, 'worker'));
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
  const showing = repeat(stopping);
  return {
    async stop() {
      stopping.abort();
      await showing;
      await attempt(forgetProcess(db, processId));
    },
  };
}
