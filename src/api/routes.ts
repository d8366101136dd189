import type { Express, Request, Response } from 'express';
import { PaymentError } from '../domain/errors';
import { currentRequest } from './request-context';

export type Handler = (request: Request, response: Response) => Promise<void>;

export interface Route {
  method: 'GET' | 'HEAD' | 'POST';
  path: string;
  handle: Handler;
}

/**
 * Mounts routes by path, so that a known path answers another method with 405 and `Allow`. Express would answer HEAD
 * with the GET handler, and a GET that captures a payment must not run for a link preview.
 */
export function mountRoutes(app: Express, routes: Route[]): void {
  const byPath = new Map<string, Map<string, Handler>>();
  for (const { method, path, handle } of routes) {
    const handlers = byPath.get(path) ?? new Map<string, Handler>();
    if (handlers.has(method)) throw new Error(`${method} ${path} is declared twice`);
    byPath.set(path, handlers.set(method, handle));
  }
  for (const [path, handlers] of byPath) {
    const allowed = [...handlers.keys()].join(', ');
    app.all(path, (request, response) => {
      const context = currentRequest();
      if (context) context.route = path;
      const handle = handlers.get(request.method);
      if (handle) return handle(request, response);
      response.setHeader('Allow', allowed);
      throw new PaymentError('METHOD_NOT_ALLOWED', {
        message: `Method not allowed. Use ${allowed.replace(', ', ' or ')} request`,
      });
    });
  }
}
