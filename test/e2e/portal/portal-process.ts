/** The portal as a separate process beside a stack, which can be killed and restarted. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, whenReady, type ChildProcess } from '../../../tools/sandbox/services/child-process';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { answersOk } from '../../../tools/sandbox/services/wait-for';
import { shortLived } from '../../support/short-lived';

const bundle = join(__dirname, '..', '..', '..', 'dist', 'bundle', 'portal.js');

export interface PortalProcess {
  url: string;
  /** kill -9 of the running process. */
  kill(): void;
  /** Resolves after the process has died and is running again. */
  again(): Promise<void>;
  stop(): Promise<void>;
}

/** @param env the stack's environment; its database may be behind a proxy. */
export async function startPortalProcess(env: Record<string, string>): Promise<PortalProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-portal-'));
  const [port, healthPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${String(port)}`;
  const health = `127.0.0.1:${String(healthPort)}`;
  async function start(): Promise<ChildProcess> {
    const child = await startChild({
      name: "the test's portal",
      command: process.execPath,
      args: [...shortLived, bundle],
      env: {
        ...{ PATH: process.env.PATH, ...env },
        ...{ MALIPO_PORTAL_URL: url, MALIPO_PORTAL_PORT: String(port), MALIPO_PORTAL_HEALTH: health },
      },
      logFile: join(folder, 'portal.log'),
    });
    await whenReady(child, () => answersOk(`http://${health}/readyz`), {
      what: child.name,
      timeoutMs: 60_000,
    });
    return child;
  }
  let running = await start();
  return {
    url,
    kill: () => process.kill(-running.pid, 'SIGKILL'),
    async again() {
      await running.exited;
      running = await start();
    },
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
