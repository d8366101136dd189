/**
 * Finds the payment that a provider event concerns. The event only causes a status query; its content is never trusted.
 */
import { validate as isUuid } from 'uuid';
import { isCurrency, parseAmount } from '../../domain/money';
import type { ProviderResult } from '../../domain/outcome';
import type { PaymentKind } from '../../domain/payment';
import type { NotifiedPayment } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import { wireJson } from '../../rail-kit/wire-json';

type Fields = Record<string, unknown>;
type UnverifiedResult = Extract<ProviderResult, { kind: 'unverified' }>;
type Warned = Pick<UnverifiedResult, 'warns' | 'notes' | 'mayTake' | 'dispute'>;

/** The ids in an event that identify its payment. */
interface Subject {
  kind: PaymentKind;
  /** The provider's id of the refund; a refund that a merchant requested is a payment of its own. */
  refundId?: string | undefined;
  /** The provider's order or batch. */
  reference?: string | undefined;
  /** The order's capture, which is the payment's receipt. */
  captureId?: string | undefined;
  /** Our ids, as submitted to the provider. */
  ownIds: string[];
  /** The ids that the status query needs. */
  details?: Record<string, string>;
  /** The warning in the event, and its details for display. */
  warning?: Warned;
}

export interface Event {
  id: string;
  type: string;
  /** Undefined for an event that does not matter here. */
  subject: Subject | undefined;
}

/** Integrators report these events; the provider's event list for Payments v2 does not contain them. */
const unlisted = 'PAYMENT.REFUND';

const readers: Readonly<Record<string, (resource: Fields, type: string) => Subject>> = {
  'CHECKOUT.ORDER.APPROVED': aboutOrder,
  'CHECKOUT.PAYMENT-APPROVAL.REVERSED': aboutApproval,
  ...named('PAYMENT.CAPTURE', ['COMPLETED', 'PENDING', 'DENIED', 'DECLINED'], aboutCapture),
  ...named('PAYMENT.CAPTURE', ['REFUNDED', 'REVERSED'], aboutRefund),
  ...named(unlisted, ['PENDING', 'COMPLETED', 'FAILED'], aboutRefund),
  ...named('CUSTOMER.DISPUTE', ['CREATED', 'UPDATED', 'RESOLVED'], aboutDispute),
  ...named('PAYMENT.PAYOUTSBATCH', ['SUCCESS', 'PROCESSING', 'DENIED'], aboutBatch),
  // The specification's spelling and the provider's own.
  ...named('PAYOUTS.PAYMENT', ['SUCCESS', 'FAILED', 'UNCLAIMED'], aboutItem),
  ...named(
    'PAYMENT.PAYOUTS-ITEM',
    ['SUCCEEDED', 'FAILED', 'UNCLAIMED', 'HELD', 'BLOCKED', 'CANCELED', 'DENIED'],
    aboutItem,
  ),
  ...named('PAYMENT.PAYOUTS-ITEM', ['RETURNED', 'REFUNDED'], aboutReturn),
};

/** The events for which a webhook is registered. The provider's list does not contain the specification's spelling. */
export const providerEventTypes = Object.keys(readers).filter(
  (type) => !['PAYOUTS.PAYMENT.', `${unlisted}.`].some((prefix) => type.startsWith(prefix)),
);

const reversal = 'PAYMENT.CAPTURE.REVERSED';

function named<T>(prefix: string, endings: string[], reader: T): Record<string, T> {
  return Object.fromEntries(endings.map((ending) => [`${prefix}.${ending}`, reader]));
}

/** @returns undefined for anything without an id and a type. */
export function readEvent(text: string): Event | undefined {
  const { id, event_type: type, resource } = recordOf(wireJson(text));
  if (typeof id !== 'string' || id === '' || typeof type !== 'string' || type === '') return undefined;
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return { id, type, subject: reader?.(recordOf(resource), type) };
}

