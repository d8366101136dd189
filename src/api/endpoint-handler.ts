/** Every endpoint of the specification goes through this code, from the bytes of a request to its answer. */
import type { Request } from 'express';
import type { Config } from '../config';
import { PaymentError } from '../domain/errors';
import { expectKeyIsValid } from '../merchants/authenticate';
import type { EndpointResponse, AnyEndpoint, Call, Endpoint, OpenEndpoint } from '../rail-kit/endpoint';
import { validateInput } from '../rail-kit/fields';
import { orUnknown } from '../payments/read/creation-errors';
import type { Transaction } from '../store/database';
import {
  addressOf,
  admitMerchant,
  readInput,
  takeTokenOf,
  type AdmissionServices,
  type Admitted,
} from './admission';
import { vouchFor } from './limits/connections';
import { answerOnce, claimOf, type Claimant, type IdempotencyStore } from './idempotency';
import { ignoredFields, withWarnings } from './ignored-fields';
import { currentRequest } from './request-context';
import type { Handler } from './routes';
import { jsonText, sendAnswer, sendFile, type RenderedAnswer } from './errors';
import {
  unauthenticatedShare,
  wholeShare,
  type Caller,
  type AdmissionResult,
  type NotAdmitted,
  type Share,
  type Shedding,
} from './limits/shedding';

export interface EndpointServices extends AdmissionServices, Claimant {
  config: Pick<Config, 'environment' | 'timezone' | 'trustedProxies'>;
  /** For callers who only name a merchant id: they queue behind each other only. */
  unauthenticatedIdempotency: IdempotencyStore;
  shedding: Pick<Shedding, 'tryAdmit' | 'enter'>;
  metrics: { shed(reason: string): void };
}

function rendered({ status, body, headers, parts }: EndpointResponse): RenderedAnswer {
  return { status, text: jsonText(body), ...(headers && { headers }), ...(parts && { parts }) };
}

async function render(endpoint: Endpoint, call: Call, warnings: readonly string[]): Promise<RenderedAnswer> {
  return rendered(withWarnings(await endpoint.handle(call), warnings));
}

async function answerAnyone(
  services: EndpointServices,
  endpoint: OpenEndpoint,
  request: Request,
): Promise<RenderedAnswer> {
  services.unauthenticatedCaller.admitCall(addressOf(request, services.config));
  const sent = await readInput(request, endpoint.method);
  const requestId = currentRequest()?.requestId ?? '';
  return rendered(await endpoint.handle({ input: validateInput(endpoint.input, sent), requestId }));
}

async function answer(
  services: EndpointServices,
  { rail, tryAdmit, begin }: Mounted & Admission,
  endpoint: Endpoint,
  { merchant, apiKey, sent, isProven, denial }: Admitted,
  request: Request,
): Promise<RenderedAnswer> {
  const call: Call = {
    merchant,
    input: validateInput(endpoint.input, sent),
    requestId: currentRequest()?.requestId ?? '',
    ...(apiKey !== undefined && {
      apiKey,
      ...(endpoint.scope === 'payout' && {
        expectKey: (trx: Transaction) => expectKeyIsValid(trx, apiKey, endpoint.scope),
      }),
    }),
    ...(request.headers.accept !== undefined && { accept: request.headers.accept }),
  };
  const isToldOfIgnored = services.config.environment === 'sandbox' && endpoint.method === 'POST';
  const warnings = isToldOfIgnored ? ignoredFields(endpoint.input, sent) : [];
  if (!startsSomething(endpoint)) return render(endpoint, call, warnings);
  const idempotency = isProven ? services.idempotency : services.unauthenticatedIdempotency;
  const named = { call: `${endpoint.method} ${endpoint.path}`, isProven };
  const claim = claimOf(request.headers['idempotency-key'], named, { input: call.input, sent });
  const isRepeated = async () =>
    (claim !== undefined && (await idempotency.isKnown(merchant.merchant_id, claim.keyHash))) ||
    (await endpoint.isRepeated?.(call)) === true;
  const bulkhead: Bulkhead = { name: rail, share: wholeShare };
  const work = () => {
    begin();
    return claim
      ? answerOnce({ ...services, idempotency }, merchant.merchant_id, claim, (held, resumePaymentId) =>
          render(
            endpoint,
            { ...call, idempotency: held, ...(resumePaymentId !== undefined && { resumePaymentId }) },
            warnings,
          ),
        )
      : render(endpoint, call, warnings);
  };
  // An unauthenticated caller has waited for its turn, but holds no place yet.
  const isTurnedAway = isProven ? denial : tryAdmit(unauthenticated);
  if (isTurnedAway && !(await isRepeated())) throw turnAway(services, isTurnedAway);
  if (denial) await takeTokenOf(services, merchant, endpoint, request);
  if (!isProven) return inItsPlace(services, [unauthenticatedBulkhead, bulkhead], isRepeated, work);
  const begun = services.unauthenticatedCaller.merchantBegins();
  return inItsPlace(services, [bulkhead], isRepeated, work).finally(begun);
}

