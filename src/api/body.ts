/** Reads request bodies: bytes up to a limit, then strict JSON whose numbers keep their digits as sent. */
import type { IncomingMessage } from 'node:http';
import { isLosslessNumber, parse } from 'lossless-json';
import { PaymentError } from '../domain/errors';

const usualBytesMax = 64 * 1024;

/**
 * A rejected body up to this size is read to its end and dropped, so that the client sees the answer and not a reset.
 */
const discardedBytesMax = 1024 * 1024;

function declaredBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

/** Drops the rest of an unread body, unless that would take long. */
export function discardBody(request: IncomingMessage): void {
  if (declaredBytes(request) <= discardedBytesMax) request.resume();
}

function tooLarge(bytesMax: number): PaymentError {
  const kilobytes = String(bytesMax / 1024);
  return new PaymentError('BODY_TOO_LARGE', { message: `The body is larger than ${kilobytes} kB` });
}

/**
 * Reads at most 64 kB by default.
 * @throws PaymentError BODY_TOO_LARGE as early as possible. UNSUPPORTED_MEDIA_TYPE for a compressed body, whose size is
 * unknown before it is unpacked.
 */
export async function readRawBody(
  request: IncomingMessage,
  bytesMax: number = usualBytesMax,
): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new PaymentError('UNSUPPORTED_MEDIA_TYPE', { message: 'The body must not be compressed' });
  }
  if (declaredBytes(request) > bytesMax) throw tooLarge(bytesMax);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= bytesMax) return void chunks.push(chunk);
      request.off('data', onData);
      reject(tooLarge(bytesMax));
    };
    request.on('data', onData);
    request.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    const onEarlyEnd = (): void => {
      reject(new PaymentError('INVALID_JSON', { message: 'The request ended before its body was complete' }));
    };
    // A client that disconnected during authentication emits no further event.
    if (request.destroyed) onEarlyEnd();
    request.once('error', onEarlyEnd);
    request.once('close', onEarlyEnd);
  });
}

/** @throws PaymentError UNSUPPORTED_MEDIA_TYPE for anything but JSON in UTF-8. */
export function requireJson(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => {
    const [name = '', value] = parameter.split('=').map((part) => part.trim());
    return name === 'charset' ? value?.replace(/^"|"$/g, '') : undefined;
  });
  const isUtf8 = charset.every((name) => name === undefined || name === 'utf-8' || name === 'utf8');
  if (type.trim() !== 'application/json' || !isUtf8) throw new PaymentError('UNSUPPORTED_MEDIA_TYPE');
}

function notJson(message?: string): PaymentError {
  return new PaymentError('INVALID_JSON', message === undefined ? {} : { message });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notJson('The body is not valid UTF-8');
  }
}

/**
 * Parses a JSON object strictly. Its numbers are `LosslessNumber`s, which keep their text: `10.50` stays `10.50`.
 * @throws PaymentError INVALID_JSON
 */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) throw notJson('The body is empty');
  const text = decodeText(bytes);
  if (text.startsWith('\uFEFF')) throw notJson('The body starts with a byte order mark');
  const fault = faultOfJson(text);
  if (fault !== undefined) throw notJson(fault);
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw notJson();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value)) {
    throw notJson('The body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

/**
 * Forbidden parts of a JSON text, found before a parser builds objects from it. Deep nesting overflows the stack of
 * code that walks the value. Parsers disagree about which of two equal keys counts. Three keys reach the prototype of
 * every object.
 */
const depthMax = 20;
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

/**
 * A string, or a bracket, brace or colon outside of one. An unterminated string matches to the end of the text.
 * Otherwise every quote inside it would be tried again, which takes seconds for 64 kB of quotes.
 */
const tokens = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}:]/gs;

function decodeKey(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
}

/**
 * @returns a sentence about the first forbidden part, or undefined. Text that is not JSON may pass: the parser, which
 * runs next, rejects it.
 */
function faultOfJson(text: string): string | undefined {
  /** One entry per open bracket or brace: the keys seen in it. */
  const open: Set<string>[] = [];
  let lastString: string | undefined;
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      open.push(new Set());
      if (open.length > depthMax) return `The body is nested deeper than ${String(depthMax)} levels`;
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token === ':') {
      // Compared after decoding: an escaped spelling of a key is the same key.
      const key = lastString === undefined ? undefined : decodeKey(lastString);
      const keys = open.at(-1);
      if (key === undefined || keys === undefined) continue;
      if (isForbiddenKey(key)) return `The body has a key that is not allowed: ${key}`;
      if (keys.has(key)) return 'The body has the same key twice';
      keys.add(key);
    }
    lastString = token.startsWith('"') ? token : undefined;
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new PaymentError('INVALID_QUERY', { message: 'The query is not valid percent-encoded UTF-8' });
  }
}

/**
 * Reads the query of a request target. Every parameter is one text: a parser that turns a repeated parameter into a
 * list would let a caller send two different values.
 * @throws PaymentError INVALID_QUERY
 */
export function readQuery(target: string): Record<string, string> {
  const start = target.indexOf('?');
  const query: Record<string, string> = {};
  if (start === -1) return query;
  for (const pair of target.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    const key = decode(name);
    if (isForbiddenKey(key)) throw new PaymentError('INVALID_QUERY');
    if (Object.hasOwn(query, key)) {
      // The name is left out: the caller chose it, and it may be anything.
      throw new PaymentError('INVALID_QUERY', { message: 'The query has the same parameter twice' });
    }
    query[key] = decode(value.join('='));
  }
  return query;
}
