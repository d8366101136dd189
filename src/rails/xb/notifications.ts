import type { NotificationRoute, NotifiedPayment, RailApi, ReceivedNotification } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { xbNotificationAbout } from './description';
import { invoiceOnly, readInvoice, recordOf } from './providers/intasend/invoice';
import { authenticityFault } from './providers/intasend/authenticity';
import type { IntasendSettings } from './settings';
import { wireJson } from '../../rail-kit/wire-json';

export const notificationPath = '/in/xb';

/**
 * Every call gets the same answer: after 20 failed deliveries in a row the provider stops notifying, until it is asked
 * to resume.
 */
const acknowledgement = { status: 200, body: { success: true } };
const dropped = (why: string): ReceivedNotification => ({ kind: 'refuse', ...acknowledgement, why });

/**
 * The provider sends a shared secret with each notification. It keeps others out, but a result still needs the
 * provider's answer to a status query. Only the invoice's fields of the body are stored, never the secret. A
 * notification without the secret that names one of our payments only causes a status query: the secret may be wrong in
 * our settings.
 */
export function xbNotifications(
  api: RailApi,
  secrets: Pick<IntasendSettings, 'challenge' | 'webhookSecret'>,
): NotificationRoute[] {
  return [
    {
      method: 'POST',
      path: notificationPath,
      about: xbNotificationAbout,
      async receive({ headers, rawBody }) {
        const body = recordOf(wireJson(rawBody.toString('utf8')));
        const reviewReason = authenticityFault(headers, rawBody, body, secrets);
        const invoice = readInvoice(body);
        // Refunds and payouts of the same account are also notified here, and need an answer.
        if (!invoice)
          return reviewReason === undefined ? { kind: 'answer', ...acknowledgement } : dropped(reviewReason);
        const named = await findNamed(api.db, invoice.apiRef);
        const payment = named && mayBeAbout(named, invoice.invoiceId) ? named : undefined;
        if (reviewReason !== undefined) {
          if (!payment)
            return dropped(
              named ? `the invoice does not belong to payment ${named.payment_id}` : reviewReason,
            );
          // From an unauthenticated caller's body, only our own payment reference is stored.
          const event = JSON.stringify({ api_ref: invoice.apiRef, unproven: true });
          return { kind: 'unverified', payment, body: event, acknowledgement, why: reviewReason };
        }
        // Another invoice with one of our references may be a payment: it is stored, and a case is opened.
        return {
          kind: 'take',
          isProven: true,
          eventKey: eventKeyOf(body, invoice.invoiceId, invoice.state),
          body: JSON.stringify(invoiceOnly(body)),
          acknowledgement,
          ...(payment ? { payment } : {}),
        };
      },
    },
  ];
}

/** The payment named in a stored body, if the invoice may belong to it. */
export async function matchNotification(db: Database, body: string): Promise<NotifiedPayment | undefined> {
  const invoice = readInvoice(recordOf(wireJson(body)));
  const payment = invoice && (await findNamed(db, invoice.apiRef));
  return payment && mayBeAbout(payment, invoice.invoiceId) ? payment : undefined;
}

type Named = NotifiedPayment & Pick<PaymentRow, 'provider_reference'>;

async function findNamed(db: Database, apiRef: string): Promise<Named | undefined> {
  if (!/^[\x21-\x7e]{1,64}$/.test(apiRef)) return undefined;
  return db('payments')
    .where({ callback_token: apiRef, rail: 'xb', provider: 'intasend' })
    .first('payment_id', 'workflow_id', 'provider_reference');
}

function mayBeAbout({ provider_reference: known }: Named, invoiceId: string): boolean {
  return known === null || known === invoiceId;
}

function eventKeyOf(body: Record<string, unknown>, invoiceId: string, state: string): string {
  const updatedAt = typeof body['updated_at'] === 'string' ? body['updated_at'] : '';
  return `${invoiceId}:${state}:${updatedAt}`;
}
