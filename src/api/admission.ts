/** Who calls, and whether they may: proven before anything they say is looked into, wherever that can be. */
import type { Request } from 'express';
import type { Config } from '../config';
import { PaymentError } from '../domain/errors';
import { credentialsOf, type Credentials, type ProvenMerchant } from '../merchants/authenticate';
import { clientAddress, isAllowedAddress } from '../merchants/ip-allow-list';
import { expectScope } from '../merchants/api-keys';
import type { Limit, Quota, RateLimitDecision } from '../merchants/rate-limit';
import type { AnyEndpoint, Endpoint } from '../rail-kit/endpoint';
import { validateInput } from '../rail-kit/fields';
import type { MerchantRow } from '../store/tables';
import { parseJsonObject, readRawBody, requireJson, readQuery } from './body';
import { currentRequest } from './request-context';
import type { Refusal } from './limits/shedding';
import type { Strangers } from './limits/unauthenticated';

type TakeToken = (limit: Limit) => Promise<RateLimitDecision & { quota?: Quota }>;

export interface AdmissionServices {
  config: Pick<Config, 'trustedProxies'>;
  authenticate(credentials: Credentials, clientAddress: string): Promise<ProvenMerchant>;
  /** @throws PaymentError INACTIVE_MERCHANT where no active merchant has the id. */
  activeMerchant(merchantId: string): Promise<MerchantRow>;
  takeToken: TakeToken;
  /** The same, with what merchants with keys do not need. */
  takeStrangersToken: TakeToken;
  strangers: Strangers;
}

export interface Admitted {
  merchant: MerchantRow;
  /** The key that proved it; undefined for somebody who only named the merchant. */
  apiKey?: string;
  /** The body or query as it came. */
  sent: Record<string, unknown>;
  /** False for somebody who only named the merchant. */
  isProven: boolean;
  /** What turned the call away before anything was spent on it; its token, too, is still to be taken. */
  refusal?: Refusal | undefined;
}

/**
 * Whether a call of this merchant is turned away, unless it is one that was made before.
 * @param waitedMs for how long it was under way, without what its sender took to send it.
 */
type Door = (merchant: MerchantRow, waitedMs: number) => Refusal | undefined;

export function addressOf(request: Request, { trustedProxies }: Pick<Config, 'trustedProxies'>): string {
  return clientAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'], trustedProxies);
}

export async function readInput(
  request: Request,
  method: AnyEndpoint['method'],
  bytesMax?: number,
): Promise<Record<string, unknown>> {
  const query = readQuery(request.url);
  // What the path names, nothing else can say.
  if (method === 'GET') return { ...query, ...request.params };
  requireJson(request.headers['content-type']);
  return { ...parseJsonObject(await readRawBody(request, bytesMax)), ...request.params };
}

type Headers = Request['headers'];
const keyHeaders = ['x-api-key', 'x-api-secret'] as const;
const hasBothKeys = (headers: Headers) => keyHeaders.every((name) => headers[name] !== undefined);
const hasAnyKey = (headers: Headers) => keyHeaders.some((name) => headers[name] !== undefined);

export function admitMerchant(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
  door: Door,
): Promise<Admitted> {
  const { headers } = request;
  if (endpoint.access === 'merchant_id' && !hasAnyKey(headers))
    return admitNamed(services, endpoint, request);
  const mayBeInBody = endpoint.access === 'keys' && endpoint.method === 'POST' && !hasBothKeys(headers);
  return (mayBeInBody ? admitByBody : admitByHeaders)(services, endpoint, request, door);
}

async function admitByHeaders(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
  door: Door,
): Promise<Admitted> {
  const credentials = credentialsOf(request.headers, undefined, { headersOnly: true });
  const sinceMs = currentRequest()?.begunAt ?? performance.now();
  const who = await proven(services, endpoint, request, { credentials, door, sinceMs });
  const sent = await readInput(request, endpoint.method, endpoint.bodyBytesMax);
  // What the body says besides must not be somebody else.
  if (endpoint.access === 'keys' && endpoint.method === 'POST') credentialsOf(request.headers, sent);
  const { merchant_id: named } = sent;
  const isOther = typeof named === 'string' && named.toLowerCase() !== who.merchant.merchant_id;
  if (endpoint.access === 'merchant_id' && isOther) throw new PaymentError('INVALID_CREDENTIALS');
  return { ...who, sent, isProven: true };
}

