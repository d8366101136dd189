import { createHash, timingSafeEqual } from 'node:crypto';
import { PaymentError, type ErrorCode } from '../../domain/errors';
import type { NotificationRoute, RailApi, ReceivedNotification } from '../../payments/rail';
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
        const payment = /^[\x21-\x7e]{1,64}$/.test(invoice.apiRef)
          ? await api
              .db('payments')
              .where({ callback_token: invoice.apiRef, rail: 'xb' })
              .first('payment_id', 'workflow_id', 'provider_reference')
          : undefined;
        if (
          payment &&
          payment.provider_reference !== null &&
          payment.provider_reference !== invoice.invoiceId
        ) {
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
