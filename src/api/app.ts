import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../config';
import { PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import type { RequestLog } from '../merchants/request-log';
import type { PartDescription } from '../rail-kit/description';
import type { AnyEndpoint } from '../rail-kit/endpoint';
import type { NotificationRoute } from '../rail-kit/rail';
import { readTraceparent, type Scopes } from '../telemetry/tracing/scope';
import { announcing, checkDeprecations, deprecations, type Deprecations } from './deprecations';
import { endpointHandler, type EndpointServices } from './endpoint-handler';
import { errorHandler } from './errors';
import { healthRoutes } from './health';
import { notificationHandler, type NotificationServices } from './notification-handler';
import { openApiRoutes } from './openapi/document';
import { ownDescription } from './own-endpoints';
import { currentRequest, withRequestContext, type RequestContext } from './request-context';
import { requestsPath } from './requests';
import { mountRoutes, type Route } from './routes';

export interface AppServices extends EndpointServices, NotificationServices {
  config: Pick<Config, 'environment' | 'publicUrl' | 'timezone' | 'trustedProxies'>;
  /** Endpoints that belong to no rail, and share a lane of their own. */
  endpoints: AnyEndpoint[];
  rails: MountedRail[];
  /** Those of this build unless told. */
  deprecations?: Deprecations;
  /** Absent where requests are not traced. */
  scopes?: Scopes | undefined;
  /** Told of each request with right keys, once it is over. */
  requests: Pick<RequestLog, 'note'>;
  /** Why nothing can be done for anybody now, or undefined. */
  misfit(): string | undefined;
  metrics: EndpointServices['metrics'] & {
    request(route: string, status: number, seconds: number): void;
    acceptance(rail: string, status: number, seconds: number): void;
  };
}

/** What one rail serves: its `Rail`, asked for with what the API lends it. */
export interface MountedRail {
  name: string;
  endpoints: AnyEndpoint[];
  /** The same, for callers who prove nothing: what they use up is not what merchants with keys need. */
  forStrangers: AnyEndpoint[];
  notificationRoutes: NotificationRoute[];
  description: PartDescription;
}

/** The API answers JSON only, so a browser is told to load, frame and sniff nothing. */
function securityHeaders({ environment }: Pick<Config, 'environment'>): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    // In sandbox the API is plain http on a local address, which a browser would then refuse to open.
    strictTransportSecurity: environment === 'live',
  });
}

/** One line and one count per request, once it is over. */
function observed({
  log,
  metrics,
  requests,
}: Pick<AppServices, 'log' | 'metrics' | 'requests'>): RequestHandler {
  return (request, response, next) => {
    const begun = process.hrtime.bigint();
    const context = currentRequest();
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
      const route = context?.route ?? 'unknown';
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.request(route, status, seconds);
      if (context?.starts !== undefined) metrics.acceptance(context.starts, status, seconds);
      noteFor(requests, context, { method: request.method, status, seconds });
      log.debug('request', {
        method: request.method,
        route,
        status,
        duration_ms: Math.round(seconds * 1000),
        merchant_id: context?.merchantId,
      });
    });
    next();
  };
}

/**
 * Only what was asked with right keys: whoever has none could fill the log of any merchant. Reading the log leaves no trace
 * in it, nor does a poll of the feed that brought nothing: else a terminal that follows either would see little else.
 */
function noteFor(
  requests: AppServices['requests'],
  context: RequestContext | undefined,
  { method, status, seconds }: { method: string; status: number; seconds: number },
): void {
  if (context?.merchantId === undefined || !context.isProven) return;
  if (context.route === requestsPath || context.isQuiet) return;
  const { merchantId, requestId, route, code = null } = context;
  const took = { status, code, duration_ms: Math.round(seconds * 1000) };
  requests.note({ merchant_id: merchantId, request_id: requestId, method, path: route, ...took });
}

