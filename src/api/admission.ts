/** Identifies the caller and checks its access, before the request's content is read if possible. */
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
import type { NotAdmitted } from './limits/shedding';
import type { UnauthenticatedLimits } from './limits/unauthenticated';

type TakeToken = (limit: Limit) => Promise<RateLimitDecision & { quota?: Quota }>;

export interface AdmissionServices {
  config: Pick<Config, 'trustedProxies'>;
  authenticate(credentials: Credentials, clientAddress: string): Promise<ProvenMerchant>;
  /** @throws PaymentError INACTIVE_MERCHANT if no active merchant has the id. */
  activeMerchant(merchantId: string): Promise<MerchantRow>;
  takeToken: TakeToken;
  /** The same, on the resources for unauthenticated callers. */
  takeUnauthenticatedToken: TakeToken;
  unauthenticatedCaller: UnauthenticatedLimits;
}

export interface Admitted {
  merchant: MerchantRow;
  /** The key of an authenticated caller; undefined for a caller who only names a merchant id. */
  apiKey?: string;
  /** The body or query as received. */
  sent: Record<string, unknown>;
  /** False for a caller who only names a merchant id. */
  isProven: boolean;
  /** Why the call is rejected before any work. The caller has not taken its rate-limit token yet. */
  denial?: NotAdmitted | undefined;
}

/**
 * Checks whether to shed a call of this merchant. A repeat of an earlier request is answered all the same.
 * @param waitedMs how long the call has waited, without the time the caller took to send it.
 */
type AdmissionCheck = (merchant: MerchantRow, waitedMs: number) => NotAdmitted | undefined;

export function addressOf(request: Request, { trustedProxies }: Pick<Config, 'trustedProxies'>): string {
  return clientAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'], trustedProxies);
}

export async function readInput(
  request: Request,
  method: AnyEndpoint['method'],
  bytesMax?: number,
): Promise<Record<string, unknown>> {
  const query = readQuery(request.url);
  // Path parameters override the query.
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
  api: AdmissionCheck,
): Promise<Admitted> {
  const { headers } = request;
  if (endpoint.access === 'merchant_id' && !hasAnyKey(headers))
    return admitNamed(services, endpoint, request);
  const mayBeInBody = endpoint.access === 'keys' && endpoint.method === 'POST' && !hasBothKeys(headers);
  return (mayBeInBody ? admitByBody : admitByHeaders)(services, endpoint, request, api);
}

async function admitByHeaders(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
  api: AdmissionCheck,
): Promise<Admitted> {
  const credentials = credentialsOf(request.headers, undefined, { headersOnly: true });
  const sinceMs = currentRequest()?.begunAt ?? performance.now();
  const who = await proven(services, endpoint, request, { credentials, api, sinceMs });
  const sent = await readInput(request, endpoint.method, endpoint.bodyBytesMax);
  // Credentials in the body must not belong to another merchant.
  if (endpoint.access === 'keys' && endpoint.method === 'POST') credentialsOf(request.headers, sent);
  const { merchant_id: named } = sent;
  const isOther = typeof named === 'string' && named.toLowerCase() !== who.merchant.merchant_id;
  if (endpoint.access === 'merchant_id' && isOther) {
    const advice = 'The keys are right, but merchant_id is not the id of their merchant';
    throw new PaymentError('INVALID_CREDENTIALS', { advice });
  }
  return { ...who, sent, isProven: true };
}

async function admitByBody(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
  api: AdmissionCheck,
): Promise<Admitted> {
  const sent = await readInput(request, endpoint.method).catch((error: unknown) => {
    if (!(error instanceof PaymentError)) throw error;
    // A caller without credentials does not learn what is wrong with the body.
    throw new PaymentError('CREDENTIALS_REQUIRED', { detail: error.message, cause: error });
  });
  const sinceMs = performance.now();
  const credentials = credentialsOf(request.headers, sent);
  const who = await proven(services, endpoint, request, { credentials, api, sinceMs });
  return { ...who, sent, isProven: true };
}

async function proven(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
  { credentials, api, sinceMs }: { credentials: Credentials; api: AdmissionCheck; sinceMs: number },
): Promise<Pick<Admitted, 'merchant' | 'denial' | 'apiKey'>> {
  const { key_scopes: scopes, ...merchant } = await services.authenticate(
    credentials,
    addressOf(request, services.config),
  );
  noteMerchant(merchant, true);
  // Checked before the body is read, and before an answer to another key's request is replayed.
  expectScope(endpoint.scope, scopes);
  const denial = api(merchant, performance.now() - sinceMs);
  if (!denial) await takeTokenOf(services, merchant, endpoint, request);
  return { merchant, denial, apiKey: credentials.apiKey };
}

/**
 * Takes a token from the merchant's rate limit, and puts the remaining quota on the answer in every case.
 * @throws PaymentError RATE_LIMITED
 */
export async function takeTokenOf(
  { takeToken }: Pick<AdmissionServices, 'takeToken'>,
  merchant: MerchantRow,
  { rateLimit }: Pick<Endpoint, 'rateLimit'>,
  request: Request,
): Promise<void> {
  const decision = await takeToken(limitOf(merchant, rateLimit));
  if (decision.quota) setQuotaHeaders(request, decision.quota);
  admitWithin(decision);
}

function setQuotaHeaders({ res: response }: Request, { limit, remaining, resetSeconds }: Quota): void {
  response?.setHeader('RateLimit-Limit', String(limit));
  response?.setHeader('RateLimit-Remaining', String(remaining));
  response?.setHeader('RateLimit-Reset', String(resetSeconds));
}

/**
 * A merchant id is public. A caller who only names it uses none of the merchant's resources, and takes a shared turn
 * only after all checks.
 */
async function admitNamed(
  services: AdmissionServices,
  endpoint: Endpoint,
  request: Request,
): Promise<Admitted> {
  const address = addressOf(request, services.config);
  services.unauthenticatedCaller.admitCall(address);
  services.unauthenticatedCaller.checkOrder(address);
  const sent = await readInput(request, endpoint.method);
  validateInput(endpoint.input, sent);
  const addressLimit = services.unauthenticatedCaller.admitOrder(address);
  const merchant = await services.activeMerchant(String(sent['merchant_id']));
  const { merchant_id: merchantId, ip_allow: allowed, api_rate: rate, api_burst: burst } = merchant;
  if (!isAllowedAddress(address, allowed)) {
    throw new PaymentError('IP_NOT_ALLOWED', { detail: `${merchantId} was named from ${address}` });
  }
  await services.unauthenticatedCaller.turnOf(address);
  // Before this line the caller is unauthenticated, so the log writes only some of the lines.
  noteMerchant(merchant);
  await withinLimit(services.takeUnauthenticatedToken, addressLimit);
  await withinLimit(services.takeUnauthenticatedToken, {
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
