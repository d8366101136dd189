/** What tells of a change: the notification to the merchant's server, and the parameters that a browser takes back. */
import { randomUUID } from 'node:crypto';
import type { Alternatives, Callback, CallbackAnswer } from '../../callbacks';
import { recordOf, type Fields } from '../../fields';

/** Neither carries a status: what has changed, the receiver must ask. */
export interface Reference {
  trackingId: string;
  merchantReference: string;
}

/** An address to notify, registered once by an account. */
export interface Registration {
  /** `ipn_id`, which orders name as their `notification_id`. */
  ipnId: string;
  /** Counts the registrations. */
  number: number;
  account: string;
  url: string;
  type: 'GET' | 'POST';
  createdAt: number;
}

const NOTIFICATION_TYPE = 'IPNCHANGE';

const fieldsOf = ({ trackingId, merchantReference }: Reference) => ({
  OrderTrackingId: trackingId,
  OrderMerchantReference: merchantReference,
  OrderNotificationType: NOTIFICATION_TYPE,
});

/** The address with the parameters behind its own query, which stays as it was, letter by letter. */
export function withReference(address: string, reference: Reference): string {
  const url = new URL(address);
  const parameters = new URLSearchParams(fieldsOf(reference)).toString();
  url.search = url.search === '' ? parameters : `${url.search}&${parameters}`;
  return url.href;
}

export function notificationOf({ type, url }: Registration, reference: Reference): Callback {
  return type === 'GET'
    ? { url: withReference(url, reference), method: 'GET', body: '' }
    : { url, body: JSON.stringify(fieldsOf(reference)) };
}

/** An impostor names an order that does not exist, and then a real order under another reference. */
export function alternativesOf(registration: Registration, reference: Reference): Alternatives {
  const forged = (changes: Partial<Reference>): Callback => ({
    ...notificationOf(registration, { ...reference, ...changes }),
    fault: 'forge',
  });
  return {
    forge: () => [
      forged({ trackingId: randomUUID() }),
      forged({ merchantReference: `forged-${reference.merchantReference}` }),
      notificationOf(registration, reference),
    ],
  };
}

/** Only the documented JSON, about the same order, ends the repetitions. */
export function isAcknowledged(callback: Callback, { status, body }: CallbackAnswer): boolean {
  const said = readJson(body);
  const sent =
    callback.method === 'GET'
      ? Object.fromEntries(new URL(callback.url).searchParams)
      : readJson(callback.body);
  return (
    status === 200 &&
    said['status'] === 200 &&
    said['orderNotificationType'] === NOTIFICATION_TYPE &&
    said['orderTrackingId'] === sent['OrderTrackingId'] &&
    said['orderMerchantReference'] === sent['OrderMerchantReference']
  );
}

function readJson(text: string): Fields {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}
