/** Sends endpoints what their merchants want sent once more: one endpoint's one after the other, beside its feed. */
import type { Log } from '../../domain/log';
import type { Database } from '../../store/database';
import type { EndpointResendRow, WebhookEndpointRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { pauseAfter } from '../schedule';
import { recordDelivery } from './deliveries';
import { timeoutMs, type EventPoster } from './post-event';
import { dueResends, endResend, eventAt, putOffResend, takeResend } from './resends';
import { supersededBy } from './superseded-events';

interface Again {
  db: Database;
  log: Log;
  timeScale: number;
  poster: EventPoster;
  isClosing(): boolean;
}

/** How long one endpoint is sent such before others have its place. */
const turnMs = 5_000;
/** How long one is somebody's: a try, and time to write down what came of it. */
const claimMs = timeoutMs + 10_000;

/** Sends one endpoint what is due, until its turn is over. */
export async function sendAgain(again: Again, endpoint: WebhookEndpointRow): Promise<void> {
  const until = performance.now() + turnMs;
  for (const resend of await dueResends(again.db, endpoint.endpoint_id)) {
    if (again.isClosing() || performance.now() >= until) return;
    if (await takeResend(again.db, resend, claimMs)) await sendOne(again, endpoint, resend);
  }
}

async function sendOne(
  { db, log, timeScale, poster }: Again,
  endpoint: WebhookEndpointRow,
  resend: EndpointResendRow,
): Promise<void> {
  const { endpoint_id: endpointId, merchant_id: merchantId } = endpoint;
  const event = await eventAt(db, merchantId, { position: resend.position, eventId: resend.event_id });
  // Pruned since it was wanted.
  if (!event) return endResend(db, resend);
  const n = resend.tries + 1;
  const later = await supersededBy(db, endpoint, event);
  if (later !== undefined) {
    return inTransaction(db, async (trx) => {
      await recordDelivery(trx, { endpointId, event, n, result: { supersededBy: later } });
      await endResend(trx, resend);
    });
  }
  const result = await poster.post(endpoint, event);
  const pauseMs = result.error === null ? undefined : pauseAfter(n, { timeScale });
  await inTransaction(db, async (trx) => {
    await recordDelivery(trx, { endpointId, event, n, result });
    await (pauseMs === undefined ? endResend(trx, resend) : putOffResend(trx, resend, pauseMs));
  });
  if (result.error === null) return;
  const fields = { endpoint_id: endpointId, merchant_id: merchantId, event_id: event.event_id };
  const told = { ...fields, http_status: result.httpStatus, error: result.error };
  if (pauseMs === undefined) log.error('an event that was to be sent again is given up', told);
  else log.warn('an event that was to be sent again was not delivered', { ...told, next_in_ms: pauseMs });
}
