import type { NotificationRoute, NotifiedPayment, RailApi, ReceivedNotification } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { xbNotificationAbout } from './description';
import { invoiceOnly, readInvoice, recordOf } from './providers/intasend/invoice';
import { doubtAbout } from './providers/intasend/proof';
import type { IntasendSettings } from './settings';

export const notificationPath = '/in/xb';

/**
 * Everything is answered alike: after 20 failed deliveries in a row the provider notifies nobody any more, until it is
 * asked to.
 */
const acknowledgement = { status: 200, body: { success: true } };
const dropped = (why: string): ReceivedNotification => ({ kind: 'refuse', ...acknowledgement, why });

/**
 * The provider repeats a shared secret with each notification. That keeps strangers out, and an outcome still needs the
 * provider's own word. Of the body the invoice's own fields are stored, and never the secret. What comes without it, and names one of our
 * payments, is a reason to ask about that payment and nothing more: the secret may be wrong at our side.
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
        const body = parsed(rawBody.toString('utf8')) ?? {};
        const doubt = doubtAbout(headers, rawBody, body, secrets);
        const invoice = readInvoice(body);
        // Refunds and payouts of the same account reach this address too, and want an answer.
        if (!invoice) return doubt === undefined ? { kind: 'answer', ...acknowledgement } : dropped(doubt);
        const named = await findNamed(api.db, invoice.apiRef);
        const payment = named && mayBeAbout(named, invoice.invoiceId) ? named : undefined;
        if (doubt !== undefined) {
          if (!payment) return dropped(named ? `the invoice is not of payment ${named.payment_id}` : doubt);
          // Of a stranger's words only the name is kept that we gave the payment ourselves.
          const said = JSON.stringify({ api_ref: invoice.apiRef, unproven: true });
          return { kind: 'hint', payment, body: said, acknowledgement, why: doubt };
        }
        // Another invoice under the name of a payment of ours may be money: it is kept, and a person is told of it.
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

/** The payment that a stored body names, if its invoice may be that payment's. */
export async function matchNotification(db: Database, body: string): Promise<NotifiedPayment | undefined> {
  const invoice = readInvoice(parsed(body) ?? {});
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

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
