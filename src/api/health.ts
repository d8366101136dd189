/** For operators and their machines: is it alive, can it work, what has it done. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import { errorHandler, sendJson } from './errors';
import { mountRoutes, type Handler, type Route } from './routes';

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

// The documentation, as `npm run docs` has written it: read once, and served so that only its own files can run.

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
const policy = `${nothing}; style-src 'self'`;

/** What Redoc draws. Of its style sheets it fills one that is empty at first, and one is that of its scroll bars. */
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

/** Only what was written lies in it: no name that is asked for reaches the disk. */
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