async function admitByBody(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
  door: Door,
): Promise<Admitted> {
  const sent = await readInput(request, endpoint.method).catch((error: unknown) => {
    if (!(error instanceof PaymentError)) throw error;
    // Whoever has shown no credentials is not told what is wrong with what they sent.
    throw new PaymentError('CREDENTIALS_REQUIRED', { detail: error.message, cause: error });
  });
  const sinceMs = performance.now();
  const credentials = credentialsOf(request.headers, sent);
  const who = await proven(services, endpoint, request, { credentials, door, sinceMs });
  return { ...who, sent, isProven: true };
}

async function proven(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
  { credentials, door, sinceMs }: { credentials: Credentials; door: Door; sinceMs: number },
): Promise<Pick<Admitted, 'merchant' | 'refusal' | 'apiKey'>> {
  const { key_scopes: scopes, ...merchant } = await services.authenticate(
    credentials,
    addressOf(request, services.config),
  );
  noteMerchant(merchant, true);
  // Before anything that was sent is looked into, or answered from what another key has sent.
  expectScope(endpoint.scope, scopes);
  const refusal = door(merchant, performance.now() - sinceMs);
  if (!refusal) await takeTokenOf(services, merchant, endpoint, request);
  return { merchant, refusal, apiKey: credentials.apiKey };
}

/**
 * Takes a token of the merchant's own, and has the answer tell what is left, whatever becomes of the call.
 * @throws PaymentError RATE_LIMITED
 */
export async function takeTokenOf(
  { takeToken }: Pick<AdmissionServices, 'takeToken'>,
  merchant: MerchantRow,
  { rateLimit }: Pick<Endpoint, 'rateLimit'>,
  request: Request,
): Promise<void> {
  const decision = await takeToken(limitOf(merchant, rateLimit));
  if (decision.quota) tellQuota(request, decision.quota);
  admitWithin(decision);
}

function tellQuota({ res: response }: Request, { limit, remaining, resetSeconds }: Quota): void {
  response?.setHeader('RateLimit-Limit', String(limit));
  response?.setHeader('RateLimit-Remaining', String(remaining));
  response?.setHeader('RateLimit-Reset', String(resetSeconds));
}

/** A merchant's id is public: who names it spends nothing of the merchant's own, and nothing before all is in order. */
async function admitNamed(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
): Promise<Admitted> {
  const address = addressOf(request, services.config);
  services.strangers.admitCall(address);
  services.strangers.lookAtOrder(address);
  const sent = await readInput(request, endpoint.method);
  validateInput(endpoint.input, sent);
  const addressLimit = services.strangers.admitOrder(address);
  const merchant = await services.activeMerchant(String(sent['merchant_id']));
  const { merchant_id: merchantId, ip_allow: allowed, api_rate: rate, api_burst: burst } = merchant;
  if (!isAllowedAddress(address, allowed)) {
    throw new PaymentError('IP_NOT_ALLOWED', { detail: `${merchantId} was named from ${address}` });
  }
  await services.strangers.turnOf(address);
  // Until here it is anybody's call, of which the log keeps few.
  noteMerchant(merchant);
  await withinLimit(services.takeStrangersToken, addressLimit);
  await withinLimit(services.takeStrangersToken, {
    bucket: `named:${merchantId}`,
    ratePerMinute: rate,
    burst,
  });
  return { merchant, sent, isProven: false };
}

function noteMerchant({ merchant_id: merchantId }: MerchantRow, isProven = false): void {
  const context = currentRequest();
  if (!context) return;
  context.merchantId = merchantId;
  if (isProven) context.isProven = true;
}

function limitOf(merchant: MerchantRow, kind: Endpoint['rateLimit']): Limit {
  const bucket = `${kind}:${merchant.merchant_id}`;
  return kind === 'stk'
    ? { bucket, ratePerMinute: merchant.stk_rate, burst: merchant.stk_burst }
    : { bucket, ratePerMinute: merchant.api_rate, burst: merchant.api_burst };
}

async function withinLimit(takeToken: TakeToken, limit: Limit): Promise<void> {
  admitWithin(await takeToken(limit));
}

export function admitWithin(decision: RateLimitDecision): void {
  if (!decision.allowed) {
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}
