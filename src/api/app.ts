import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../config';
import { closestAmong } from '../domain/closest';
import { PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import type { RequestLog } from '../merchants/request-log';
import type { PartDescription } from '../rail-kit/description';
import type { AnyEndpoint } from '../rail-kit/endpoint';
import type { NotificationRoute } from '../rail-kit/rail';
import { readTraceparent, type Scopes } from '../telemetry/tracing/scope';
import { createAccessLog, sparingLog } from './access-log';
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
  /** Endpoints that belong to no rail. They share a concurrency limit. */
  endpoints: AnyEndpoint[];
  rails: MountedRail[];
  /** By default, the deprecations of this build. */
  deprecations?: Deprecations;
  /** Absent if requests are not traced. */
  scopes?: Scopes | undefined;
  /** Gets each authenticated request when it has ended. */
  requests: Pick<RequestLog, 'note'>;
  /** Why the service cannot serve any request now, or undefined. */
  misfit(): string | undefined;
  metrics: EndpointServices['metrics'] & {
    request(route: string, status: number, seconds: number): void;
    submissionResult(rail: string, status: number, seconds: number): void;
  };
}

/** The endpoints of one rail, and the `Rail` with the services that the API provides to it. */
export interface MountedRail {
  name: string;
  endpoints: AnyEndpoint[];
  /** The same for unauthenticated callers, who use separate resources. */
  unauthenticatedEndpoints: AnyEndpoint[];
  notificationRoutes: NotificationRoute[];
  description: PartDescription;
}

/** The API answers only JSON, so browsers may not load, frame or sniff anything. */
function securityHeaders({ environment }: Pick<Config, 'environment'>): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    // The sandbox is plain http on a local address. With this header, a browser would refuse to open it.
    strictTransportSecurity: environment === 'live',
  });
}

/** One log line and one metric count per request, when the request has ended. */
function observed({
  config,
  log,
  metrics,
  requests,
}: Pick<AppServices, 'config' | 'log' | 'metrics' | 'requests'>): RequestHandler {
  const logCall = createAccessLog(log, config.trustedProxies);
  return (request, response, next) => {
    const begun = process.hrtime.bigint();
    const context = currentRequest();
    const { remoteAddress: socketAddress } = request.socket;
    response.once('close', () => {
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
      const route = context?.route ?? 'unknown';
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.request(route, status, seconds);
      if (context?.starts !== undefined) metrics.submissionResult(context.starts, status, seconds);
      const { method } = request;
      noteFor(requests, context, { method, status, seconds });
      const forwardedFor = request.headers['x-forwarded-for'];
      logCall({ context, method, status, seconds, socketAddress, forwardedFor });
    });
    next();
  };
}

/**
 * Only authenticated requests: other callers could fill the log of any merchant. Reads of the log are not listed, and
 * neither are polls of the feed that return nothing. Otherwise a terminal that follows either would show little else.
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

/** Every request except liveness needs the database. */
function closedWhile(misfit: () => string | undefined): RequestHandler {
  return (request, _response, next) => {
    const detail = healthRoutes.some(({ path }) => path === request.path) ? undefined : misfit();
    if (detail !== undefined) throw new PaymentError('SERVICE_UNAVAILABLE', { detail });
    next();
  };
}

/** @param paths of the merchants' endpoints: a provider's address has a secret in it, and is never suggested. */
function unknownPath(paths: readonly string[]): RequestHandler {
  const closest = closestAmong(paths);
  return (request) => {
    const meant = closest(request.path);
    const advice =
      request.path === '/' ? '/openapi.json describes all endpoints.' : meant && `Did you mean ${meant}?`;
    throw new PaymentError('NOT_FOUND', advice === undefined ? {} : { advice });
  };
}

function routesOf(services: AppServices, errors: Log): Route[] {
  const own: MountedRail = {
    name: 'malipo',
    endpoints: services.endpoints,
    unauthenticatedEndpoints: [],
    notificationRoutes: [],
    description: ownDescription,
  };
  const mounted = [own, ...services.rails];
  return [
    ...healthRoutes,
    ...openApiRoutes(mounted, services.config.publicUrl, services.deprecations),
    ...mounted.flatMap(({ name: rail, endpoints, unauthenticatedEndpoints }) =>
      endpoints.map((endpoint) => ({
        ...endpoint,
        handle: endpointHandler(services, {
          rail,
          endpoint,
          unauthenticatedEndpoints: unauthenticatedEndpoints.find(
            ({ method, path }) => method === endpoint.method && path === endpoint.path,
          ),
        }),
      })),
    ),
    ...services.rails.flatMap(({ name, notificationRoutes }) =>
      notificationRoutes.map((route) => ({
        ...route,
        handle: notificationHandler({ ...services, log: errors }, name, route),
      })),
    ),
  ];
}

export function createApp(services: AppServices): Express {
  const app = express();
  const errors = sparingLog(services.log);
  app.set('etag', false);
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.use(withRequestContext, observed(services), securityHeaders(services.config), neverCached);
  if (services.scopes) app.use(traceRequests(services.scopes));
  app.use(closedWhile(services.misfit));
  const going = services.deprecations ?? deprecations;
  checkDeprecations(going);
  const routes = routesOf(services, errors).map((route) => announcing(going, route));
  mountRoutes(app, routes);
  const ofMerchants = [...services.endpoints, ...services.rails.flatMap(({ endpoints }) => endpoints)];
  app.use(unknownPath(ofMerchants.map(({ path }) => path)));
  app.use(errorHandler({ ...services, sparingLog: errors }));
  return app;
}

/**
 * Opens a span for each request. It is exported only if the request concerns a payment. A balance query, or a request
 * that is rejected before anything is written, has no trace. The caller's own trace is linked and not continued, since
 * a payment outlives the call that starts it.
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
