/** The path every endpoint of the specification takes, from the bytes of a request to its answer. */
import type { Request } from 'express';
import type { Config } from '../config';
import { PaymentError } from '../domain/errors';
import { expectKeyStands } from '../merchants/authenticate';
import type { Answer, AnyEndpoint, Call, Endpoint, OpenEndpoint } from '../rail-kit/endpoint';
import { validateInput } from '../rail-kit/fields';
import { orUnknown } from '../payments/read/refusals';
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
import { currentRequest } from './request-context';
import type { Handler } from './routes';
import { jsonText, sendAnswer, sendFile, type RenderedAnswer } from './errors';
import {
  strangersShare,
  wholeShare,
  type Caller,
  type Knock,
  type Refusal,
  type Share,
  type Shedding,
} from './limits/shedding';

export interface EndpointServices extends AdmissionServices, Claimant {
  config: Pick<Config, 'timezone' | 'trustedProxies'>;
  /** For callers who have only named the merchant: they wait for each other, and for nobody else. */
  strangersIdempotency: IdempotencyStore;
  shedding: Pick<Shedding, 'knock' | 'enter'>;
  metrics: { shed(reason: string): void };
}

function rendered({ status, body, headers, parts }: Answer): RenderedAnswer {
  return { status, text: jsonText(body), ...(headers && { headers }), ...(parts && { parts }) };
}

async function render(endpoint: Endpoint, call: Call): Promise<RenderedAnswer> {
  return rendered(await endpoint.handle(call));
}

async function answerAnyone(
  services: EndpointServices,
  endpoint: OpenEndpoint,
  request: Request,
): Promise<RenderedAnswer> {
  services.strangers.admitCall(addressOf(request, services.config));
  const sent = await readInput(request, endpoint.method);
  const requestId = currentRequest()?.requestId ?? '';
  return rendered(await endpoint.handle({ input: validateInput(endpoint.input, sent), requestId }));
}

async function answer(
  services: EndpointServices,
  { rail, knock, begin }: Mounted & Door,
  endpoint: Endpoint,
  { merchant, apiKey, sent, isProven, refusal }: Admitted,
  request: Request,
): Promise<RenderedAnswer> {
  const call: Call = {
    merchant,
    input: validateInput(endpoint.input, sent),
    requestId: currentRequest()?.requestId ?? '',
    ...(apiKey !== undefined && {
      apiKey,
      ...(endpoint.scope === 'payout' && {
        expectKey: (trx: Transaction) => expectKeyStands(trx, apiKey, endpoint.scope),
      }),
    }),
    ...(request.headers.accept !== undefined && { accept: request.headers.accept }),
  };
  if (!startsSomething(endpoint)) return render(endpoint, call);
  const idempotency = isProven ? services.idempotency : services.strangersIdempotency;
  const named = { call: `${endpoint.method} ${endpoint.path}`, isProven };
  const claim = claimOf(request.headers['idempotency-key'], named, sent);
  const isRepeated = async () =>
    (claim !== undefined && (await idempotency.isKnown(merchant.merchant_id, claim.keyHash))) ||
    (await endpoint.isRepeated?.(call)) === true;
  const lane: Lane = { name: rail, share: wholeShare };
  const work = () => {
    begin();
    return claim
      ? answerOnce({ ...services, idempotency }, merchant.merchant_id, claim, (held, resumePaymentId) =>
          render(endpoint, {
            ...call,
            idempotency: held,
            ...(resumePaymentId !== undefined && { resumePaymentId }),
          }),
        )
      : render(endpoint, call);
  };
  // Whoever has proven nothing has waited for a turn, and for no place.
  const isTurnedAway = isProven ? refusal : knock(strangers);
  if (isTurnedAway && !(await isRepeated())) throw turnAway(services, isTurnedAway);
  if (refusal) await takeTokenOf(services, merchant, endpoint, request);
  if (!isProven) return inItsPlace(services, [strangersLane, lane], isRepeated, work);
  const begun = services.strangers.merchantBegins();
  return inItsPlace(services, [lane], isRepeated, work).finally(begun);
}

const startsSomething = ({ starts, method }: Endpoint) => starts && method === 'POST';

