/** Keeps the started processes running, and stops them in reverse order. */
import { setTimeout as delay } from 'node:timers/promises';
import { stopInOrder, type ChildProcess, type Service } from './services/child-process';
import { say } from './services/progress';

/** The delay before a restart, doubled with each death in a row. All callers wait for it. */
const pause = { firstMs: 500, longestMs: 5_000 };
/** After this time, a process has recovered: its next death starts with the short delay again. */
const recoveredMs = 60_000;

export interface Supervisor {
  /** Resolves when the service is ready; from then on it is restarted whenever it dies. */
  start(service: Service): Promise<void>;
  stop(): Promise<void>;
}

/** @param deaths how often in a row the process has died before */
export function pauseAfterMs(deaths: number): number {
  return Math.min(pause.longestMs, pause.firstMs * 2 ** deaths);
}

export function supervisor(): Supervisor {
  const running = new Map<Service, ChildProcess>();
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;

  async function bringUp(service: Service): Promise<ChildProcess> {
    stopping.signal.throwIfAborted();
    const child = await service.spawn();
    running.set(service, child);
    // A stop that came while the process was being created did not include it.
    if (isStopping()) await child.stop();
    await service.ready(child);
    return child;
  }

  async function keepUp(service: Service, first: ChildProcess): Promise<void> {
    let child = first;
    let deaths = 0;
    while (!isStopping()) {
      const since = Date.now();
      const how = await child.exited;
      if (isStopping()) return;
      if (Date.now() - since > recoveredMs) deaths = 0;
      say(`! ${service.name} ended with ${how}; restarting it (its log: ${child.logFile})`);
      try {
        await delay(pauseAfterMs(deaths), undefined, { signal: stopping.signal });
        child = await bringUp(service);
        say(`✓ ${service.name} is running again`);
      } catch (error) {
        if (isStopping()) return;
        say(`! ${error instanceof Error ? error.message : String(error)}`);
      }
      deaths += 1;
    }
  }

  return {
    async start(service) {
      const child = await bringUp(service);
      void keepUp(service, child);
    },
    async stop() {
      stopping.abort(new Error('the sandbox is being stopped'));
      await stopInOrder(running, ({ name }) => {
        say(`stopping ${name}`);
      });
    },
  };
}
