/** Keeps what it started running, and ends it in the reverse order. */
import { setTimeout as delay } from 'node:timers/promises';
import { stopInOrder, type ChildProcess, type Service } from './services/child-process';
import { say } from './services/progress';

/** The pause before a process is started again, doubled with each death in a row. Everybody waits for it meanwhile. */
const pause = { firstMs: 500, longestMs: 5_000 };
/** A process that lived this long has recovered: its next death starts with the short pause again. */
const recoveredMs = 60_000;

export interface Supervisor {
  /** Resolves when the service is ready; from then on it is started again whenever it dies. */
  start(service: Service): Promise<void>;
  stop(): Promise<void>;
}

/** @param deaths how often the process has died in a row before this time */
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
    // A stop that came while the process was being made did not see it yet.
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
      say(`! ${service.name} ended with ${how}; starting it again (its log: ${child.logFile})`);
      try {
        await delay(pauseAfterMs(deaths), undefined, { signal: stopping.signal });
        child = await bringUp(service);
        say(`✓ ${service.name} is up again`);
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
