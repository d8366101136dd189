/** Authentication: the bearer token and, where required, the request's signature. */
import type { IncomingMessage } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { timingSafeEqual } from 'node:crypto';
import type { Account } from './account';
import { failure, type Failure } from './failures';
import { signatureFault } from './http-signature';
import type { MomoSettings } from './settings';

/** A signature covers bytes, so they are stored beside the parsed body. */
const bytes = new WeakMap<IncomingMessage, Buffer>();
export const readJson: RequestHandler = express.json({
  verify(request, _response, body) {
    bytes.set(request, body);
  },
});

export function tokenFault(request: Request, { token }: MomoSettings): Failure | undefined {
  const [, given] = /^Bearer (\S+)$/.exec(request.get('authorization') ?? '') ?? [];
  if (given === undefined) return failure('NO_AUTHENTICATION');
  return isSame(given, token) ? undefined : failure('AUTHENTICATION_ERROR');
}

export function requestSignatureFault(
  request: Request,
  account: Account,
  { requestKey }: MomoSettings,
): Failure | undefined {
  if (!account.switches().signedRequestsOnly) return undefined;
  if (!requestKey) return failure('HTTP_SIGNATURE_ERROR', 'The account has no public key.');
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
  const message = {
    method: request.method,
    authority: request.get('host') ?? '',
    path: request.originalUrl.split('?', 1)[0] ?? '',
    headers,
    body: bytes.get(request) ?? Buffer.alloc(0),
  };
  const fault = signatureFault(message, requestKey, Date.now() / 1_000);
  return fault === undefined ? undefined : failure('HTTP_SIGNATURE_ERROR', fault);
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
