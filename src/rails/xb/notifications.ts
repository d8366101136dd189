import { createHash, timingSafeEqual } from 'node:crypto';
import { PaymentError, type ErrorCode } from '../../domain/errors';
import type { NotificationRoute, NotifiedPayment, RailApi, ReceivedNotification } from '../../payments/rail';
import type { Database } from '../../store/database';
import type { PaymentRow } from '../../store/tables';
import { readInvoice, recordOf } from './providers/intasend/invoice';

const notificationPath = '/in/xb';

const acknowledgement = { status: 200, body: { success: true } };
const refused = (code: ErrorCode, why: string): ReceivedNotification => ({
  kind: 'refuse',
  error: new PaymentError(code),
  why,
});

/**
 * The provider signs nothing; it repeats a shared secret in each body. That keeps strangers out, and a reported
 * success still needs the provider's own word. The secret is taken out before the body is stored.
 */
export function xbNotifications(api: RailApi, challenge: string): NotificationRoute[] {
  return [
    {
      method: 'POST',
      path: notificationPath,
      async receive({ rawBody }) {
        const body = parsed(rawBody.toString('utf8'));
        if (!body || !isSecret(body['challenge'], challenge))
          return refused('INVALID_SIGNATURE', 'wrong or missing challenge');
        delete body['challenge'];
        const invoice = readInvoice(body);
        // Refunds and payouts of the same account reach this address too, and want an answer.
        if (!invoice) return { kind: 'answer', ...acknowledgement };
        const payment = await findNamed(api.db, invoice.apiRef);
        if (payment && !mayBeAbout(payment, invoice.invoiceId)) {
          return refused('INVALID_EVENT', `the invoice is not of payment ${payment.payment_id}`);
        }
        return {
          kind: 'take',
          isProven: true,
          eventKey: eventKeyOf(body, invoice.invoiceId, invoice.state),
          body: JSON.stringify(body),
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
    .where({ callback_token: apiRef, rail: 'xb' })
    .first('payment_id', 'workflow_id', 'provider_reference');
}

function mayBeAbout({ provider_reference: known }: Named, invoiceId: string): boolean {
  return known === null || known === invoiceId;
}

function eventKeyOf(body: Record<string, unknown>, invoiceId: string, state: string): string {
  const updatedAt = typeof body['updated_at'] === 'string' ? body['updated_at'] : '';
  return `${invoiceId}:${state}:${updatedAt}`;
}

function isSecret(told: unknown, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return typeof told === 'string' && timingSafeEqual(digest(told), digest(secret));
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
