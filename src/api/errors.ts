/** The one error body of the product, and how whatever was thrown becomes it. */
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

/** Seconds to wait where the error does not know better. */
const defaultRetryAfter: Record<number, number> = { 429: 1, 503: 5, 504: 5 };

/** What the body of an error depends on beside the error. */
export interface ErrorSettings {
  timezone: string;
  docsUrl?: string | undefined;
}

/** The public side of an error. The private detail and the cause stay out of it. */
export function errorBody(
  error: PaymentError,
  { timezone, docsUrl }: ErrorSettings,
): Record<string, unknown> {
  const { details, extra } = error.options;
  return {
    ...extra,
    success: false,
    error: error.message,
    message: error.message,
    code: error.code,
    request_id: currentRequest()?.requestId ?? '',
    ...timestamps(new Date(), timezone),
    ...(details && { details }),
    ...(docsUrl !== undefined && { doc_url: `${docsUrl}/errors.html#${error.code}` }),
  };
}

/** Express marks what it refuses itself, such as a path that does not decode, with a client's status. */
function isRefusedByExpress(error: unknown): boolean {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === 'number' && status >= 400 && status < 500;
}

/** What the caller is told about anything that was thrown. */
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
  /** For refusals of callers who named no merchant, of which there may be any number. */
  sparingLog: Log;
}

function record({ log, sparingLog }: ErrorAnswers, error: PaymentError): void {
  const { detail, cause, details } = error.options;
  const fields = { code: error.code, status: error.status, detail, faults: details, cause };
  if (error.status >= 500) log.error(error.message, fields);
  // As many as anybody likes to cause.
  else if (error.status === 429) log.debug(error.message, fields);
  else (currentRequest()?.merchantId === undefined ? sparingLog : log).info(error.message, fields);
}

/** Answers with the error body and the headers that go with it. */
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
    // What is left of a refused body must not be read as the next request.
    response.setHeader('Connection', 'close');
    discardBody(response.req);
  }
  sendJson(response, error.status, errorBody(error, answers.config));
}

/** The last handler of the application. Express knows it by its four parameters. */
export function errorHandler(answers: ErrorAnswers): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    sendError(response, error, answers);
  };
}

/** An answer as it goes out: the text is what is stored under an Idempotency-Key too. */
export interface RenderedAnswer {
  status: number;
  text: string;
  headers?: Record<string, string>;
  /** A file, instead of the text. */
  parts?: AsyncIterable<string>;
}

/** A reader of a file who takes nothing for so long has gone. */
const fileIdleMs = 60_000;

/** Serialises without rounding: a merchant's metadata goes back with the digits it came with. */
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

/** As fast as it is read, and one part ahead. A file that cannot be finished ends without its end. */
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
    // Whoever reads it may leave.
    if ((error as { code?: unknown } | null)?.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
