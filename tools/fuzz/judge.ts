/** Checks what no answer may be, whatever was sent. */
import { errorResponses } from '../../src/domain/errors';
import type { FuzzRequest } from './request';
import type { Answer } from './send';

const slowMs = 10_000;

/** Codes in docs/errors.md with a status from 500; the processor's failure belongs to the card API. */
const documented = new Set(
  Object.entries(errorResponses)
    .filter(([code, { status }]) => status > 500 || code === 'PROCESSOR_FAILURE')
    .map(([code]) => code),
);

/** A connection that ends without an answer, if the server refuses to read on. */
const cutShort = new Set(['ECONNRESET', 'EPIPE']);

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function faultOfShape(body: Record<string, unknown> | undefined): string | undefined {
  if (body === undefined) return 'an error that is not a JSON object';
  const { success, error, message, code, request_id: requestId, timestamp } = body;
  const texts = [error, message, code, requestId, timestamp];
  if (success !== false || texts.some((text) => typeof text !== 'string' || text === '')) {
    return 'an error of another shape';
  }
  return Object.hasOwn(errorResponses, String(code))
    ? undefined
    : 'an error with a code that is not documented';
}

/** Node itself answers invalid or oversized HTTP, before any of our code sees it. */
function isOfTheParser({ status, headers, text }: Answer): boolean {
  return (status === 400 || status === 431) && text === '' && headers['connection'] === 'close';
}

function faultOfError(request: FuzzRequest, answer: Answer): string | undefined {
  if (answer.text.includes(request.canary)) return 'an error that contains sent data';
  // Providers and browsers get their own formats, and a HEAD no body at all.
  if (request.kind === 'notification' || request.method === 'HEAD') return undefined;
  return faultOfShape(parsed(answer.text));
}

/** @returns what is wrong with an answer, or undefined. */
export function faultOf(request: FuzzRequest, answer: Answer): string | undefined {
  if (answer.ms > slowMs) return `an answer after ${String(Math.round(answer.ms / 1000))} s`;
  if (answer.status === 0) {
    return cutShort.has(answer.fault ?? '') ? undefined : `no answer: ${answer.fault ?? ''}`;
  }
  if (isOfTheParser(answer)) return undefined;
  if (answer.status >= 500) {
    const code = String(parsed(answer.text)?.['code']);
    // A provider's notification may be rejected for now, and is sent again.
    const isPutOff = request.kind === 'notification' && answer.status === 503;
    if (!documented.has(code) && !isPutOff) return `an undocumented ${String(answer.status)}`;
  }
  return answer.status >= 400 ? faultOfError(request, answer) : undefined;
}
