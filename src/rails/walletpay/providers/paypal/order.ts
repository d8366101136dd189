/** An order in the provider's format, and the payment result in it. */
import type { ProviderResult } from '../../../../domain/outcome';
import { formatAmount, isCurrency } from '../../../../domain/money';
import { meaningOf } from '../../../../rail-kit/provider-words';
import type { PaymentRow } from '../../../../store/tables';
import { listOf, readMoney, recordOf, textOf, wordOf, type Money } from './wire';

export interface Order {
  id: string;
  status: string;
  captures: Capture[];
  refunds: Refund[];
  /** Our ids in the order: custom_id and invoice_id, its own and its captures'. */
  ourNames: string[];
  /** The page where the buyer approves. */
  approvalUrl: string;
}

export interface Capture {
  id: string;
  status: string;
  reason: string;
  money: Money;
}

export interface Refund {
  id: string;
  status: string;
  money: Money;
  /** The capture's total refunds by then, including this refund. */
  totalSoFar: Money;
  /** The refunded capture. */
  captureId: string;
  createdAt: string;
  /** Why it is pending or has failed. */
  reason: string;
  /** Our ids in the refund: custom_id and invoice_id, its own or its order's. */
  names: string[];
}

/** After this event, the provider reversed the money, rather than the merchant refunding it. */
const reversalEvent = 'PAYMENT.CAPTURE.REVERSED';
const refundEvent = 'PAYMENT.CAPTURE.REFUNDED';
const approvalLinks = ['payer-action', 'approve'];

/** @returns undefined for anything without an id and a status. */
export function readOrder(json: unknown): Order | undefined {
  const { id, status, purchase_units: units, links } = recordOf(json);
  if (wordOf(id) === '' || wordOf(status) === '') return undefined;
  const unit = listOf(units)[0] ?? {};
  const payments = recordOf(unit['payments']);
  const captures = listOf(payments['captures']);
  return {
    id: wordOf(id),
    status: wordOf(status),
    captures: captures.map(readCapture),
    refunds: listOf(payments['refunds']).map(readRefund),
    ourNames: [unit, ...captures].flatMap((part) =>
      [textOf(part['custom_id']), textOf(part['invoice_id'])].filter((name) => name !== ''),
    ),
    approvalUrl: textOf(listOf(links).find(({ rel }) => approvalLinks.includes(textOf(rel)))?.['href']),
  };
}

function readCapture({ id, status, status_details: why, amount }: Record<string, unknown>): Capture {
  const reason = wordOf(recordOf(why)['reason']);
  return { id: wordOf(id), status: wordOf(status), reason, money: readMoney(amount) };
}

export function readRefund(refund: Record<string, unknown>): Refund {
  const { id, status, amount, seller_payable_breakdown: breakdown, create_time: createdAt, links } = refund;
  const { status_details: why, custom_id: custom, invoice_id: invoice } = refund;
  const parent = textOf(listOf(links).find(({ rel }) => rel === 'up')?.['href']);
  return {
    id: wordOf(id),
    status: wordOf(status),
    money: readMoney(amount),
    totalSoFar: readMoney(recordOf(breakdown)['total_refunded_amount']),
    captureId: wordOf(parent.split('/').at(-1)),
    createdAt: textOf(createdAt),
    reason: wordOf(recordOf(why)['reason']),
    names: [textOf(custom), textOf(invoice)].filter((name) => name !== ''),
  };
}

/** An answer about another order, or with another order's id, says nothing about this payment. */
export function isAbout({ id, ourNames }: Order, payment: PaymentRow): boolean {
  const isOurs = ourNames.length > 0 && ourNames.every((name) => name === payment.payment_id);
  return isOurs && (payment.provider_reference === null || id === payment.provider_reference);
}

/** The one payment of an order: a completed capture first, then a pending one, then a declined one. */
function captureOf({ captures }: Order): Capture | undefined {
  const ranks = [['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'], ['PENDING']];
  for (const statuses of ranks) {
    const found = captures.find(({ status }) => statuses.includes(status));
    if (found) return found;
  }
  return captures.at(-1);
}

