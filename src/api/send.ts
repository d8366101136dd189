import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { stringify } from 'lossless-json';

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
