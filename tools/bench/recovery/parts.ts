/** The parts of the stack: the current process of each, and since when it is ready. */
import type { ChildProcess, Service } from '../../sandbox/services/child-process';
import { waitFor } from '../../sandbox/services/wait-for';
import { supervisor, type Supervisor } from '../../sandbox/supervisor';
import { clockMs } from '../load/payment';

export interface Parts extends Supervisor {
  /** kill -9, then waits until the supervisor has restarted it. @returns the time, by `clockMs`. */
  killUntilBack(name: string): Promise<number>;
}

interface Part {
  child?: ChildProcess;
  readyAt: number[];
}

const backWithinMs = 60_000;

/** The supervisor of `npm start`, and a record of its restarts. */
export function watchedParts(): Parts {
  const keeper = supervisor();
  const parts = new Map<string, Part>();
  return {
    start(service: Service) {
      const part: Part = { readyAt: [] };
      parts.set(service.name.replace('the ', ''), part);
      return keeper.start({
        ...service,
        async spawn() {
          return (part.child = await service.spawn());
        },
        async ready(child) {
          await service.ready(child);
          part.readyAt.push(clockMs());
        },
      });
    },
    stop: () => keeper.stop(),
    async killUntilBack(name) {
      const part = parts.get(name);
      if (!part?.child) throw new Error(`there is no part ${name}`);
      const before = part.readyAt.length;
      process.kill(-part.child.pid, 'SIGKILL');
      return waitFor(() => Promise.resolve(part.readyAt[before]), {
        what: `${name} to be back`,
        timeoutMs: backWithinMs,
        everyMs: 10,
      });
    },
  };
}
