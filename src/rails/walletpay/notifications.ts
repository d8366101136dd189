import type { NotificationRoute, NotifiedPayment, RailApi, ReceivedNotification } from '../../payments/rail';
import type { Database } from '../../store/database';
import { findSubject, readEvent } from './events';
import type { WebhookVerdict } from './providers/paypal';

const webhookPath = '/api/v1/walletpay/webhook';
/** Where a buyer goes whose merchant has no page of its own. It says nothing about the outcome. */
export const landingPath = '/walletpay/done';

/** Whether an event really comes from the provider; `unknown` where that could not be found out now. */
type VerifyWebhook = (
  headers: Record<string, string | string[] | undefined>,
  rawBody: Buffer,
) => Promise<WebhookVerdict>;

const told = (status: 'processed' | 'duplicate' | 'ignored') => ({
  status: 200,
  body: { success: true, status },
});

const refused = (status: number, error: string, why: string): ReceivedNotification => ({
  kind: 'refuse',
  status,
  body: { success: false, error },
  why,
});

/** The provider's events: genuine ones are stored once each, and make us ask. */
export function walletpayNotifications(api: RailApi, verify: VerifyWebhook): NotificationRoute[] {
  return [
    {
      method: 'GET',
      path: landingPath,
      receive: () =>
        Promise.resolve({
          kind: 'page',
          title: 'Thank you',
          text: 'You can close this page; the shop will tell you how it went.',
        }),
    },
    {
      method: 'POST',
      path: webhookPath,
      async receive({ headers, rawBody }) {
        const verdict = await verify(headers, rawBody);
        if (verdict.kind === 'forged') return refused(401, 'Invalid signature', verdict.why);
        // It is delivered again, and may be proven then.
        if (verdict.kind === 'unknown') return refused(503, 'Try again later', verdict.why);
        const body = rawBody.toString('utf8');
        const event = readEvent(body);
        if (!event) return refused(400, 'Not an event', 'a genuine body that is no event');
        const stored = { kind: 'take', eventKey: event.id, body, repeated: told('duplicate') } as const;
        if (!event.subject) {
          return { ...stored, acknowledgement: told('ignored'), ignoredBecause: 'an event of no interest' };
        }
        const payment = await findSubject(api.db, event.subject);
        return { ...stored, acknowledgement: told('processed'), ...(payment ? { payment } : {}) };
      },
    },
  ];
}

export async function matchNotification(db: Database, body: string): Promise<NotifiedPayment | undefined> {
  const subject = readEvent(body)?.subject;
  return subject && findSubject(db, subject);
}