/** Where one call stands before it is let in. */
interface Door {
  /** @returns why the call is turned away, unless it is one that was made before. */
  knock(caller: Caller): Refusal | undefined;
  /** Its work begins, on what is shared by all. */
  begin(): void;
  /** @param isDone whether the call was served; else no more is learnt of it than that it left. */
  leave(isDone: boolean): void;
}

function doorOf({ shedding }: EndpointServices, rail: string): Door {
  let knocked: Knock | undefined;
  let hasBegun = false;
  const providersMs = (isDone: boolean) => {
    if (isDone) return currentRequest()?.providersMs ?? 'unknown';
    return hasBegun ? 'unknown' : undefined;
  };
  return {
    knock(caller) {
      knocked = shedding.knock(rail, caller);
      return knocked.admitted ? undefined : knocked;
    },
    begin() {
      hasBegun = true;
    },
    leave(isDone) {
      if (knocked?.admitted) knocked.leave(providersMs(isDone));
      knocked = undefined;
    },
  };
}

function turnAway({ metrics }: EndpointServices, { reason, retryAfterSeconds }: Refusal): PaymentError {
  metrics.shed(reason);
  return new PaymentError('SERVICE_BUSY', { retryAfterSeconds });
}

interface Lane {
  name: string;
  share: Share;
}

/** Strangers have places of their own too, all of them together: they fill no lane. */
const strangersLane: Lane = { name: 'strangers', share: strangersShare };

/** All of them together: whom they name is public, and what room is kept for that merchant is not theirs to fill. */
const strangers: Caller = { merchantId: 'strangers', share: strangersShare };

/**
 * Only what starts something new is turned away: whoever asks about a payment, or repeats a request whose payment may
 * live, must get an answer under load too.
 */
async function inItsPlace<T>(
  services: EndpointServices,
  lanes: readonly Lane[],
  isRepeated: () => Promise<boolean>,
  work: () => Promise<T>,
): Promise<T> {
  const [lane, ...others] = lanes;
  if (!lane) return work();
  const admission = services.shedding.enter(lane.name, lane.share);
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

/** True for a request whose first try may have started something, so that a lost database leaves that open. */
function mayBeRepeated({ headers }: Request, endpoint: AnyEndpoint): boolean {
  if (endpoint.access === 'anyone' || !endpoint.starts) return false;
  return headers['idempotency-key'] !== undefined || endpoint.isRepeated !== undefined;
}

export interface Mounted {
  /** Whose endpoint it is: all those of one rail call the same provider, and share a lane. */
  rail: string;
  endpoint: AnyEndpoint;
  /** The same endpoint, working with what strangers may use up. */
  forStrangers?: AnyEndpoint | undefined;
}

export function endpointHandler(services: EndpointServices, mounted: Mounted): Handler {
  const { endpoint, forStrangers = endpoint } = mounted;
  return async (request, response) => {
    const context = currentRequest();
    if (context && endpoint.access !== 'anyone' && startsSomething(endpoint)) context.starts = mounted.rail;
    const door = doorOf(services, mounted.rail);
    try {
      if (forStrangers.access === 'anyone') {
        sendAnswer(response, await answerAnyone(services, forStrangers, request));
        return;
      }
      if (endpoint.access === 'anyone') throw new Error(`${endpoint.path} is declared in two ways`);
      const admitted = await admitMerchant(services, endpoint, request, (merchant, waitedMs) =>
        startsSomething(endpoint) ? door.knock({ merchantId: merchant.merchant_id, waitedMs }) : undefined,
      );
      if (admitted.isProven) vouchFor(request);
      const chosen = admitted.isProven ? endpoint : forStrangers;
      const answered = await answer(services, { ...mounted, ...door }, chosen, admitted, request);
      door.leave(true);
      if (answered.parts) await sendFile(response, answered, answered.parts);
      else sendAnswer(response, answered);
    } catch (thrown) {
      const error = mayBeRepeated(request, endpoint) ? orUnknown(thrown) : thrown;
      throw error instanceof PaymentError ? (endpoint.translateError?.(error) ?? error) : error;
    } finally {
      door.leave(false);
    }
  };
}
