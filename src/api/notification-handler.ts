/** Takes what providers send: stored first, acknowledged then. */
import type { Request, Response } from 'express';
import type { Config } from '../config';
import type { Log } from '../domain/log';
import type {
  NotificationRoute,
  NotifiedPayment,
  ReceivedNotification,
  StrangersHint,
} from '../rail-kit/rail';
import type { StoredHint } from '../payments/resolve/store-hint';
import { about, note } from '../telemetry/tracing/scope';
import { readRawBody } from './body';
import { addressOf } from './admission';
import { vouchFor } from './limits/connections';
import type { NotificationGuard } from './limits/notification-guard';
import { readQuery } from './query';
import { sendOn, sendPage } from './result-page';
import type { Handler } from './routes';
import { sendJson } from './send';

export type TakenNotification = Extract<ReceivedNotification, { kind: 'take' }>;

export interface NotificationServices {
  config: Pick<Config, 'trustedProxies'>;
  log: Log;
  notificationGuard: NotificationGuard;
  /**
   * Resolves once the notification is committed: only then is it acknowledged.
   * @returns whether it is new.
   */
  takeNotification(rail: string, sourceAddress: string, received: TakenNotification): Promise<boolean>;
  /** Resolves once the hint is committed, if it is kept. */
  takeHint(rail: string, hint: StrangersHint): Promise<StoredHint>;
  /** Told of each one that was refused, or that lacks what should vouch for it. */
  observeRefusal(rail: string): void;
}

/** Providers read their acknowledgement in their own way: an object as JSON, a text as it is. */
function acknowledge(response: Response, status: number, body: unknown): void {
  if (typeof body === 'string') response.status(status).type('text/plain').send(body);
  else if (body === undefined) response.status(status).end();
  else sendJson(response, status, body);
}

function paramsOf(request: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]));
}

export function notificationHandler(
  services: NotificationServices,
  rail: string,
  route: NotificationRoute,
): Handler {
  return async (request, response) => {
    const sourceAddress = addressOf(request, services.config);
    services.notificationGuard.admit(sourceAddress);
    note({ 'malipo.rail': rail });
    const received = await route.receive({
      params: paramsOf(request),
      query: readQuery(request.url),
      headers: request.headers,
      rawBody: await readRawBody(request),
      clientAddress: sourceAddress,
    });
    const answering = { services, rail, sourceAddress, request, response };
    await answer(answering, received);
  };
}

interface Answering {
  services: NotificationServices;
  rail: string;
  sourceAddress: string;
  request: Request;
  response: Response;
}

type Kind = ReceivedNotification['kind'];
type Of<K extends Kind> = Extract<ReceivedNotification, { kind: K }>;

const answers: { [K in Kind]: (answering: Answering, received: Of<K>) => Promise<void> | void } = {
  async take({ services, rail, sourceAddress, request, response }, received) {
    const { acknowledgement, repeated = acknowledgement, isProven } = received;
    services.notificationGuard[isProven ? 'proven' : 'futile'](sourceAddress);
    if (isProven) vouchFor(request);
    const isNew = await services.takeNotification(rail, sourceAddress, received);
    // What anybody may send again and again would fill the payment's trace.
    if (isNew && received.payment) about(received.payment.payment_id);
    const told = isNew ? acknowledgement : repeated;
    acknowledge(response, told.status, told.body);
  },
  async hint({ services, rail, sourceAddress, response }, { payment, body, acknowledgement, why }) {
    if (why !== undefined) {
      services.observeRefusal(rail);
      services.log.warn('a notification is not proven; the provider is asked', {
        rail,
        why,
        payment_id: payment.payment_id,
        source_address: sourceAddress,
      });
    }
    const stored = await services.takeHint(rail, { payment, body, sourceAddress });
    // Those that are followed are few for each payment, whoever sends them; a provider's own are nearly all of these.
    if (stored === 'follow') about(payment.payment_id);
    else services.notificationGuard.futile(sourceAddress);
    acknowledge(response, acknowledgement.status, acknowledgement.body);
  },
  answer({ services, sourceAddress, response }, { isFree, status, body }) {
    if (!isFree) services.notificationGuard.futile(sourceAddress);
    acknowledge(response, status, body);
  },
  redirect(answering, { location, payment }) {
    countReturn(answering, payment);
    sendOn(answering.response, location);
  },
  page(answering, received) {
    if (!received.isFree) countReturn(answering, received.payment);
    sendPage(answering.response, received);
  },
  refuse({ services, rail, sourceAddress, response }, received) {
    services.notificationGuard.futile(sourceAddress);
    services.observeRefusal(rail);
    services.log.warn('a notification was refused', {
      rail,
      why: received.why,
      source_address: sourceAddress,
    });
    if ('error' in received) throw received.error;
    acknowledge(response, received.status, received.body);
  },
};

async function answer<K extends Kind>(answering: Answering, received: Of<K> & { kind: K }): Promise<void> {
  await answers[received.kind](answering, received);
}

function countReturn({ services, sourceAddress }: Answering, payment: NotifiedPayment | undefined): void {
  if (payment) services.notificationGuard.returned(sourceAddress, payment.payment_id);
  else services.notificationGuard.futile(sourceAddress);
}
