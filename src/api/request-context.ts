/** What is known about the request being served: its id goes on every answer and every line logged meanwhile. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import { v7 as uuidV7 } from 'uuid';
import { holdsCardNumber } from '../domain/card-number';
import type { ErrorCode } from '../domain/errors';

export interface RequestContext {
  requestId: string;
  /** The path as declared, without the ids and tokens of this call: a bounded set, fit for metrics. */
  route: string;
  merchantId?: string;
  /** It was called with the merchant's keys, and not by somebody who only named it. */
  isProven?: true;
  /** What it was refused with. */
  code?: ErrorCode;
  /** Whose endpoint it is, where the call may start something: see `acceptance` in telemetry/metrics.ts. */
  starts?: string;
  /** It is asked again and again, and brought nothing: no line in the merchant's log of requests. */
  isQuiet?: true;
  /** When it came, in milliseconds, by `performance.now`. */
  begunAt: number;
  /** Of the time since, what providers took, in milliseconds; undefined once nobody knows. */
  providersMs: number | undefined;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Anything else could forge log lines or be somebody's secret, so it is replaced rather than passed on. */
const acceptableId = /^[A-Za-z0-9._-]{8,80}$/;

/** UUIDs and the ids of traces, which hold long runs of digits by chance. */
const randomIds = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?=\d{0,40}[a-f])[\da-f]{16,80}/gi;

/** Kept and logged as it is, so it may not be somebody's telephone or card number. */
function namesSomebody(id: string): boolean {
  return holdsCardNumber(id) || /\d{9}/.test(id.replace(randomIds, '…'));
}

function requestIdOf(inbound: string | string[] | undefined): string {
  const isOurs = typeof inbound !== 'string' || !acceptableId.test(inbound) || namesSomebody(inbound);
  return isOurs ? uuidV7() : inbound;
}

/** The request that the caller of this function serves; undefined outside of one. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** The request that is served leaves no trace in its merchant's log, unless it is refused. */
export function noteQuiet(): void {
  const context = currentRequest();
  if (context) context.isQuiet = true;
}

/** A provider was waited for on behalf of the request, in this process or another one; undefined: for how long is unknown. */
export function noteProvidersTime(ms: number | undefined): void {
  const context = currentRequest();
  if (!context) return;
  const { providersMs: before } = context;
  context.providersMs = ms === undefined || before === undefined ? undefined : before + ms;
}

/** Opens the context: what runs below sees the request id, and the answer carries it. */
export const withRequestContext: RequestHandler = (request, response, next) => {
  const requestId = requestIdOf(request.headers['x-request-id']);
  response.setHeader('X-Request-Id', requestId);
  storage.run({ requestId, route: 'unknown', begunAt: performance.now(), providersMs: 0 }, next);
};
