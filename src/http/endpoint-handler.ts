/** The path every endpoint of the specification takes, from the bytes of a request to its answer. */
import type { Request } from 'express';
import type { Config } from '../config';
import { PaymentError } from '../domain/errors';
import type { Log } from '../domain/log';
import { credentialsOf, type Credentials } from '../merchants/authenticate';
import { clientAddress } from '../merchants/ip-allow-list';
import type { Limit, RateLimitDecision } from '../merchants/rate-limit';
import type { Call, Endpoint } from '../payments/endpoint';
import { validateInput } from '../payments/fields';
import type { MerchantRow } from '../store/tables';
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
  takeToken(limit: Limit): Promise<RateLimitDecision>;
  idempotency: IdempotencyStore;
  shedding: Shedding;
  metrics: { shed(reason: string): void };
}

export function addressOf(request: Request, { trustedProxies }: Pick<Config, 'trustedProxies'>): string {
  return clientAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'], trustedProxies);
}

async function readInput(request: Request, method: Endpoint['method']): Promise<Record<string, unknown>> {
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

/** Who calls, proven and within its limits. */
async function admitMerchant(
  services: EndpointServices,
  endpoint: Endpoint,
  request: Request,
  input: Record<string, unknown>,
): Promise<MerchantRow> {
  const body = endpoint.method === 'POST' ? input : undefined;
  const credentials = credentialsOf(request.headers, body, { headersOnly: endpoint.access === 'headers' });
  const merchant = await services.authenticate(credentials, addressOf(request, services.config));
  const context = currentRequest();
  if (context) context.merchantId = merchant.merchant_id;
  const decision = await services.takeToken(limitOf(merchant, endpoint.rateLimit));
  if (!decision.allowed) {
    throw new PaymentError('RATE_LIMITED', { retryAfterSeconds: decision.retryAfterSeconds });
  }
  return merchant;
}

async function render(endpoint: Endpoint, call: Call): Promise<RenderedAnswer> {
  const { status, body, headers } = await endpoint.handle(call);
  return { status, text: jsonText(body), ...(headers && { headers }) };
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
  if (!claim) return render(endpoint, call);
  return answerOnce(services, merchant.merchant_id, claim, (resumePaymentId) =>
    render(endpoint, {
      ...call,
      idempotency: claim,
      ...(resumePaymentId !== undefined && { resumePaymentId }),
    }),
  );
}

/** Only what starts something is turned away: whoever asks about a payment must get an answer under load too. */
async function inItsPlace<T>(
  services: EndpointServices,
  endpoint: Endpoint,
  work: () => Promise<T>,
): Promise<T> {
  if (!endpoint.starts) return work();
  const admission = services.shedding.enter();
  if (!admission.admitted) {
    services.metrics.shed(admission.reason);
    throw new PaymentError('SERVICE_BUSY', { retryAfterSeconds: admission.retryAfterSeconds });
  }
  try {
    return await work();
  } finally {
    admission.leave();
  }
}

export function endpointHandler(services: EndpointServices, endpoint: Endpoint): Handler {
  return async (request, response) => {
    try {
      const sent = await readInput(request, endpoint.method);
      const merchant = await admitMerchant(services, endpoint, request, sent);
      const rendered = await inItsPlace(services, endpoint, () =>
        answer(services, endpoint, merchant, request, sent),
      );
      sendAnswer(response, rendered);
    } catch (error) {
      throw error instanceof PaymentError ? (endpoint.translateError?.(error) ?? error) : error;
    }
  };
}
