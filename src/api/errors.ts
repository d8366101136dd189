/** The one error body of the product, and the conversion of any thrown value into it. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ErrorRequestHandler, Response } from 'express';
import { stringify } from 'lossless-json';
import { PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import { timestamps } from '../domain/time';
import { CommitUnknown, isDatabaseUnavailable } from '../store/transaction';
import { note } from '../telemetry/tracing/scope';
import { discardBody } from './body';
import { currentRequest } from './request-context';

/** Seconds to wait when the error has no value of its own. */
const defaultRetryAfter: Record<number, number> = { 429: 1, 503: 5, 504: 5 };

/** What the body of an error depends on besides the error. */
export interface ErrorSettings {
  timezone: string;
  docsUrl?: string | undefined;
}

/** The public part of an error. The private detail and the cause are left out. */
export function errorBody(
  error: PaymentError,
  { timezone, docsUrl }: ErrorSettings,
): Record<string, unknown> {
  const { details, extra, advice } = error.options;
  return {
    ...extra,
    success: false,
    error: error.message,
    message: advice === undefined ? error.message : `${error.message}. ${advice}`,
    code: error.code,
    request_id: currentRequest()?.requestId ?? '',
    ...timestamps(new Date(), timezone),
    ...(details && { details }),
    ...(docsUrl !== undefined && { doc_url: `${docsUrl}/errors.html#${error.code}` }),
  };
}

/** Express marks its own errors, such as a path that does not decode, with a 4xx status. */
function isRefusedByExpress(error: unknown): boolean {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status < 500;
}

/** The answer to the caller for any thrown value. */
function publicError(error: unknown): PaymentError {
  if (error instanceof PaymentError) return error;
  if (error instanceof CommitUnknown) return new PaymentError('ACCEPTANCE_UNKNOWN', { cause: error });
  if (isDatabaseUnavailable(error)) return new PaymentError('SERVICE_UNAVAILABLE', { cause: error });
  // Its message quotes the path, which is the caller's text.
  if (isRefusedByExpress(error)) return new PaymentError('NOT_FOUND', { detail: 'the path does not decode' });
  return new PaymentError('INTERNAL_ERROR', { cause: error });
}

interface ErrorAnswers {
  config: ErrorSettings;
  log: Log;
  /** For errors of unauthenticated callers, who can cause any number of them. */
  sparingLog: Log;
}

/** Writes why a call failed. The line of the call itself has the code (access-log.ts). */
function record({ log, sparingLog }: ErrorAnswers, error: PaymentError): void {
  const { code, status } = error;
  const { detail, cause, details } = error.options;
  const isFault = status >= 500 && code !== 'SERVICE_BUSY';
  if (!isFault && detail === undefined && cause === undefined && details === undefined) return;
  const fields = { code, status, detail, faults: details, cause };
  // Our own faults are always written. Without the database, every call of an unauthenticated caller fails.
  const isSparing = currentRequest()?.merchantId === undefined && code !== 'INTERNAL_ERROR';
  (isSparing ? sparingLog : log)[isFault ? 'error' : 'info'](error.message, fields);
}

/** Answers with the error body and its headers. */
function sendError(response: Response, thrown: unknown, answers: ErrorAnswers): void {
  const error = publicError(thrown);
  record(answers, error);
  note({ 'malipo.error.code': error.code });
  const context = currentRequest();
  if (context) context.code = error.code;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retryAfter = error.options.retryAfterSeconds ?? defaultRetryAfter[error.status];
  if (retryAfter !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfter)));
  if (!response.req.complete) {
    // The rest of a rejected body must not be read as the next request.
    response.setHeader('Connection', 'close');
    discardBody(response.req);
  }
  sendJson(response, error.status, errorBody(error, answers.config));
}

/** The last handler of the application. Express recognises it by its four parameters. */
export function errorHandler(answers: ErrorAnswers): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    sendError(response, error, answers);
  };
}

/** An answer as it is sent. The same text is stored under an Idempotency-Key. */
export interface RenderedAnswer {
  status: number;
  text: string;
  headers?: Record<string, string>;
  /** A file, instead of the text. */
  parts?: AsyncIterable<string>;
}

/** A client that reads nothing from a file for this long is disconnected. */
const fileIdleMs = 60_000;

/** Serialises numbers without rounding: a merchant's metadata is returned with the digits that were sent. */
export function jsonText(body: unknown): string {
  return stringify(body) ?? 'null';
}

export function sendAnswer(response: Response, { status, text, headers = {} }: RenderedAnswer): void {
  response.status(status);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(text);
}

export function sendJson(response: Response, status: number, body: unknown): void {
  sendAnswer(response, { status, text: jsonText(body) });
}

/**
 * Sent at the client's reading speed, one chunk ahead. A file that fails is cut off, so that the client sees the error.
 */
export async function sendFile(
  response: Response,
  { status, headers = {} }: Omit<RenderedAnswer, 'text'>,
  parts: AsyncIterable<string>,
): Promise<void> {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setTimeout(fileIdleMs, () => response.destroy());
  try {
    await pipeline(Readable.from(parts), response);
  } catch (error) {
    // The client may disconnect.
    if ((error as { code?: unknown } | null)?.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
