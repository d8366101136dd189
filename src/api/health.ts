/** Liveness, readiness and metrics, for operators and their machines. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import { errorHandler, sendJson } from './errors';
import { mountRoutes, type Handler, type Route } from './routes';

/** A dependency without which no payment can be created. */
export interface ReadinessCheck {
  name: string;
  /** Notifications are stored without it, so a load balancer still sends requests here when it is missing. */
  callbacksGoOn?: true;
  /** Throws when the dependency cannot be reached. */
  check(): Promise<void>;
}

export interface HealthServices {
  readiness: ReadinessCheck[];
  metrics: { contentType: string; expose(): Promise<string> };
  log: Log;
  /** The folder of the built documentation, if it is served. */
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
    // The reason of a failure goes to the log only: a load balancer may show this page publicly.
    const checks = await Promise.all(
      asked.map(async (one) => [one.name, (await isReady(one, log)) ? 'ok' : 'failed'] as const),
    );
    const ready = checks.every(([, result]) => result === 'ok');
    const body = { status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(checks) };
    sendJson(response, ready ? 200 : 503, body);
  };
}

/** On the merchants' port: liveness only. Dependencies and metrics are not public. */
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
  const served = [...Object.keys(handlers), ...(siteFolder === undefined ? [] : ['/docs/'])];
  app.use(({ path }) => {
    throw new PaymentError('NOT_FOUND', path === '/' ? { advice: `Here are ${served.join(', ')}.` } : {});
  });
  app.use(errorHandler({ config: { timezone: 'UTC' }, log, sparingLog: log }));
  return app;
}

// The documentation that `npm run docs` wrote. It is read once. Its policy lets only its own files run, and they may load
// only its own files.

interface File {
  type: string;
  body: Buffer;
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const policy = `${nothing}; script-src 'self'; connect-src 'self'; style-src 'self'`;

/** The policy for Redoc. It fills one style sheet that is empty at first, and adds one for its scroll bars. */
const drawnFolder = 'reference/';
const sheetsOfRedoc = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
];
const drawnPolicy = [
  nothing,
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  `style-src 'self' ${sheetsOfRedoc.join(' ')}`,
].join('; ');

/** The map holds only built files, so a requested name never reaches the disk. */
function filesIn(folder: string): Map<string, File> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const type = types[extname(name)];
      if (type === undefined) return [];
      return [[name.replaceAll('\\', '/'), { type, body: readFileSync(join(folder, name)) }] as const];
    }),
  );
}

/** Mounted at `/docs`. */
function siteHandler(folder: string): RequestHandler {
  const files = filesIn(folder);
  return (request: Request, response: Response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [pathname] = request.originalUrl.split('?');
    if (isRead && pathname === '/docs' && files.size > 0) {
      response.redirect(308, '/docs/');
      return;
    }
    const name = request.path.slice(1);
    const file = isRead
      ? files.get(name === '' || name.endsWith('/') ? `${name}index.html` : name)
      : undefined;
    if (!file) {
      next();
      return;
    }
    response.setHeader('Content-Type', file.type);
    response.setHeader('Content-Security-Policy', name.startsWith(drawnFolder) ? drawnPolicy : policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.status(200).end(file.body);
  };
}
