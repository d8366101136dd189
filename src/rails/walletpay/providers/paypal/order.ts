/** An order as the provider shows it, and what it says about a payment. */
import type { Finding } from '../../../../domain/outcome';
import { formatAmount, isCurrency } from '../../../../domain/money';
import { meaningOf } from '../../../../rail-kit/provider-words';
import type { PaymentRow } from '../../../../store/tables';
import { listOf, readMoney, recordOf, textOf, wordOf, type Money } from './wire';

export interface Order {
  id: string;
  status: string;
  captures: Capture[];
  refunds: Refund[];
  /** Every name of ours it bears: custom_id and invoice_id, its own and its captures'. */
  ourNames: string[];
  /** Where the buyer decides. */
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
  /** What the capture had given back by then, this refund included. */
  totalSoFar: Money;
  /** The capture that it gives back. */
  captureId: string;
  createdAt: string;
  /** Why it waits or has failed. */
  reason: string;
  /** What its caller has called it: custom_id and invoice_id, its own or its order's. */
  names: string[];
}

/** The event after which what went back was taken back by the provider, rather than refunded. */
const reversalEvent = 'PAYMENT.CAPTURE.REVERSED';
const refundEvent = 'PAYMENT.CAPTURE.REFUNDED';
const approvalLinks = ['payer-action', 'approve'];

/** @returns undefined for anything that has no id and no status. */
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

/** An answer about another order, or one that bears another's name, says nothing about this payment. */
export function isAbout({ id, ourNames }: Order, payment: PaymentRow): boolean {
  const isOurs = ourNames.length > 0 && ourNames.every((name) => name === payment.payment_id);
  return isOurs && (payment.provider_reference === null || id === payment.provider_reference);
}

/** The one payment of an order: money that came counts before money that may come, and that before a no. */
function captureOf({ captures }: Order): Capture | undefined {
  const ranks = [['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'], ['PENDING']];
  for (const statuses of ranks) {
    const found = captures.find(({ status }) => statuses.includes(status));
    if (found) return found;
  }
  return captures.at(-1);
}

interface Circumstances {
  /** True once an order that nobody approved can no longer be paid. */
  isExpired: boolean;
}

/** What the order says by itself, as long as there is no capture. COMPLETED is not among them: it proves no money. */
const withoutCapture: Readonly<Record<string, 'open' | 'approved' | 'failed'>> = {
  CREATED: 'open',
  SAVED: 'open',
  PAYER_ACTION_REQUIRED: 'open',
  APPROVED: 'approved',
  VOIDED: 'failed',
};

/** A status that no table has says nothing: it is neither paid nor failed. */
export function findingOf(order: Order, payment: PaymentRow, { isExpired }: Circumstances): Finding {
  const { id: providerReference, status } = order;
  if (!isAbout(order, payment)) return { kind: 'unknown', text: 'the order is not about this payment' };
  const capture = captureOf(order);
  if (capture) return findingOfCapture(order, capture, payment);
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

function findingOfCapture(order: Order, capture: Capture, payment: PaymentRow): Finding {
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
      return givenBack(order, capture, payment, details);
    default:
      return { kind: 'unknown', text: `capture ${status}` };
  }
}

type CaptureFields = Omit<Extract<Finding, { kind: 'succeeded' }>, 'kind' | 'amountMinor' | 'currency'>;

/** Without a readable amount a success is no success, save in a currency that we did not ask for: a person looks. */
function paid(told: CaptureFields, { currency, amountMinor }: Money, payment: PaymentRow): Finding {
  if (amountMinor !== undefined) return { kind: 'succeeded', ...told, currency, amountMinor };
  return currency !== '' && currency !== payment.instructed_currency
    ? { kind: 'succeeded', ...told, currency }
    : { kind: 'unknown', text: `capture ${told.code} without a readable amount` };
}

