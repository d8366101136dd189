/** For operators and their machines: is it alive, can it work, what has it done. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../domain/log';
import type { Handler, Route } from './routes';
import { sendJson } from './send';

/** Something without which no payment can be taken. */
export interface ReadinessCheck {
  name: string;
  /** Throws when it is not there. */
  check(): Promise<void>;
}

export interface HealthServices {
  readiness: ReadinessCheck[];
  metrics: { contentType: string; expose(): Promise<string> };
  log: Log;
}

const checkTimeoutMs = 2_000;

async function isReady({ name, check }: ReadinessCheck, log: Log): Promise<boolean> {
  const timer = new AbortController();
  try {
    const tooLate = delay(checkTimeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`no answer in ${String(checkTimeoutMs)} ms`);
    });
    await Promise.race([check(), tooLate]);
    return true;
  } catch (error) {
    log.warn('not ready', { check: name, error });
    return false;
  } finally {
    timer.abort();
  }
}

export function healthRoutes({ readiness, metrics, log }: HealthServices): Route[] {
  const handlers: Record<string, Handler> = {
    '/healthz': (_request, response) => {
      sendJson(response, 200, { status: 'alive' });
      return Promise.resolve();
    },
    '/readyz': async (_request, response) => {
      // The reason of a failure is for the log: this page is open to anybody.
      const checks = await Promise.all(
        readiness.map(async (one) => [one.name, (await isReady(one, log)) ? 'ok' : 'failed'] as const),
      );
      const ready = checks.every(([, result]) => result === 'ok');
      const body = { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(checks) };
      sendJson(response, ready ? 200 : 503, body);
    },
    '/metrics': async (_request, response) => {
      const text = await metrics.expose();
      response.status(200).setHeader('Content-Type', metrics.contentType).end(text);
    },
  };
  return Object.entries(handlers).flatMap(([path, handle]) => [
    { method: 'GET' as const, path, handle },
    { method: 'HEAD' as const, path, handle },
  ]);
}
