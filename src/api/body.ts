/** Reads request bodies: bytes with a cap, then strict JSON in which a number keeps the digits it was sent with. */
import type { IncomingMessage } from 'node:http';
import { isLosslessNumber, parse } from 'lossless-json';
import { PaymentError } from '../domain/errors';
import { faultOfJson } from './json-scan';

const usualBytesMax = 64 * 1024;

/** A refused body up to this size is read to its end and dropped, so that its sender sees the answer and not a reset. */
const discardedBytesMax = 1024 * 1024;

function declaredBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

/** Drops what is left of a body nobody will read, unless that would take long. */
export function discardBody(request: IncomingMessage): void {
  if (declaredBytes(request) <= discardedBytesMax) request.resume();
}

function tooLarge(bytesMax: number): PaymentError {
  const kilobytes = String(bytesMax / 1024);
  return new PaymentError('BODY_TOO_LARGE', { message: `The body is larger than ${kilobytes} kB` });
}

/**
 * Reads at most 64 kB, or what else is told.
 * @throws PaymentError BODY_TOO_LARGE, as soon as it is known; UNSUPPORTED_MEDIA_TYPE for a compressed body, whose
 *   size nobody knows before unpacking it.
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
    // Whoever left while its caller was being looked up sends no event any more.
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
