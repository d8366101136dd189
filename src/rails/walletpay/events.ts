/** Which payment an event of the provider is about. What it says of that payment is asked anew, and never believed. */
import { validate as isUuid } from 'uuid';
import { isCurrency, parseAmount } from '../../domain/money';
import type { Finding } from '../../domain/outcome';
import type { PaymentKind } from '../../domain/payment';
import type { NotifiedPayment } from '../../rail-kit/rail';
import type { Database } from '../../store/database';

type Fields = Record<string, unknown>;
type Hint = Extract<Finding, { kind: 'hint' }>;
type Warned = Pick<Hint, 'warns' | 'notes' | 'mayTake' | 'dispute'>;

/** The names that an event knows its payment by. */
interface Subject {
  kind: PaymentKind;
  /** What the provider calls the refund it is about; one that a merchant asked for is a payment of its own. */
  refundId?: string | undefined;
  /** The provider's order or batch. */
  reference?: string | undefined;
  /** The order's capture, which is the payment's receipt. */
  captureId?: string | undefined;
  /** Ours, as the provider was given them. */
  ownIds: string[];
  /** What the question to the provider has to name. */
  details?: Record<string, string>;
  /** What it warns of, and what is kept of that to be shown. */
  warning?: Warned;
}

export interface Event {
  id: string;
  type: string;
  /** Undefined for an event of no interest to us. */
  subject: Subject | undefined;
}

/** Integrators tell of these; the provider's list of events for Payments v2 does not. */
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

/** What a webhook is registered for. The specification's spelling is in no list of the provider's. */
export const providerEventTypes = Object.keys(readers).filter(
  (type) => !['PAYOUTS.PAYMENT.', `${unlisted}.`].some((prefix) => type.startsWith(prefix)),
);

const reversal = 'PAYMENT.CAPTURE.REVERSED';

function named<T>(prefix: string, endings: string[], reader: T): Record<string, T> {
  return Object.fromEntries(endings.map((ending) => [`${prefix}.${ending}`, reader]));
}

/** @returns undefined for what is no event: anything without an id and a type. */
export function readEvent(text: string): Event | undefined {
  const { id, event_type: type, resource } = recordOf(parsed(text));
  if (typeof id !== 'string' || id === '' || typeof type !== 'string' || type === '') return undefined;
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return { id, type, subject: reader?.(recordOf(resource), type) };
}

/** Something changed: the provider's own answer tells what. */
export function hintOf(text: string): Hint | { kind: 'unknown'; text: string } {
  const event = readEvent(text);
  if (!event?.subject) return { kind: 'unknown', text: 'not an event of ours' };
  const { reference, details, warning } = event.subject;
  return {
    kind: 'hint',
    text: event.type,
    ...(reference === undefined ? {} : { providerReference: reference }),
    ...(details === undefined ? {} : { details }),
    ...warning,
  };
}

/**
 * The same of a refund that a merchant asked for: its order's names say nothing of it. What the provider calls the refund
 * may be news, also of one that we have called failed.
 */
export function refundHintOf(text: string): Hint | { kind: 'unknown'; text: string } {
  const event = readEvent(text);
  if (!event?.subject) return { kind: 'unknown', text: 'not an event of ours' };
  const { refundId } = event.subject;
  return {
    kind: 'hint',
    text: event.type,
    ...(refundId === undefined ? {} : { providerReference: refundId }),
  };
}

/** By our own name first: it is as old as the payment, while the provider's is only learnt with its answer. */
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

/** What was approved and not captured yet is not approved any more. It names its order in a field of its own. */
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

/** The refund names its capture in a link only. Which refund, and which event, decide what is asked. */
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
      ? { warning: { warns: 'reversal_told', notes: { reversal_told: type }, ...mayTake(refund['amount']) } }
      : {}),
  };
}

/**
 * A dispute names its captures, and of each what we have called it (PayPal, Customer Disputes v1: `disputed_transactions`,
 * where the sandbox gives `seller_transaction_id` only). It is told for a person to answer; its amount is held, and no
 * money is booked for it.
 */
function aboutDispute(dispute: Fields): Subject {
  const { disputed_transactions: all, dispute_amount: amount, dispute_outcome: outcome } = dispute;
  const {
    seller_transaction_id: captureId,
    custom,
    invoice_number: invoice,
  } = recordOf(Array.isArray(all) ? all[0] : undefined);
  const { currency_code: currency, value } = recordOf(amount);
  const told = {
    dispute_id: wordOf(dispute['dispute_id']),
    dispute_status: wordOf(dispute['status']),
    dispute_reason: wordOf(dispute['reason']),
    dispute_amount: /^[\d.]{1,20} [A-Z]{3}$/.exec([value, currency].join(' '))?.[0],
    dispute_outcome: wordOf(recordOf(outcome)['outcome_code']),
  };
  const notes = Object.entries(told).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]));
  return {
    kind: 'deposit',
    captureId: wordOf(captureId),
    ownIds: ownIdsOf({ custom_id: custom, invoice_id: invoice }),
    warning: {
      warns: 'disputed',
      notes: Object.fromEntries(notes) as Record<string, string>,
      ...mayTake(amount),
      ...disputeOf(dispute, told.dispute_outcome),
    },
  };
}

/**
 * What a dispute can end with for the seller (PayPal, Customer Disputes v1, `outcome_code`). Any other end leaves the case
 * to a person, and what is taken back shows in the order.
 */
const wonOutcomes = ['RESOLVED_SELLER_FAVOUR', 'CANCELED_BY_BUYER'];

function disputeOf(
  { dispute_id: id, update_time: at, status }: Fields,
  outcome = '',
): Pick<Warned, 'dispute'> {
  const toldAt = typeof at === 'string' && moment.test(at) ? Date.parse(at) : Number.NaN;
  const named = wordOf(id);
  if (named === undefined || Number.isNaN(toldAt)) return {};
  const isWon = status === 'RESOLVED' && wonOutcomes.includes(outcome);
  return { dispute: { id: named, toldAt: new Date(toldAt).toISOString(), isWon } };
}

const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** A part of which no amount is told, or none that we can read, may be all of it. */
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

/** Which event it was decides how long the item is asked about that does not show it yet. */
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

/** What the link to a resource's parent ends with, where that is one of these. */
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
