/** Receives provider notifications: stores them first, then acknowledges them. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Config } from '../config';
import type { Log } from '../domain/log';
import type { StoredUnverified } from '../payments/resolve/inbox';
import type {
  NotificationRoute,
  NotifiedPayment,
  ReceivedNotification,
  UnverifiedEvent,
} from '../rail-kit/rail';
import { about, note } from '../telemetry/tracing/scope';
import { addressOf } from './admission';
import { readRawBody, readQuery } from './body';
import { sendJson } from './errors';
import { vouchFor } from './limits/connections';
import type { NotificationGuard } from './limits/unauthenticated';
import { currentRequest } from './request-context';
import type { Handler } from './routes';

export type TakenNotification = Extract<ReceivedNotification, { kind: 'take' }>;

export interface NotificationServices {
  config: Pick<Config, 'trustedProxies'>;
  log: Log;
  notificationGuard: NotificationGuard;
  /**
   * Resolves once the notification is committed. Only then is it acknowledged.
   * @returns whether the notification is new.
   */
  takeNotification(rail: string, sourceAddress: string, received: TakenNotification): Promise<boolean>;
  /** Resolves once the unverified event is committed, if it is stored. */
  takeUnverified(rail: string, unverified: UnverifiedEvent): Promise<StoredUnverified>;
  /** Called for each notification that is rejected, or that lacks its proof. */
  observeDenial(rail: string): void;
}

/** Providers read acknowledgements in their own format: an object as JSON, a text as it is. */
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
    const context = currentRequest();
    if (context) context.rail = rail;
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

/** From now on the connection and the log treat the caller as authenticated. */
function vouchForProvider(request: Request): void {
  vouchFor(request);
  const context = currentRequest();
  if (context) context.isProven = true;
}

type Kind = ReceivedNotification['kind'];
type Of<K extends Kind> = Extract<ReceivedNotification, { kind: K }>;

const answers: { [K in Kind]: (answering: Answering, received: Of<K>) => Promise<void> | void } = {
  async take({ services, rail, sourceAddress, request, response }, received) {
    const { acknowledgement, repeated = acknowledgement, isProven } = received;
    services.notificationGuard[isProven ? 'proven' : 'futile'](sourceAddress);
    if (isProven) vouchForProvider(request);
    const isNew = await services.takeNotification(rail, sourceAddress, received);
    // Repeats by unauthenticated callers would fill the payment's trace.
    if (isNew && received.payment) about(received.payment.payment_id);
    const reported = isNew ? acknowledgement : repeated;
    acknowledge(response, reported.status, reported.body);
  },
  async unverified({ services, rail, sourceAddress, response }, { payment, body, acknowledgement, why }) {
    if (why !== undefined) {
      services.observeDenial(rail);
      services.log.warn('a notification has no proof; the provider is queried', {
        rail,
        why,
        payment_id: payment.payment_id,
        source_address: sourceAddress,
      });
    }
    const stored = await services.takeUnverified(rail, { payment, body, sourceAddress });
    // Each payment follows only a few of them, from any sender. Nearly all come from the provider.
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
    services.observeDenial(rail);
    services.log.warn('a notification was rejected', {
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

// The only page of this API: a sentence for a customer who returns from paying, maybe inside a merchant's frame.

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-content:center;padding:1.5rem;text-align:center}
h1{font-size:1.5rem;margin:0 0 .5rem;line-height:1.2}
p{margin:0;max-width:32rem}`;

/** The page loads, runs and sends nothing. Its one style sheet is allowed by its hash. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ');

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Lets a merchant's page frame the answer. Nothing else of this API may be framed. */
function allowFraming(response: Response): void {
  response.removeHeader('X-Frame-Options');
  response.setHeader('Content-Security-Policy', policy);
}

function sendPage(response: Response, { title, text }: { title: string; text: string }): void {
  allowFraming(response);
  response.status(200).type('html').send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</main>
</body>
</html>
`);
}

/** Redirects the browser with GET, without a referrer. */
function sendOn(response: Response, location: string): void {
  allowFraming(response);
  response.setHeader('Location', location);
  response.status(302).end();
}
