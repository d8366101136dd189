/** Webhook events: created, stored, signed at each sending, and retried until they are accepted. */
import type { Alternatives, Callback } from '../../../callbacks';
import type { Facts } from '../../../faults';
import { isRecord } from '../../../fields';
import type { ProviderContext } from '../../../provider';
import type { Link } from '../errors';
import { newEventId } from '../identifiers';
import type { WalletpaySettings } from '../settings';
import type { Certificates } from './certificates';
import { signatureFaults, signatureHeaders } from './signature';

export interface EventContent {
  eventType: string;
  resourceType: string;
  resourceVersion: string;
  summary: string;
  resource: object;
}

/** The subject of an event. */
export interface Subject {
  /** Events of one bulkhead keep their order. */
  bulkhead: string;
  facts: Facts;
}

export interface SentEvent {
  id: string;
  eventType: string;
  /** The exact text, because it is signed. */
  text: string;
  subject: Subject;
}

export interface Events {
  /** @param times how often the same event is sent */
  notify(content: EventContent, subject: Subject, times?: number): Promise<SentEvent>;
  find(id: string): SentEvent | undefined;
  sendAgain(event: SentEvent): Promise<void>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Twenty-five attempts over three days, with long delays only after the first hours. */
const RETRY_AFTER_MS = [
  ...[1, 2, 4, 8, 15, 30].map((minutes) => minutes * MINUTE),
  HOUR,
  2 * HOUR,
  ...Array<number>(17).fill(4 * HOUR),
];

export function openEvents(
  { origin, journal, clock, callbacks }: ProviderContext,
  { webhookUrl, webhookId }: WalletpaySettings,
  certificates: Certificates,
): Events {
  const sent = journal.collection<SentEvent>('walletpay.events');
  callbacks.behave({
    headersOf: (callback) => signatureHeaders(callback, certificates, webhookId),
    retryAfterMs: RETRY_AFTER_MS,
  });

  const send = async ({ id, eventType, text, subject }: SentEvent): Promise<void> => {
    if (webhookUrl === undefined) return;
    const { bulkhead, facts } = subject;
    const headers = { 'paypal-cert-url': `${origin}/v1/notifications/certs/` };
    const callback: Callback = { url: webhookUrl, body: text, headers };
    const reported = { ...facts, event_type: eventType, event_id: id };
    await callbacks.send(callback, reported, bulkhead, alternativesOf(callback));
  };

  return {
    async notify(content, subject, times = 1) {
      const id = newEventId();
      const text = JSON.stringify(envelope(id, content, origin, clock.now()));
      const event = { id, eventType: content.eventType, text, subject };
      sent.put(id, event);
      for (let time = 0; time < times; time += 1) await send(event);
      return event;
    },
    find: (id) => sent.get(id),
    sendAgain: send,
  };
}

function envelope(id: string, content: EventContent, origin: string, now: number) {
  const self = `${origin}/v1/notifications/webhooks-events/${id}`;
  return {
    id,
    event_version: '1.0',
    create_time: new Date(now).toISOString(),
    resource_type: content.resourceType,
    resource_version: content.resourceVersion,
    event_type: content.eventType,
    summary: content.summary,
    resource: content.resource,
    links: [
      { href: self, rel: 'self', method: 'GET' },
      { href: `${self}/resend`, rel: 'resend', method: 'POST' },
    ] satisfies Link[],
  };
}

function alternativesOf(callback: Callback): Alternatives {
  const lie = { ...callback, body: liesAbout(callback.body) };
  return {
    ...Object.fromEntries(
      signatureFaults.map((fault) => [fault, (): Callback[] => [{ ...callback, fault }]]),
    ),
    changed_body: () => [{ ...lie, fault: 'changed_body' }],
    forge: () => [{ ...lie, fault: 'bad_signature' }, { ...lie, fault: 'foreign_cert_url' }, callback],
  };
}

/** The most successful event of each kind of resource. */
const latestEvent: Readonly<Record<string, readonly [eventType: string, field: string, status: string]>> = {
  'checkout-order': ['CHECKOUT.ORDER.APPROVED', 'status', 'APPROVED'],
  capture: ['PAYMENT.CAPTURE.COMPLETED', 'status', 'COMPLETED'],
  payouts_item: ['PAYMENT.PAYOUTS-ITEM.SUCCEEDED', 'transaction_status', 'SUCCESS'],
};

function liesAbout(text: string): string {
  const event = JSON.parse(text) as Record<string, unknown>;
  const [eventType, field, status] = latestEvent[String(event['resource_type'])] ?? [];
  if (eventType === undefined || field === undefined) return JSON.stringify({ ...event, id: newEventId() });
  const { resource } = event;
  return JSON.stringify({
    ...event,
    id: newEventId(),
    event_type: eventType,
    resource: isRecord(resource) ? { ...resource, [field]: status } : resource,
  });
}
