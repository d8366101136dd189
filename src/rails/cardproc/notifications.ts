import { isSettled } from '../../domain/payment';
import type { NotificationRoute, RailApi } from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { callbackAbout, notificationAbout } from './description';
import { neutralPage, resultPage } from './responses';
import { withParameters } from './return-url';
import { wireJson } from '../../rail-kit/wire-json';

/** The address for returning browsers, and the address for the processor's notifications (specification, Endpoints). */
export const callbackPath = '/cardproc/callback.php';
export const notificationPath = '/listen_cardproc.php';

const fields = ['OrderTrackingId', 'OrderMerchantReference', 'OrderNotificationType'] as const;
type Reference = Partial<Record<(typeof fields)[number], string>>;

/**
 * Nothing here is signed. A notification only names an order, and the processor's answer to a status query gives the
 * result.
 */
export function cardprocNotifications(api: RailApi): NotificationRoute[] {
  const notification: Omit<NotificationRoute, 'method' | 'about'> = {
    path: notificationPath,
    async receive({ query, rawBody }) {
      const reference = { ...referenceIn(bodyOf(rawBody)), ...referenceIn(query) };
      const acknowledgement = { status: 200, body: echoOf(reference) };
      const payment = await findPayment(api, reference);
      // An unknown order gets the same answer, and nothing is stored.
      if (!payment) return { kind: 'answer', ...acknowledgement };
      return { kind: 'unverified', payment, body: JSON.stringify(reference), acknowledgement };
    },
  };
  return [
    // The processor notifies by the method that was registered for the address, possibly by a user of its dashboard.
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
        const unverified = { body: JSON.stringify(reference), sourceAddress };
        const now = isSettled(payment.state)
          ? payment
          : await api.checkOnUnverifiedEvent(payment, unverified);
        const { callback_url: own } = now.details;
        if (own === undefined) return { kind: 'page', ...resultPage(now), payment };
        const location = withParameters(own, asTheMerchantKnowsIt(reference, now));
        return { kind: 'redirect', location, payment };
      },
    },
  ];
}

/** The merchant's page gets the merchant's own reference. Ours is only for the processor. */
function asTheMerchantKnowsIt(reference: Reference, { order_id: orderId }: PaymentRow): Reference {
  return { ...reference, OrderMerchantReference: orderId ?? '' };
}

/** Both ids of an order must belong together: one alone proves nothing. */
async function findPayment({ db }: RailApi, reference: Reference): Promise<PaymentRow | undefined> {
  const { OrderTrackingId: trackingId = '', OrderMerchantReference: submittedAs = '' } = reference;
  if (!/^[\x21-\x7e]{1,120}$/.test(trackingId)) return undefined;
  const payment = await db('payments').where({ rail: 'cardproc', provider_reference: trackingId }).first();
  const isKnown =
    payment?.provider_reference === trackingId && payment.details['submitted_as'] === submittedAs;
  return isKnown ? payment : undefined;
}

/** The names come in any letter case; a value that is not a text counts as absent. */
function referenceIn(reported: Record<string, unknown>): Reference {
  const byName = new Map(Object.entries(reported).map(([name, value]) => [name.toLowerCase(), value]));
  const reference: Reference = {};
  for (const field of fields) {
    const value = byName.get(field.toLowerCase());
    if (typeof value === 'string' && value.length <= 200) reference[field] = value;
  }
  return reference;
}

/** JSON or a form, whatever its content type says. */
function bodyOf(rawBody: Buffer): Record<string, unknown> {
  const text = rawBody.toString('utf8');
  const json = wireJson(text);
  if (json === undefined) return Object.fromEntries(new URLSearchParams(text));
  return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
}

/**
 * The acknowledgement that the processor expects. Without it the processor repeats the notification. 500 says that it was
 * received and not read: what names no order may be a form that we do not know.
 */
function echoOf(reference: Reference): Record<string, unknown> {
  return {
    orderNotificationType: reference.OrderNotificationType ?? 'IPNCHANGE',
    orderTrackingId: reference.OrderTrackingId ?? '',
    orderMerchantReference: reference.OrderMerchantReference ?? '',
    status: reference.OrderTrackingId === undefined ? 500 : 200,
  };
}