/** Something changed: the provider's answer to a status query shows what. */
export function unverifiedOf(text: string): UnverifiedResult | { kind: 'unknown'; text: string } {
  const event = readEvent(text);
  if (!event?.subject) return { kind: 'unknown', text: 'not an event of ours' };
  const { reference, details, warning } = event.subject;
  return {
    kind: 'unverified',
    text: event.type,
    ...(reference === undefined ? {} : { providerReference: reference }),
    ...(details === undefined ? {} : { details }),
    ...warning,
  };
}

/**
 * The same for a refund that a merchant requested: the ids of its order do not identify it. The provider's refund id
 * may be new, even for a refund that has failed here.
 */
export function refundUnverifiedOf(text: string): UnverifiedResult | { kind: 'unknown'; text: string } {
  const event = readEvent(text);
  if (!event?.subject) return { kind: 'unknown', text: 'not an event of ours' };
  const { refundId } = event.subject;
  return {
    kind: 'unverified',
    text: event.type,
    ...(refundId === undefined ? {} : { providerReference: refundId }),
  };
}

/** By our own id first: it is as old as the payment, while the provider's id is only known from its answer. */
export async function findSubject(
  db: Database,
  { kind, ownIds, reference, captureId, refundId }: Subject,
): Promise<NotifiedPayment | undefined> {
  const ids = ownIds.filter(isUuid).map((id) => ({ payment_id: id.toLowerCase() }));
  const refund = { kind: 'refund' } as const;
  const names = [
    ...(refundId === undefined
      ? []
      : [...ids, { provider_reference: refundId }].map((name) => ({ ...name, ...refund }))),
    ...ids.map((id) => ({ ...id, kind })),
    ...(reference === undefined ? [] : [{ provider_reference: reference, kind }]),
    ...(captureId === undefined ? [] : [{ provider_receipt: captureId, kind }]),
  ];
  for (const name of names) {
    const found = await db('payments')
      .where({ rail: 'walletpay', ...name })
      .first('payment_id', 'workflow_id');
    if (found) return found;
  }
  return undefined;
}

function aboutOrder({ id, purchase_units: units }: Fields): Subject {
  const unit = Array.isArray(units) ? recordOf(units[0]) : {};
  return { kind: 'deposit', reference: wordOf(id), ownIds: ownIdsOf(unit) };
}

/** The approval of an order without a capture was withdrawn. The event has its order in a field of its own. */
function aboutApproval({ order_id: orderId, ...resource }: Fields): Subject {
  const about = aboutOrder(resource);
  return { ...about, reference: wordOf(orderId) ?? about.reference };
}

function aboutCapture(capture: Fields): Subject {
  return {
    kind: 'deposit',
    reference: orderOf(capture),
    captureId: wordOf(capture['id']),
    ownIds: ownIdsOf(capture),
  };
}

/** The refund has its capture only in a link. The refund and the event type determine the query. */
function aboutRefund(refund: Fields, type: string): Subject {
  const refundId = wordOf(refund['id']);
  return {
    kind: 'deposit',
    refundId: type === reversal ? undefined : refundId,
    reference: orderOf(refund),
    captureId: parentOf(refund, 'captures'),
    ownIds: ownIdsOf(refund),
    details: { capture_event: type, ...(refundId === undefined ? {} : { refund_id: refundId }) },
    ...(type === reversal
      ? {
          warning: {
            warns: 'reversal_reported',
            notes: { reversal_reported: type },
            ...mayTake(refund['amount']),
          },
        }
      : {}),
  };
}

/**
 * A dispute names its captures, each with our id (PayPal, Customer Disputes v1: `disputed_transactions`, where the
 * sandbox has only `seller_transaction_id`). An operator must answer it. Its amount is reserved, and no money is booked
 * for it.
 */
