/** The path every endpoint of the specification takes, from the bytes of a request to its answer. */
import type { Request } from 'express';
import type { Config } from '../config';
import { PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import { credentialsOf, type Credentials } from '../merchants/authenticate';
import { clientAddress } from '../merchants/ip-allow-list';
import type { Limit, RateLimitDecision } from '../merchants/rate-limit';
import type { Answer, AnyEndpoint, Call, Endpoint, OpenEndpoint } from '../payments/endpoint';
import { validateInput } from '../payments/fields';
import { acceptanceUnknown } from '../payments/refusals';
import type { MerchantRow } from '../store/tables';
import { isDatabaseUnavailable } from '../store/transaction';
import { parseJsonObject, readRawBody, requireJson } from './body';
import { answerOnce, claimOf, type IdempotencyStore } from './idempotency';
import { readQuery } from './query';
import { currentRequest } from './request-context';
import type { Handler } from './routes';
import { jsonText, sendAnswer, type RenderedAnswer } from './send';
import type { Shedding } from './shedding';

export interface EndpointServices {
  config: Pick<Config, 'timezone' | 'trustedProxies'>;
  log: Log;
  authenticate(credentials: Credentials, clientAddress: string): Promise<MerchantRow>;
  /** @throws PaymentError INACTIVE_MERCHANT where no active merchant has the id. */
  activeMerchant(merchantId: string): Promise<MerchantRow>;
  takeToken(limit: Limit): Promise<RateLimitDecision>;
  idempotency: IdempotencyStore;
  shedding: Shedding;
  metrics: { shed(reason: string): void };
}

export function addressOf(request: Request, { trustedProxies }: Pick<Config, 'trustedProxies'>): string {
  return clientAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'], trustedProxies);
}

async function readInput(request: Request, method: AnyEndpoint['method']): Promise<Record<string, unknown>> {
  const query = readQuery(request.url);
  if (method === 'GET') return query;
  requireJson(request.headers['content-type']);
  return parseJsonObject(await readRawBody(request));
}

function limitOf(merchant: MerchantRow, kind: Endpoint['rateLimit']): Limit {
  const bucket = `${kind}:${merchant.merchant_id}`;
  return kind === 'stk'
    ? { bucket, ratePerMinute: merchant.stk_rate, burst: merchant.stk_burst }
    : { bucket, ratePerMinute: merchant.api_rate, burst: merchant.api_burst };
}

/** The limit of a caller who proves nothing: the figures of a merchant's own, by default. */
const addressLimit = { ratePerMinute: 600, burst: 1_000 };

async function withinLimit(services: EndpointServices, limit: Limit): Promise<void> {
  const decision = await services.takeToken(limit);
  if (!decision.allowed) {
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
  }
}

function limitAddress(services: EndpointServices, request: Request): Promise<void> {
  const bucket = `address:${addressOf(request, services.config)}`;
  return withinLimit(services, { bucket, ...addressLimit });
}

async function merchantOf(
  services: EndpointServices,
  endpoint: Endpoint,
  request: Request,
  input: Record<string, unknown>,
): Promise<MerchantRow> {
  const { headers } = request;
  if (endpoint.access !== 'merchant_id') {
    const body = endpoint.method === 'POST' ? input : undefined;
    const credentials = credentialsOf(headers, body, { headersOnly: endpoint.access === 'headers' });
    return services.authenticate(credentials, addressOf(request, services.config));
  }
  await limitAddress(services, request);
  const { merchant_id: merchantId } = input;
  // Whoever names nobody is told all faults of the body at once.
  if (typeof merchantId !== 'string') validateInput(endpoint.input, input);
  const named = await services.activeMerchant(String(merchantId));
  if (headers['x-api-key'] === undefined && headers['x-api-secret'] === undefined) return named;
  const credentials = credentialsOf(headers, undefined, { headersOnly: true });
  const proven = await services.authenticate(credentials, addressOf(request, services.config));
  if (proven.merchant_id !== named.merchant_id) throw new PaymentError('INVALID_CREDENTIALS');
  return proven;
}

/** Who calls, known and within its limits. */
async function admitMerchant(
  services: EndpointServices,
  endpoint: Endpoint,
  request: Request,
  input: Record<string, unknown>,
): Promise<MerchantRow> {
  const merchant = await merchantOf(services, endpoint, request, input);
  const context = currentRequest();
  if (context) context.merchantId = merchant.merchant_id;
  await withinLimit(services, limitOf(merchant, endpoint.rateLimit));
  return merchant;
}

function rendered({ status, body, headers }: Answer): RenderedAnswer {
  return { status, text: jsonText(body), ...(headers && { headers }) };
}

async function render(endpoint: Endpoint, call: Call): Promise<RenderedAnswer> {
  return rendered(await endpoint.handle(call));
}

async function answerAnyone(
  services: EndpointServices,
  endpoint: OpenEndpoint,
  request: Request,
  sent: Record<string, unknown>,
): Promise<RenderedAnswer> {
  await limitAddress(services, request);
  const requestId = currentRequest()?.requestId ?? '';
  return rendered(await endpoint.handle({ input: validateInput(endpoint.input, sent), requestId }));
}

async function answer(
  services: EndpointServices,
  endpoint: Endpoint,
  merchant: MerchantRow,
  request: Request,
  sent: Record<string, unknown>,
): Promise<RenderedAnswer> {
  const call: Call = {
    merchant,
    input: validateInput(endpoint.input, sent),
    requestId: currentRequest()?.requestId ?? '',
  };
  if (!endpoint.starts || endpoint.method !== 'POST') return render(endpoint, call);
  const claim = claimOf(request.headers['idempotency-key'], `${endpoint.method} ${endpoint.path}`, sent);
  const isRepeated = async () =>
    (claim !== undefined && (await services.idempotency.isKnown(merchant.merchant_id, claim.keyHash))) ||
    (await endpoint.isRepeated?.(call)) === true;
  return inItsPlace(services, endpoint, isRepeated, () =>
    claim
      ? answerOnce(services, merchant.merchant_id, claim, (idempotency, resumePaymentId) =>
          render(endpoint, {
            ...call,
            idempotency,
            ...(resumePaymentId !== undefined && { resumePaymentId }),
          }),
        )
      : render(endpoint, call),
  );
}

/** `/api/v1/momo/deposit` and `/api/v1/momo/payout` call the same provider: `momo`. */
function laneOf({ path }: Endpoint): string {
  return path.split('/')[3] ?? path;
}

/**
 * Only what starts something new is turned away: whoever asks about a payment, or repeats a request whose payment may
 * live, must get an answer under load too.
 */
async function inItsPlace<T>(
  services: EndpointServices,
  endpoint: Endpoint,
  isRepeated: () => Promise<boolean>,
  work: () => Promise<T>,
): Promise<T> {
  const admission = services.shedding.enter(laneOf(endpoint));
  if (!admission.admitted) {
    if (await isRepeated()) return work();
    services.metrics.shed(admission.reason);
    throw new PaymentError('SERVICE_BUSY', { retryAfterSeconds: admission.retryAfterSeconds });
  }
  try {
    return await work();
  } finally {
    admission.leave();
  }
}

/** True for a request whose first try may have started something, so that a lost database leaves that open. */
function mayBeRepeated({ headers }: Request, endpoint: AnyEndpoint): boolean {
  if (endpoint.access === 'anyone' || !endpoint.starts) return false;
  return headers['idempotency-key'] !== undefined || endpoint.isRepeated !== undefined;
}

function notNothing(error: unknown): unknown {
  return isDatabaseUnavailable(error) ? acceptanceUnknown({}, error) : error;
}

export function endpointHandler(services: EndpointServices, endpoint: AnyEndpoint): Handler {
  return async (request, response) => {
    try {
      const sent = await readInput(request, endpoint.method);
      if (endpoint.access === 'anyone') {
        sendAnswer(response, await answerAnyone(services, endpoint, request, sent));
        return;
      }
      const merchant = await admitMerchant(services, endpoint, request, sent);
      sendAnswer(response, await answer(services, endpoint, merchant, request, sent));
    } catch (thrown) {
      const error = mayBeRepeated(request, endpoint) ? notNothing(thrown) : thrown;
      throw error instanceof PaymentError ? (endpoint.translateError?.(error) ?? error) : error;
    }
  };
}
