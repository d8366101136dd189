/** What is known about the request being served: its id goes on every answer and every line logged meanwhile. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import { v7 as uuidV7 } from 'uuid';

export interface RequestContext {
  requestId: string;
  /** The path as declared, without the ids and tokens of this call: a bounded set, fit for metrics. */
  route: string;
  merchantId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Anything else could forge log lines or be somebody's secret, so it is replaced rather than passed on. */
const acceptableId = /^[A-Za-z0-9._-]{8,80}$/;

function requestIdOf(inbound: string | string[] | undefined): string {
  return typeof inbound === 'string' && acceptableId.test(inbound) ? inbound : uuidV7();
}

/** The request that the caller of this function serves; undefined outside of one. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** Opens the context: what runs below sees the request id, and the answer carries it. */
export const withRequestContext: RequestHandler = (request, response, next) => {
  const requestId = requestIdOf(request.headers['x-request-id']);
  response.setHeader('X-Request-Id', requestId);
  storage.run({ requestId, route: 'unknown' }, next);
};
