import type { RequestHandler } from 'express';
import { readTraceparent } from '../telemetry/tracing/ids';
import type { Scopes } from '../telemetry/tracing/scope';
import { currentRequest } from './request-context';

/**
 * Opens a step for each request. It is written where the request has turned out to be about a payment: whoever asks for a
 * balance, or is refused before anything was written, has no trace. The caller's own trace is linked, and not continued,
 * since a payment outlives the call that begins it.
 */
export function traceRequests(scopes: Scopes): RequestHandler {
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
