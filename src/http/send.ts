import type { Response } from 'express';
import { stringify } from 'lossless-json';

/** An answer as it goes out: the text is what is stored under an Idempotency-Key too. */
export interface RenderedAnswer {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

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
