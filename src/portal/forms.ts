/** Forms: the proof that our own page sent one, the number that makes it count once, and its files. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { raw, type Request, type Response } from 'express';
import { v7 as uuid, validate as isUuid } from 'uuid';
import type { Visit } from './visit';

/** The form token, derived from the token of the session or of the visitor. It cannot be made without that token. */
export function csrfOf(token: string): string {
  return createHmac('sha256', token).update('malipo portal form').digest('base64url');
}

export function isCsrf(given: string, token: string): boolean {
  const expected = Buffer.from(csrfOf(token));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** 127.0.0.1 and localhost are the same machine. Over http, both are accepted. */
export function originsOf(portalUrl: string): string[] {
  const { origin, protocol, hostname, port } = new URL(portalUrl);
  const others = protocol === 'http:' && hostname === '127.0.0.1' ? [`http://localhost:${port}`] : [];
  return [origin, ...others];
}

/** Browsers send the origin with a POST. Without it, `Sec-Fetch-Site` must be `same-origin`. */
export function comesFromUs(headers: IncomingHttpHeaders, origins: readonly string[]): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== 'null') return origins.includes(origin);
  return headers['sec-fetch-site'] === 'same-origin';
}

const localPath = /^\/(?![/\\])[\x21-\x7e]*$/;

/** The page after a form: a path of the portal, or the first page. */
export function safeNext(next: string | null | undefined): string {
  if (next === undefined || next === null || next.length > 500 || !localPath.test(next)) return '/';
  const base = 'http://portal.invalid';
  return URL.canParse(next, base) && new URL(next, base).origin === base ? next : '/';
}

// Each form that changes something has its own number, so that its request is carried out once.

const field = 'once';

export const formNumberField = (): string => `<input type="hidden" name="${field}" value="${uuid()}">`;

/** The number of the form; undefined if it has none. */
export function formNumberOf({ form }: Pick<Visit, 'form'>): string | undefined {
  const sent = form(field);
  return isUuid(sent) ? sent : undefined;
}

// Forms with files. Only the uploads of signed-in users are read, because an upload can take long.

type Upload = Record<string, string | Buffer>;

/**
 * @returns `too_large`, or the fields as texts and the files as bytes, with each file's name under `<field>.name`. A
 * body that is not a form gives no fields.
 */
export async function readUpload(
  request: Request,
  response: Response,
  bytesMax: number,
): Promise<Upload | 'too_large'> {
  const reading = raw({ type: 'multipart/form-data', limit: bytesMax });
  const error = await new Promise<unknown>((resolve) => {
    reading(request, response, resolve);
  });
  if ((error as { status?: unknown } | undefined)?.status === 413) return 'too_large';
  const body: unknown = request.body;
  if (error !== undefined) return {};
  // A form without files was already parsed.
  if (!Buffer.isBuffer(body)) return (body ?? {}) as Upload;
  const boundary = /;\s*boundary="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return boundary === undefined ? {} : Object.fromEntries(partsOf(body, boundary));
}

/** More parts than any form has. */
const partsMax = 50;

/** Parses a complete multipart body (RFC 7578). It ignores everything after a part that is not closed. */
function* partsOf(body: Buffer, boundary: string): Generator<[name: string, content: string | Buffer]> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter has no line break before it.
  const bytes = Buffer.concat([Buffer.from('\r\n'), body]);
  let at = bytes.indexOf(delimiter);
  for (let parts = 0; parts < partsMax; parts += 1) {
    const begin = at + delimiter.length;
    const next = at < 0 ? -1 : bytes.indexOf(delimiter, begin);
    const head = bytes.indexOf('\r\n\r\n', begin);
    if (next < 0 || head < 0 || head > next) return;
    const disposition = /^content-disposition:(.*)$/im.exec(bytes.toString('utf8', begin, head))?.[1] ?? '';
    const name = /;\s*name="([^"]*)"/i.exec(disposition)?.[1];
    const content = bytes.subarray(head + 4, next);
    const isFile = /;\s*filename\*?=/i.test(disposition);
    if (name !== undefined) yield [name, isFile ? content : content.toString('utf8')];
    const called = /;\s*filename="([^"]*)"/i.exec(disposition)?.[1];
    if (name !== undefined && called !== undefined) yield [`${name}.name`, called];
    at = next;
  }
}
