/** Whether a form was sent by a page of ours: by where the browser says it comes from, and by what only such a page knows. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

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
