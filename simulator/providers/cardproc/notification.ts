/** The notification to the merchant's server, and the parameters that a browser takes back. */
import { randomUUID } from 'node:crypto';
import type { Alternatives, Callback, CallbackAnswer } from '../../callbacks';
import { recordOf, type Fields } from '../../fields';

/** Neither contains a status: the receiver must query it. */
export interface Reference {
  trackingId: string;
  merchantReference: string;
}

/** An address for notifications, which an account registers once. */
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

/** Adds the parameters to the address's own query, which stays unchanged. */
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

/** An attacker names an order that does not exist, and then a real order with another reference. */
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

/** Only the documented JSON about the same order ends the retries. */
export function isAcknowledged(callback: Callback, { status, body }: CallbackAnswer): boolean {
  const answer = readJson(body);
  const sent =
    callback.method === 'GET'
      ? Object.fromEntries(new URL(callback.url).searchParams)
      : readJson(callback.body);
  return (
    status === 200 &&
    answer['status'] === 200 &&
    answer['orderNotificationType'] === NOTIFICATION_TYPE &&
    answer['orderTrackingId'] === sent['OrderTrackingId'] &&
    answer['orderMerchantReference'] === sent['OrderMerchantReference']
  );
}

function readJson(text: string): Fields {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return {};
  }
}