function aboutDispute(dispute: Fields): Subject {
  const { disputed_transactions: all, dispute_amount: amount, dispute_outcome: outcome } = dispute;
  const {
    seller_transaction_id: captureId,
    custom,
    invoice_number: invoice,
  } = recordOf(Array.isArray(all) ? all[0] : undefined);
  const { currency_code: currency, value } = recordOf(amount);
  const reported = {
    dispute_id: wordOf(dispute['dispute_id']),
    dispute_status: wordOf(dispute['status']),
    dispute_reason: wordOf(dispute['reason']),
    dispute_amount: /^[\d.]{1,20} [A-Z]{3}$/.exec([value, currency].join(' '))?.[0],
    dispute_outcome: wordOf(recordOf(outcome)['outcome_code']),
  };
  const notes = Object.entries(reported).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text]],
  );
  return {
    kind: 'deposit',
    captureId: wordOf(captureId),
    ownIds: ownIdsOf({ custom_id: custom, invoice_id: invoice }),
    warning: {
      warns: 'disputed',
      notes: Object.fromEntries(notes) as Record<string, string>,
      ...mayTake(amount),
      ...disputeOf(dispute, reported.dispute_outcome),
    },
  };
}

/**
 * Outcomes that the seller wins (PayPal, Customer Disputes v1, `outcome_code`). After any other outcome the case stays
 * open, and the order shows what was reversed.
 */
const wonOutcomes = ['RESOLVED_SELLER_FAVOUR', 'CANCELED_BY_BUYER'];

function disputeOf(
  { dispute_id: id, update_time: at, status }: Fields,
  outcome = '',
): Pick<Warned, 'dispute'> {
  const reportedAt = typeof at === 'string' && moment.test(at) ? Date.parse(at) : Number.NaN;
  const named = wordOf(id);
  if (named === undefined || Number.isNaN(reportedAt)) return {};
  const isWon = status === 'RESOLVED' && wonOutcomes.includes(outcome);
  return { dispute: { id: named, reportedAt: new Date(reportedAt).toISOString(), isWon } };
}

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Without a readable amount, the whole payment may be reversed. */
function mayTake(amount: unknown): Pick<Warned, 'mayTake'> {
  const { value, currency_code: currency } = recordOf(amount);
  if (typeof value !== 'string' || typeof currency !== 'string' || !isCurrency(currency)) return {};
  const amountMinor = parseAmount(value, currency);
  return amountMinor === undefined || amountMinor === 0n ? {} : { mayTake: { amountMinor, currency } };
}

function aboutBatch({ batch_header: header }: Fields): Subject {
  const { payout_batch_id: batchId, sender_batch_header: sender } = recordOf(header);
  return {
    kind: 'payout',
    reference: wordOf(batchId),
    ownIds: payoutIdsOf(recordOf(sender)['sender_batch_id']),
  };
}

function aboutItem({
  payout_batch_id: batchId,
  payout_item: item,
  sender_batch_id: sender,
}: Fields): Subject {
  return {
    kind: 'payout',
    reference: wordOf(batchId),
    ownIds: payoutIdsOf(recordOf(item)['sender_item_id'], sender),
  };
}

/** The event type determines how long an item is polled that does not show the change yet. */
function aboutReturn(item: Fields, type: string): Subject {
  return { ...aboutItem(item), details: { item_event: type } };
}

/** custom_id and invoice_id are our transaction_id. */
function ownIdsOf({ custom_id: custom, invoice_id: invoice }: Fields): string[] {
  return [custom, invoice].filter((id) => typeof id === 'string');
}

/** sender_batch_id and sender_item_id are `po-` and our payout_id. */
function payoutIdsOf(...names: unknown[]): string[] {
  return names.flatMap((name) => (typeof name === 'string' && name.startsWith('po-') ? name.slice(3) : []));
}

/** Not every event of a capture has a field for its order (PayPal's sample of PAYMENT.CAPTURE.PENDING). */
function orderOf(resource: Fields): string | undefined {
  const named = wordOf(recordOf(recordOf(resource['supplementary_data'])['related_ids'])['order_id']);
  return named ?? parentOf(resource, 'orders');
}

/** The id at the end of the link to a resource's parent, if it is one of these. */
function parentOf({ links }: Fields, collection: 'captures' | 'orders'): string | undefined {
  const parent = (Array.isArray(links) ? links.map(recordOf) : []).find(({ rel }) => rel === 'up')?.['href'];
  const [of, id] = typeof parent === 'string' ? parent.split('/').slice(-2) : [];
  return of === collection ? wordOf(id) : undefined;
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : undefined;
}

function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