interface Circumstances {
  /** True when an unapproved order can no longer be paid. */
  isExpired: boolean;
}

/**
 * The result from the order itself, as long as there is no capture. COMPLETED is not in this list: it proves no
 * payment.
 */
const withoutCapture: Readonly<Record<string, 'open' | 'approved' | 'failed'>> = {
  CREATED: 'open',
  SAVED: 'open',
  PAYER_ACTION_REQUIRED: 'open',
  APPROVED: 'approved',
  VOIDED: 'failed',
};

/** An unknown status means neither paid nor failed. */
export function resultOf(order: Order, payment: PaymentRow, { isExpired }: Circumstances): ProviderResult {
  const { id: providerReference, status } = order;
  if (!isAbout(order, payment)) return { kind: 'unknown', text: 'the order does not belong to this payment' };
  const capture = captureOf(order);
  if (capture) return resultOfCapture(order, capture, payment);
  switch (meaningOf(withoutCapture, status)) {
    case 'approved':
      return { kind: 'open', approved: true, text: status, providerReference };
    case 'open':
      return isExpired
        ? {
            kind: 'failed',
            code: 'ORDER_EXPIRED',
            text: `Not approved in time: ${status}`,
            providerReference,
          }
        : { kind: 'open', text: status, providerReference };
    case 'failed':
      return { kind: 'failed', code: `ORDER_${status}`, text: `The order is ${status}`, providerReference };
    default:
      return { kind: 'unknown', text: `order ${status} without a capture` };
  }
}

function resultOfCapture(order: Order, capture: Capture, payment: PaymentRow): ProviderResult {
  const { id: receipt, status, reason, money } = capture;
  const { id: providerReference } = order;
  if (receipt === '') return { kind: 'unknown', text: `a capture without an id, ${status}` };
  const details = { capture_id: receipt, capture_status: status, capture_reason: reason };
  switch (status) {
    case 'PENDING':
      return { kind: 'open', text: `capture PENDING ${reason}`.trim(), providerReference, details };
    case 'DECLINED':
    case 'FAILED':
      return {
        kind: 'failed',
        code: `CAPTURE_${status}`,
        text: reason === '' ? `The capture was ${status}` : reason,
        providerReference,
        details,
      };
    case 'COMPLETED':
      return paid({ code: status, text: status, providerReference, receipt, details }, money, payment);
    case 'PARTIALLY_REFUNDED':
    case 'REFUNDED':
      return wasReturned(order, capture, payment, details);
    default:
      return { kind: 'unknown', text: `capture ${status}` };
  }
}

type CaptureFields = Omit<
  Extract<ProviderResult, { kind: 'succeeded' }>,
  'kind' | 'amountMinor' | 'currency'
>;

/**
 * Without a readable amount a success does not count, unless it is in an unexpected currency: then an operator reviews
 * it.
 */
function paid(
  reported: CaptureFields,
  { currency, amountMinor }: Money,
  payment: PaymentRow,
): ProviderResult {
  if (amountMinor !== undefined) return { kind: 'succeeded', ...reported, currency, amountMinor };
  return currency !== '' && currency !== payment.instructed_currency
    ? { kind: 'succeeded', ...reported, currency }
    : { kind: 'unknown', text: `capture ${reported.code} without a readable amount` };
}

