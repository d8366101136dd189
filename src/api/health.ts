/** For operators and their machines: is it alive, can it work, what has it done. */
import express, { type Express } from 'express';
import { setTimeout as delay } from 'node:timers/promises';
import { PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import { errorHandler } from './errors';
import { mountRoutes, type Handler, type Route } from './routes';
import { sendJson } from './send';
import { siteHandler } from './site';

/** Something without which no payment can be taken. */
export interface ReadinessCheck {
  name: string;
  /** Callbacks are taken and kept without it: it is no reason for a load balancer to send nobody here. */
  callbacksGoOn?: true;
  /** Throws when it is not there. */
  check(): Promise<void>;
}

export interface HealthServices {
  readiness: ReadinessCheck[];
  metrics: { contentType: string; expose(): Promise<string> };
  log: Log;
  /** Where the documentation was written, if it is served. */
  siteFolder?: string;
}

const checkTimeoutMs = 2_000;

export async function isReady({ name, check }: ReadinessCheck, log: Log): Promise<boolean> {
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

const alive: Handler = (_request, response) => {
  sendJson(response, 200, { status: 'alive' });
  return Promise.resolve();
};

function routesFor(handlers: Record<string, Handler>): Route[] {
  return Object.entries(handlers).flatMap(([path, handle]) => [
    { method: 'GET' as const, path, handle },
    { method: 'HEAD' as const, path, handle },
  ]);
}

function answerOf(asked: readonly ReadinessCheck[], log: Log): Handler {
  return async (_request, response) => {
    // The reason of a failure is for the log: a load balancer's page may show this one.
    const checks = await Promise.all(
      asked.map(async (one) => [one.name, (await isReady(one, log)) ? 'ok' : 'failed'] as const),
    );
    const ready = checks.every(([, result]) => result === 'ok');
    const body = { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(checks) };
    sendJson(response, ready ? 200 : 503, body);
  };
}

/** On the merchants' port: it lives. What it depends on and what it has done is nobody's business there. */
export const healthRoutes: readonly Route[] = routesFor({ '/healthz': alive });

/** Everything that the operations port serves. */
export function createOpsApp({ readiness, metrics, log, siteFolder }: HealthServices): Express {
  const app = express();
  app.disable('x-powered-by').set('etag', false);
  const handlers: Record<string, Handler> = {
    '/healthz': alive,
    '/readyz': answerOf(readiness, log),
    '/servez': answerOf(
      readiness.filter(({ callbacksGoOn }) => !callbacksGoOn),
      log,
    ),
    '/metrics': async (_request, response) => {
      const text = await metrics.expose();
      response.status(200).setHeader('Content-Type', metrics.contentType).end(text);
    },
  };
  mountRoutes(app, routesFor(handlers));
  if (siteFolder !== undefined) app.use('/docs', siteHandler(siteFolder));
  app.use(() => {
    throw new PaymentError('NOT_FOUND');
  });
  app.use(errorHandler({ config: { timezone: 'UTC' }, log, sparingLog: log }));
  return app;
}
