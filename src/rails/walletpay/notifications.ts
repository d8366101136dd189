import { PaymentError, type ErrorCode } from '../../domain/errors';
import type { NotificationRoute, NotifiedPayment, RailApi, ReceivedNotification } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import { landingAbout, webhookAbout } from './description';
import { findSubject, readEvent } from './events';
import type { WebhookVerdict } from './providers/paypal';

export const webhookPath = '/api/v1/walletpay/webhook';
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

const refused = (code: ErrorCode, why: string, message?: string): ReceivedNotification => ({
  kind: 'refuse',
  error: new PaymentError(code, message === undefined ? {} : { message }),
  why,
});

/** The provider's events: genuine ones, and the sandbox's unsigned ones, are stored once each, and make us ask. */
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
          text: 'You can close this page; the shop will tell you how it went.',
        }),
    },
    {
      method: 'POST',
      path: webhookPath,
      about: webhookAbout,
      async receive({ headers, rawBody }) {
        const verdict = await verify(headers, rawBody);
        if (verdict.kind === 'forged') return refused('INVALID_SIGNATURE', verdict.why);
        // It is delivered again, and may be proven then.
        if (verdict.kind === 'unknown') {
          return refused('SERVICE_UNAVAILABLE', verdict.why, 'The signature cannot be checked right now');
        }
        const body = rawBody.toString('utf8');
        const event = readEvent(body);
        if (!event) return refused('INVALID_EVENT', 'a body that is no event');
        const stored = {
          kind: 'take',
          isProven: verdict.kind === 'genuine',
          eventKey: event.id,
          body,
          repeated: told('duplicate'),
        } as const;
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
