import { PaymentError, type ErrorCode } from '../../domain/errors';
import type { NotificationRoute, NotifiedPayment, RailApi, ReceivedNotification } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import { landingAbout, webhookAbout } from './description';
import { findSubject, readEvent } from './events';
import type { WebhookVerdict } from './providers/paypal';

export const webhookPath = '/api/v1/walletpay/webhook';
/** The page for a buyer whose merchant has no page of its own. It says nothing about the outcome. */
export const landingPath = '/walletpay/done';

/** Whether an event comes from the provider; `unknown` if this cannot be determined now. */
type VerifyWebhook = (
  headers: Record<string, string | string[] | undefined>,
  rawBody: Buffer,
) => Promise<WebhookVerdict>;

const notificationResponse = (status: 'processed' | 'duplicate' | 'ignored') => ({
  status: 200,
  body: { success: true, status },
});

const refused = (code: ErrorCode, why: string, message?: string): ReceivedNotification => ({
  kind: 'refuse',
  error: new PaymentError(code, message === undefined ? {} : { message }),
  why,
});

/**
 * The provider's events: authentic ones, and unsigned ones in the sandbox, are stored once each, and cause a status
 * query.
 */
export function walletpayNotifications(api: RailApi, verify: VerifyWebhook): NotificationRoute[] {
  return [
    {
      method: 'GET',
      path: landingPath,
      about: landingAbout,
      receive: () =>
        Promise.resolve({
          kind: 'page',
          isFree: true,
          title: 'Thank you',
          text: 'You can close this page. The shop will tell you the result.',
        }),
    },
    {
      method: 'POST',
      path: webhookPath,
      about: webhookAbout,
      async receive({ headers, rawBody }) {
        const verdict = await verify(headers, rawBody);
        if (verdict.kind === 'forged') return refused('INVALID_SIGNATURE', verdict.why);
        // The provider delivers it again, and it may be verified then.
        if (verdict.kind === 'unknown') {
          return refused('SERVICE_UNAVAILABLE', verdict.why, 'The signature cannot be checked right now');
        }
        const body = rawBody.toString('utf8');
        const event = readEvent(body);
        if (!event) return refused('INVALID_EVENT', 'the body is not an event');
        const stored = {
          kind: 'take',
          isProven: verdict.kind === 'genuine',
          eventKey: event.id,
          body,
          repeated: notificationResponse('duplicate'),
        } as const;
        if (!event.subject) {
          return {
            ...stored,
            acknowledgement: notificationResponse('ignored'),
            ignoredBecause: 'the event does not matter here',
          };
        }
        const payment = await findSubject(api.db, event.subject);
        return {
          ...stored,
          acknowledgement: notificationResponse('processed'),
          ...(payment ? { payment } : {}),
        };
      },
    },
  ];
}

export async function matchNotification(db: Database, body: string): Promise<NotifiedPayment | undefined> {
  const subject = readEvent(body)?.subject;
  return subject && findSubject(db, subject);
}