const neverCached: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** Whatever is asked for needs the database, save whether the process lives. */
function closedWhile(misfit: () => string | undefined): RequestHandler {
  return (request, _response, next) => {
    const detail = healthRoutes.some(({ path }) => path === request.path) ? undefined : misfit();
    if (detail !== undefined) throw new PaymentError('SERVICE_UNAVAILABLE', { detail });
    next();
  };
}

const unknownPath: RequestHandler = () => {
  throw new PaymentError('NOT_FOUND');
};

function routesOf(services: AppServices, refusals: Log): Route[] {
  const own: MountedRail = {
    name: 'malipo',
    endpoints: services.endpoints,
    forStrangers: [],
    notificationRoutes: [],
    description: ownDescription,
  };
  const mounted = [own, ...services.rails];
  return [
    ...healthRoutes,
    ...openApiRoutes(mounted, services.config.publicUrl, services.deprecations),
    ...mounted.flatMap(({ name: rail, endpoints, forStrangers }) =>
      endpoints.map((endpoint) => ({
        ...endpoint,
        handle: endpointHandler(services, {
          rail,
          endpoint,
          forStrangers: forStrangers.find(
            ({ method, path }) => method === endpoint.method && path === endpoint.path,
          ),
        }),
      })),
    ),
    ...services.rails.flatMap(({ name, notificationRoutes }) =>
      notificationRoutes.map((route) => ({
        ...route,
        handle: notificationHandler({ ...services, log: refusals }, name, route),
      })),
    ),
  ];
}

export function createApp(services: AppServices): Express {
  const app = express();
  const refusals = sparingLog(services.log);
  app.set('etag', false);
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.use(withRequestContext, observed(services), securityHeaders(services.config), neverCached);
  if (services.scopes) app.use(traceRequests(services.scopes));
  app.use(closedWhile(services.misfit));
  const going = services.deprecations ?? deprecations;
  checkDeprecations(going);
  const routes = routesOf(services, refusals).map((route) => announcing(going, route));
  mountRoutes(app, routes);
  app.use(unknownPath);
  app.use(errorHandler({ ...services, sparingLog: refusals }));
  return app;
}

/**
 * Opens a step for each request. It is written where the request has turned out to be about a payment: whoever asks for a
 * balance, or is refused before anything was written, has no trace. The caller's own trace is linked, and not continued,
 * since a payment outlives the call that begins it.
 */
function traceRequests(scopes: Scopes): RequestHandler {
  return (request, response, next) => {
    const { method } = request;
    const caller = readTraceparent(request.headers.traceparent);
    const attributes = { 'http.request.method': method };
    scopes.open({ name: method, kind: 'server', attributes, links: caller ? [caller] : [] }, (open) => {
      const context = currentRequest();
      response.once('close', () => {
        const { route = 'unknown', merchantId, starts } = context ?? {};
        const status = response.writableFinished ? response.statusCode : 499;
        open.note({
          name: `${method} ${route}`,
          attributes: {
            'http.route': route,
            'http.response.status_code': status,
            'malipo.merchant.id': merchantId,
            ...(starts !== undefined && { 'malipo.rail': starts }),
          },
          hasFailed: status >= 500,
        });
        open.end();
      });
      next();
    });
  };
}

// A log for what anybody may cause as often as they like: a flood of refusals must fill no disk.

/** Of `info` and `warn` together; what goes wrong with us is always written. */
const linesPerSecond = 20;

/** Writes so many lines in each second, and later how many there were besides. */
export function sparingLog(log: Log, now: () => number = Date.now): Log {
  let second = 0;
  let lines = 0;
  let leftOut = 0;
  const sparing =
    (level: 'info' | 'warn'): Log['info'] =>
    (message, fields) => {
      const current = Math.floor(now() / 1_000);
      if (current !== second) {
        if (leftOut > 0) log.warn('refusals were not logged, as there were too many', { count: leftOut });
        [second, lines, leftOut] = [current, 0, 0];
      }
      lines += 1;
      if (lines > linesPerSecond) leftOut += 1;
      else log[level](message, fields);
    };
  return { ...log, info: sparing('info'), warn: sparing('warn') };
}