function givenBack(
  order: Order,
  { id: receipt, status, money }: Capture,
  payment: PaymentRow,
  details: Record<string, string>,
): Finding {
  const { currency, amountMinor: paidMinor } = money;
  if (paidMinor === undefined)
    return { kind: 'unknown', text: `capture ${status} without a readable amount` };
  const refunded = refundedMinor(order.refunds, receipt, currency);
  if (refunded === 'unreadable') return { kind: 'unknown', text: 'a refund that cannot be read' };
  // REFUNDED is the provider's word for all of it, whether or not it lists how; it may count a refund that only waits, and
  // go on counting it for a while after that has failed.
  const isAll = status === 'REFUNDED' && order.refunds.every(isDone);
  const givenBackMinor = isAll && refunded < paidMinor ? paidMinor : refunded;
  const common = { code: status, text: status, providerReference: order.id, receipt };
  if (givenBackMinor === 0n) {
    return order.refunds.length > 0
      ? paid({ ...common, details }, money, payment)
      : { kind: 'unknown', text: `capture ${status}, and no refund is told` };
  }
  const done = order.refunds.filter(isDone).sort(byTime);
  const latest = done.at(-1)?.id ?? '';
  const { capture_event: event, reversal_told: told } = payment.details;
  const reversed = event === reversalEvent || told !== undefined;
  return {
    ...common,
    kind: reversed ? 'reversed' : 'refunded',
    code: reversed ? 'REVERSED' : status,
    paidMinor,
    givenBackMinor,
    refunds: done.map(({ id, money: { amountMinor = 0n }, names }) => ({ id, amountMinor, names })),
    currency,
    details: {
      ...details,
      ...(latest === '' ? {} : { refund_id: latest }),
      refund_amount: isCurrency(currency) ? formatAmount(givenBackMinor, currency) : '',
    },
  };
}

/** Whether it takes another question to know how much went back, and by which refund. */
export function lacksRefund(order: Order, refundId: string): boolean {
  const isListed = order.refunds.some(({ id }) => id === refundId);
  const isGivenBack = ['PARTIALLY_REFUNDED', 'REFUNDED'].includes(captureOf(order)?.status ?? '');
  return refundId !== '' && !isListed && isGivenBack;
}

/** Whether what its capture has given back is what its refunds make together: then one that is not listed was not made. */
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

/** Whether so much of its capture is left beside the refunds that are listed, done or waiting. Minor units. */
export function hasRoomFor(order: Order, minor: bigint): boolean {
  const paidMinor = captureOf(order)?.money.amountMinor ?? 0n;
  const taken = order.refunds
    .filter(({ status }) => status === 'COMPLETED' || status === 'PENDING')
    .reduce((sum, { money: { amountMinor = 0n } }) => sum + amountMinor, 0n);
  return taken + minor <= paidMinor;
}

/** Whether an event, which names its refund, is ahead of what the order shows. */
export function isToldAhead({ refunds }: Order, { details }: PaymentRow): boolean {
  const { capture_event: event, refund_id: told } = details;
  const isKnown = refunds.some((refund) => refund.id === told && isDone(refund));
  const isOfRefund = event === refundEvent || event === reversalEvent;
  return isOfRefund && told !== undefined && !isKnown;
}

const isDone = ({ status }: Refund) => status === 'COMPLETED';
const byTime = (a: Refund, b: Refund) => Date.parse(a.createdAt) - Date.parse(b.createdAt);

/** All times together: the refunds listed, or the total that the latest of them names, whichever knows of more. */
function refundedMinor(refunds: Refund[], captureId: string, currency: string): bigint | 'unreadable' {
  let sum = 0n;
  let told = 0n;
  for (const refund of refunds.filter(isDone)) {
    const { money, totalSoFar, captureId: parent } = refund;
    const isOurs = money.currency === currency && (parent === '' || parent === captureId);
    if (!isOurs || money.amountMinor === undefined) return 'unreadable';
    sum += money.amountMinor;
    const total = totalSoFar.currency === currency ? (totalSoFar.amountMinor ?? 0n) : 0n;
    if (total > told) told = total;
  }
  return sum > told ? sum : told;
}
