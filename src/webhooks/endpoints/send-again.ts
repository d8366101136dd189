/** Sends endpoints what their merchants want sent once more: one endpoint's one after the other, beside its feed. */
import type { Log } from '../../domain/log';
import type { Database } from '../../store/database';
import type { EndpointResendRow, EventRow, WebhookEndpointRow } from '../../store/tables';
import { inTransaction } from '../../store/transaction';
import { logFailure, noteAttempt, type Attempt } from '../attempts';
import { dueResends, endResend, eventAt, putOffResend, takeResend } from './resends';
import { passedOver, supersededBy } from './superseded-events';

interface Again {
  db: Database;
  log: Log;
  /** Makes one attempt, which takes `timeoutMs` at the most. */
  send(endpoint: WebhookEndpointRow, event: EventRow, n: number): Promise<Attempt>;
  timeoutMs: number;
  isClosing(): boolean;
}

const words = {
  again: 'an event that was to be sent again was not delivered',
  givenUp: 'an event that was to be sent again is given up',
};
/** How long one endpoint is sent such before others have its place. */
const turnMs = 5_000;
/** How much longer than an attempt one is somebody's: time to write down what came of it. */
const claimMarginMs = 10_000;

/** Sends one endpoint what is due, until its turn is over. */
export async function sendAgain(again: Again, endpoint: WebhookEndpointRow): Promise<void> {
  const until = performance.now() + turnMs;
  for (const resend of await dueResends(again.db, endpoint.endpoint_id)) {
    if (again.isClosing() || performance.now() >= until) return;
    if (await takeResend(again.db, resend, again.timeoutMs + claimMarginMs))
      await sendOne(again, endpoint, resend);
  }
}

async function sendOne(
  { db, log, send }: Again,
  endpoint: WebhookEndpointRow,
  resend: EndpointResendRow,
): Promise<void> {
  const { endpoint_id: endpointId, merchant_id: merchantId } = endpoint;
  const event = await eventAt(db, merchantId, { position: resend.position, eventId: resend.event_id });
  // Pruned since it was wanted.
  if (!event) return endResend(db, resend);
  const n = resend.tries + 1;
  const later = await supersededBy(db, endpoint, event);
  const attempt = later === undefined ? await send(endpoint, event, n) : passedOver(n);
  const { pauseMs } = attempt;
  await inTransaction(db, async (trx) => {
    await noteAttempt(trx, { endpointId, event, supersededBy: later }, attempt);
    await (pauseMs === undefined ? endResend(trx, resend) : putOffResend(trx, resend, pauseMs));
  });
  const ids = { endpoint_id: endpointId, merchant_id: merchantId, event_id: event.event_id };
  if (later === undefined) logFailure(log, attempt, words, ids);
}
