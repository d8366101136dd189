import { isSettled } from '../../domain/payment';
import type { NotificationRoute, RailApi } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { callbackAbout, notificationAbout } from './description';
import { neutralPage, resultPage } from './responses';
import { withParameters } from './return-url';

/** Where a customer's browser comes back to, and where the processor notifies us (specification, Endpoints). */
export const callbackPath = '/cardproc/callback.php';
export const notificationPath = '/listen_cardproc.php';

const fields = ['OrderTrackingId', 'OrderMerchantReference', 'OrderNotificationType'] as const;
type Reference = Partial<Record<(typeof fields)[number], string>>;

/** Nothing here is signed: what comes in names an order, and only the processor's own answer says what became of it. */
export function cardprocNotifications(api: RailApi): NotificationRoute[] {
  const notification: Omit<NotificationRoute, 'method' | 'about'> = {
    path: notificationPath,
    async receive({ query, rawBody }) {
      const reference = { ...referenceIn(bodyOf(rawBody)), ...referenceIn(query) };
      const acknowledgement = { status: 200, body: echoOf(reference) };
      const payment = await findPayment(api, reference);
      // A stranger is told the same, and nothing is kept.
      if (!payment) return { kind: 'answer', ...acknowledgement };
      return { kind: 'hint', payment, body: JSON.stringify(reference), acknowledgement };
    },
  };
  return [
    // The processor notifies by the method that the address was registered for, maybe by a person at its dashboard.
    { ...notification, method: 'POST', about: notificationAbout('hostedCheckoutNotification') },
    { ...notification, method: 'GET', about: notificationAbout('hostedCheckoutNotificationByGet') },
    {
      method: 'GET',
      path: callbackPath,
      about: callbackAbout,
      async receive({ query, clientAddress: sourceAddress }) {
        const reference = referenceIn(query);
        const payment = await findPayment(api, reference);
        if (!payment) return { kind: 'page', ...neutralPage };
        const hint = { body: JSON.stringify(reference), sourceAddress };
        const now = isSettled(payment.state) ? payment : await api.checkOnUnverifiedEvent(payment, hint);
        const { callback_url: own } = now.details;
        if (own === undefined) return { kind: 'page', ...resultPage(now), payment };
        const location = withParameters(own, asTheMerchantKnowsIt(reference, now));
        return { kind: 'redirect', location, payment };
      },
    },
  ];
}

/** The merchant's page is told the merchant's own reference; ours is the processor's affair. */
function asTheMerchantKnowsIt(reference: Reference, { order_id: orderId }: PaymentRow): Reference {
  return { ...reference, OrderMerchantReference: orderId ?? '' };
}

/** Both names of an order must be known to belong together: one alone proves nothing. */
async function findPayment({ db }: RailApi, reference: Reference): Promise<PaymentRow | undefined> {
  const { OrderTrackingId: trackingId = '', OrderMerchantReference: submittedAs = '' } = reference;
  if (!/^[\x21-\x7e]{1,120}$/.test(trackingId)) return undefined;
  const payment = await db('payments').where({ rail: 'cardproc', provider_reference: trackingId }).first();
  const isKnown =
    payment?.provider_reference === trackingId && payment.details['submitted_as'] === submittedAs;
  return isKnown ? payment : undefined;
}

/** The names come in any letter case; what is no text is not there. */
function referenceIn(told: Record<string, unknown>): Reference {
  const byName = new Map(Object.entries(told).map(([name, value]) => [name.toLowerCase(), value]));
  const reference: Reference = {};
  for (const field of fields) {
    const value = byName.get(field.toLowerCase());
    if (typeof value === 'string' && value.length <= 200) reference[field] = value;
  }
  return reference;
}

/** JSON or a form, whatever its type says. */
function bodyOf(rawBody: Buffer): Record<string, unknown> {
  const text = rawBody.toString('utf8');
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return Object.fromEntries(new URLSearchParams(text));
  }
}

/** The answer that the processor wants; without it the notification comes again. */
function echoOf(reference: Reference): Record<string, unknown> {
  return {
    orderNotificationType: reference.OrderNotificationType ?? 'IPNCHANGE',
    orderTrackingId: reference.OrderTrackingId ?? '',
    orderMerchantReference: reference.OrderMerchantReference ?? '',
    status: 200,
  };
}
