/** Takes what providers send: stored first, acknowledged then. */
import type { Request, Response } from 'express';
import type { Config } from '../config';
import type { Log } from '../domain/log';
import type { NotificationRoute, ReceivedNotification } from '../payments/rail';
import { readRawBody } from './body';
import { addressOf } from './admission';
import { vouchFor } from './connections';
import type { NotificationGuard } from './notification-guard';
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
    const received = await route.receive({
      params: paramsOf(request),
      query: readQuery(request.url),
      headers: request.headers,
      rawBody: await readRawBody(request),
      clientAddress: sourceAddress,
    });
    if (received.kind !== 'take') services.notificationGuard.futile(sourceAddress);
    else if (received.payment) {
      services.notificationGuard.proven(sourceAddress);
      vouchFor(request);
    }
    if (received.kind === 'answer') {
      acknowledge(response, received.status, received.body);
      return;
    }
    if (received.kind === 'redirect') {
      sendOn(response, received.location);
      return;
    }
    if (received.kind === 'page') {
      sendPage(response, received);
      return;
    }
    if (received.kind === 'refuse') {
      services.log.warn('a notification was refused', {
        rail,
        why: received.why,
        source_address: sourceAddress,
      });
      if ('error' in received) throw received.error;
      acknowledge(response, received.status, received.body);
      return;
    }
    const isNew = await services.takeNotification(rail, sourceAddress, received);
    const { acknowledgement, repeated = acknowledgement } = received;
    const told = isNew ? acknowledgement : repeated;
    acknowledge(response, told.status, told.body);
  };
}
