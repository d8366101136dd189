/** What comes by forms: whether a page of ours sent it, which form of that page it was, and the files in it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { raw, type Request, type Response } from 'express';
import { v7 as uuid, validate as isUuid } from 'uuid';
import type { Visit } from './visit';

/** Of the session's token, or of that of who is not signed in: whoever has neither cannot make it. */
export function csrfOf(token: string): string {
  return createHmac('sha256', token).update('malipo portal form').digest('base64url');
}

export function isCsrf(given: string, token: string): boolean {
  const expected = Buffer.from(csrfOf(token));
  const said = Buffer.from(given);
  return said.length === expected.length && timingSafeEqual(said, expected);
}

/** This machine has two names, and by http there is nobody else to send from the other. */
export function originsOf(portalUrl: string): string[] {
  const { origin, protocol, hostname, port } = new URL(portalUrl);
  const others = protocol === 'http:' && hostname === '127.0.0.1' ? [`http://localhost:${port}`] : [];
  return [origin, ...others];
}

/** Browsers name the origin of whatever posts; one that does not must say at least that it is ours. */
export function comesFromUs(headers: IncomingHttpHeaders, origins: readonly string[]): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== 'null') return origins.includes(origin);
  return headers['sec-fetch-site'] === 'same-origin';
}

const localPath = /^\/(?![/\\])[\x21-\x7e]*$/;

/** Where to go on to after a form: a page of ours, or the first. */
export function safeNext(next: string | null | undefined): string {
  if (next === undefined || next === null || next.length > 500 || !localPath.test(next)) return '/';
  const base = 'http://portal.invalid';
  return URL.canParse(next, base) && new URL(next, base).origin === base ? next : '/';
}

// Each form of a page that changes something has a number of its own: whatever it asks for is done once.

const field = 'once';

export const formNumberField = (): string => `<input type="hidden" name="${field}" value="${uuid()}">`;

/** Of the form that was sent; undefined for one without. */
export function formNumberOf({ form }: Pick<Visit, 'form'>): string | undefined {
  const sent = form(field);
  return isUuid(sent) ? sent : undefined;
}

// A form with a file in it, as browsers send it. Read for who is signed in alone: nobody else is waited for that long.

type Upload = Record<string, string | Buffer>;

/**
 * @returns `too_large`, or what was sent: fields as texts and files as bytes, each file's name under `<field>.name`;
 * nothing of what is no form.
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
  // Sent as forms without files are, it is read already.
  if (!Buffer.isBuffer(body)) return (body ?? {}) as Upload;
  const boundary = /;\s*boundary="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  return boundary === undefined ? {} : Object.fromEntries(partsOf(body, boundary));
}

/** More than any form has. */
const partsMax = 50;

/** RFC 7578, of a body that is whole: what follows a part that is not closed is left out. */
function* partsOf(body: Buffer, boundary: string): Generator<[name: string, content: string | Buffer]> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter has no line before it.
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