const startsSomething = ({ starts, method }: Endpoint) => starts && method === 'POST';

/** The state of one call before it is admitted. */
interface Admission {
  /** @returns why the call is rejected, unless an earlier call already made this request. */
  tryAdmit(caller: Caller): NotAdmitted | undefined;
  /** The work begins, on the shared resources. */
  begin(): void;
  /** @param isDone whether the call was served; otherwise only its departure is measured. */
  leave(isDone: boolean): void;
}

function admissionOf({ shedding }: EndpointServices, rail: string): Admission {
  let admissionResult: AdmissionResult | undefined;
  let hasBegun = false;
  const providersMs = (isDone: boolean) => {
    if (isDone) return currentRequest()?.providersMs ?? 'unknown';
    return hasBegun ? 'unknown' : undefined;
  };
  return {
    tryAdmit(caller) {
      admissionResult = shedding.tryAdmit(rail, caller);
      return admissionResult.admitted ? undefined : admissionResult;
    },
    begin() {
      hasBegun = true;
    },
    leave(isDone) {
      if (admissionResult?.admitted) admissionResult.leave(providersMs(isDone));
      admissionResult = undefined;
    },
  };
}

function turnAway({ metrics }: EndpointServices, { reason, retryAfterSeconds }: NotAdmitted): PaymentError {
  metrics.shed(reason);
  return new PaymentError('SERVICE_BUSY', { retryAfterSeconds });
}

interface Bulkhead {
  name: string;
  share: Share;
}

/**
 * Unauthenticated callers have places of their own, shared by all of them. They cannot fill a rail's concurrency limit.
 */
const unauthenticatedBulkhead: Bulkhead = { name: 'unauthenticated', share: unauthenticatedShare };

/** All of them together: a merchant id is public, so callers who only name it must not fill the merchant's own room. */
const unauthenticated: Caller = { merchantId: 'unauthenticated', share: unauthenticatedShare };

/**
 * Only requests that start something new are shed. Status queries, and repeats of a request whose payment may exist,
 * get an answer under load too.
 */
async function inItsPlace<T>(
  services: EndpointServices,
  bulkheadsInUse: readonly Bulkhead[],
  isRepeated: () => Promise<boolean>,
  work: () => Promise<T>,
): Promise<T> {
  const [bulkhead, ...others] = bulkheadsInUse;
  if (!bulkhead) return work();
  const admission = services.shedding.enter(bulkhead.name, bulkhead.share);
  if (!admission.admitted) {
    if (await isRepeated()) return work();
    throw turnAway(services, admission);
  }
  try {
    return await inItsPlace(services, others, isRepeated, work);
  } finally {
    admission.leave();
  }
}

/** True for a request whose first attempt may have started something. A lost database leaves its result unknown. */
function mayBeRepeated({ headers }: Request, endpoint: AnyEndpoint): boolean {
  if (endpoint.access === 'anyone' || !endpoint.starts) return false;
  return headers['idempotency-key'] !== undefined || endpoint.isRepeated !== undefined;
}

export interface Mounted {
  /** The rail of the endpoint: all endpoints of one rail call the same provider, and share a concurrency limit. */
  rail: string;
  endpoint: AnyEndpoint;
  /** The same endpoint, with the resources for unauthenticated callers. */
  unauthenticatedEndpoints?: AnyEndpoint | undefined;
}

export function endpointHandler(services: EndpointServices, mounted: Mounted): Handler {
  const { endpoint, unauthenticatedEndpoints = endpoint } = mounted;
  return async (request, response) => {
    const context = currentRequest();
    if (context) context.rail = mounted.rail;
    if (context && endpoint.access !== 'anyone' && startsSomething(endpoint)) context.starts = mounted.rail;
    const api = admissionOf(services, mounted.rail);
    try {
      if (unauthenticatedEndpoints.access === 'anyone') {
        sendAnswer(response, await answerAnyone(services, unauthenticatedEndpoints, request));
        return;
      }
      if (endpoint.access === 'anyone') throw new Error(`${endpoint.path} is declared in two ways`);
      const admitted = await admitMerchant(services, endpoint, request, (merchant, waitedMs) =>
        startsSomething(endpoint) ? api.tryAdmit({ merchantId: merchant.merchant_id, waitedMs }) : undefined,
      );
      if (admitted.isProven) vouchFor(request);
      const chosen = admitted.isProven ? endpoint : unauthenticatedEndpoints;
      const answered = await answer(services, { ...mounted, ...api }, chosen, admitted, request);
      api.leave(true);
      if (answered.parts) await sendFile(response, answered, answered.parts);
      else sendAnswer(response, answered);
    } catch (thrown) {
      const error = mayBeRepeated(request, endpoint) ? orUnknown(thrown) : thrown;
      throw error instanceof PaymentError ? (endpoint.translateError?.(error) ?? error) : error;
    } finally {
      api.leave(false);
    }
  };
}