function wasReturned(
  order: Order,
  { id: receipt, status, money }: Capture,
  payment: PaymentRow,
  details: Record<string, string>,
): ProviderResult {
  const { currency, amountMinor: paidMinor } = money;
  if (paidMinor === undefined)
    return { kind: 'unknown', text: `capture ${status} without a readable amount` };
  const refunded = refundedMinor(order.refunds, receipt, currency);
  if (refunded === 'unreadable') return { kind: 'unknown', text: 'a refund that cannot be read' };
  // REFUNDED means completely refunded, whether or not the refunds are listed. The status may include a pending refund,
  // and still include it for a while after it failed.
  const isAll = status === 'REFUNDED' && order.refunds.every(isDone);
  const returnedMinor = isAll && refunded < paidMinor ? paidMinor : refunded;
  const common = { code: status, text: status, providerReference: order.id, receipt };
  if (returnedMinor === 0n) {
    return order.refunds.length > 0
      ? paid({ ...common, details }, money, payment)
      : { kind: 'unknown', text: `capture ${status}, but no refund is listed` };
  }
  const done = order.refunds.filter(isDone).sort(byTime);
  const latest = done.at(-1)?.id ?? '';
  const { capture_event: event, reversal_reported: reported } = payment.details;
  const reversed = event === reversalEvent || reported !== undefined;
  return {
    ...common,
    kind: reversed ? 'reversed' : 'refunded',
    code: reversed ? 'REVERSED' : status,
    paidMinor,
    returnedMinor,
    refunds: done.map(({ id, money: { amountMinor = 0n }, names }) => ({ id, amountMinor, names })),
    currency,
    details: {
      ...details,
      ...(latest === '' ? {} : { refund_id: latest }),
      refund_amount: isCurrency(currency) ? formatAmount(returnedMinor, currency) : '',
    },
  };
}

/** Whether another query is needed for the refunded amount and the refund's id. */
export function lacksRefund(order: Order, refundId: string): boolean {
  const isListed = order.refunds.some(({ id }) => id === refundId);
  const isReturned = ['PARTIALLY_REFUNDED', 'REFUNDED'].includes(captureOf(order)?.status ?? '');
  return refundId !== '' && !isListed && isReturned;
}

/** Whether the listed refunds add up to the capture's refunded total: then an unlisted refund was not made. */
export function listsAllRefunds(order: Order): boolean {
  const capture = captureOf(order);
  if (!capture) return false;
  const { id, status, money } = capture;
  const refunded = refundedMinor(order.refunds, id, money.currency);
  if (refunded === 'unreadable') return false;
  const listed = order.refunds
    .filter(isDone)
    .reduce((sum, { money: { amountMinor = 0n } }) => sum + amountMinor, 0n);
  const isWhole = status !== 'REFUNDED' || listed === money.amountMinor;
  const isPart = status !== 'PARTIALLY_REFUNDED' || listed > 0n;
  return isWhole && isPart && refunded === listed;
}

/** Whether this much of the capture is left beside the listed refunds, done or pending. Minor units. */
export function hasRoomFor(order: Order, minor: bigint): boolean {
  const paidMinor = captureOf(order)?.money.amountMinor ?? 0n;
  const taken = order.refunds
    .filter(({ status }) => status === 'COMPLETED' || status === 'PENDING')
    .reduce((sum, { money: { amountMinor = 0n } }) => sum + amountMinor, 0n);
  return taken + minor <= paidMinor;
}

/** Whether an event with a refund id is ahead of the order. */
export function isReportedAhead({ refunds }: Order, { details }: PaymentRow): boolean {
  const { capture_event: event, refund_id: reported } = details;
  const isKnown = refunds.some((refund) => refund.id === reported && isDone(refund));
  const isOfRefund = event === refundEvent || event === reversalEvent;
  return isOfRefund && reported !== undefined && !isKnown;
}

const isDone = ({ status }: Refund) => status === 'COMPLETED';
const byTime = (a: Refund, b: Refund) => Date.parse(a.createdAt) - Date.parse(b.createdAt);

/** The total of all refunds: the larger of the listed refunds' sum and the total in the latest one. */
function refundedMinor(refunds: Refund[], captureId: string, currency: string): bigint | 'unreadable' {
  let sum = 0n;
  let reported = 0n;
  for (const refund of refunds.filter(isDone)) {
    const { money, totalSoFar, captureId: parent } = refund;
    const isOurs = money.currency === currency && (parent === '' || parent === captureId);
    if (!isOurs || money.amountMinor === undefined) return 'unreadable';
    sum += money.amountMinor;
    const total = totalSoFar.currency === currency ? (totalSoFar.amountMinor ?? 0n) : 0n;
    if (total > reported) reported = total;
  }
  return sum > reported ? sum : reported;
}
