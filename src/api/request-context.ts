/** The context of the current request. Its id is on every answer and on every log line that the request causes. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import { v7 as uuidV7 } from 'uuid';
import { holdsCardNumber } from '../domain/card-number';
import type { ErrorCode } from '../domain/errors';

export interface RequestContext {
  requestId: string;
  /** The path as declared, without ids and tokens of the call: a bounded set for metrics. */
  route: string;
  merchantId?: string;
  /** The caller is authenticated: a merchant by its keys, or a provider by its proof. */
  isProven?: true;
  /** The error code of the answer. */
  code?: ErrorCode;
  /** The rail whose endpoint or notification it is; `malipo` for endpoints that belong to no rail. */
  rail?: string;
  /** The same rail, if the call may start something: see `submissionResult` in telemetry/metrics.ts. */
  starts?: string;
  /** A poll that returned nothing: it gets no line in the merchant's request log. */
  isQuiet?: true;
  /** When the request arrived, in milliseconds, by `performance.now`. */
  begunAt: number;
  /** Milliseconds that providers took since then; undefined if unknown. */
  providersMs: number | undefined;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Other ids could forge log lines or contain secrets, so they are replaced. */
const acceptableId = /^[A-Za-z0-9._-]{8,80}$/;

/** UUIDs and trace ids, which contain long runs of digits by chance. */
const randomIds = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?=\d{0,40}[a-f])[\da-f]{16,80}/gi;

/** The id is stored and logged as it is, so it must not be a phone or card number. */
function holdsPersonalData(id: string): boolean {
  return holdsCardNumber(id) || /\d{9}/.test(id.replace(randomIds, '…'));
}

function requestIdOf(inbound: string | string[] | undefined): string {
  const isOurs = typeof inbound !== 'string' || !acceptableId.test(inbound) || holdsPersonalData(inbound);
  return isOurs ? uuidV7() : inbound;
}

/** The request on whose behalf the calling code runs; undefined outside of a request. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}

/** The current request gets no line in the merchant's request log, unless it fails. */
export function noteQuiet(): void {
  const context = currentRequest();
  if (context) context.isQuiet = true;
}

/** Adds the time that a provider took for the request, in this process or another. undefined: the time is unknown. */
export function noteProvidersTime(ms: number | undefined): void {
  const context = currentRequest();
  if (!context) return;
  const { providersMs: before } = context;
  context.providersMs = ms === undefined || before === undefined ? undefined : before + ms;
}

/** Opens the context: the code below sees the request id, and the answer carries it. */
export const withRequestContext: RequestHandler = (request, response, next) => {
  const requestId = requestIdOf(request.headers['x-request-id']);
  response.setHeader('X-Request-Id', requestId);
  storage.run({ requestId, route: 'unknown', begunAt: performance.now(), providersMs: 0 }, next);
};
