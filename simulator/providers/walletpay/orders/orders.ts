/** Every order with its capture, and every refund. */
import type { Clock } from '../../../clock';
import type { Journal } from '../../../journal';
import { sum, type Amount } from '../money';
import type { CaptureStatus } from './scenarios';

export type OrderStatus = 'CREATED' | 'SAVED' | 'APPROVED' | 'VOIDED' | 'COMPLETED' | 'PAYER_ACTION_REQUIRED';

export interface Order {
  id: string;
  status: OrderStatus;
  /** As the caller knows this simulator, without a trailing slash. */
  simulatorUrl: string;
  amount: Amount;
  referenceId: string;
  description?: string;
  customId?: string;
  invoiceId?: string;
  brandName?: string;
  returnUrl?: string;
  cancelUrl?: string;
  payerId: string;
  createdAt: number;
  updatedAt: number;
  approvedAt?: number;
  /** The approval's event was sent, possibly after the capture's. */
  isApprovalReported?: true;
  /** For the scenario that declines the first capture. */
  isRefusedOnce?: true;
  capture?: Capture;
}

export interface Capture {
  id: string;
  status: CaptureStatus;
  /** For a pending capture. */
  reason?: string;
  createdAt: number;
  updatedAt: number;
}

export type CapturedOrder = Order & { capture: Capture };

/** PayPal, Payments v2, `refund_status`. Nothing here becomes CANCELLED. */
export type RefundStatus = 'PENDING' | 'COMPLETED' | 'FAILED';

export interface Refund {
  id: string;
  captureId: string;
  amount: Amount;
  /** The total refunded amount of the capture by then, including this refund. */
  refundedSoFar: Amount;
  note?: string;
  /** Its caller's own names; otherwise those of its order. */
  customId?: string;
  invoiceId?: string;
  /** Absent in records from before pending refunds, which are completed. */
  status?: RefundStatus;
  createdAt: number;
  updatedAt?: number;
  /** A reversal by the provider, which can be undone. */
  isReversal?: true;
  /** Reported without an amount; only the order has it. */
  isAmountUnreported?: true;
  /** Until then the order does not show it; absent if it is shown at once. */
  shownAt?: number;
}

export interface Orders {
  /** An expired order does not exist any more. */
  find(id: string): Order | undefined;
  findByCapture(captureId: string): CapturedOrder | undefined;
  /** Another order that was paid with the same invoice id. */
  findPaid(invoiceId: string, exceptId: string): Order | undefined;
  save(order: Order): void;
  /** Orders that a buyer could approve, newest first. */
  waiting(): Order[];
  findRefund(id: string): Refund | undefined;
  /** The order as the provider shows it now, with the shown refunds. Its true state may be ahead. */
  shown(order: Order): { order: Order; refunds: Refund[] };
  refundsOf(captureId: string): Refund[];
  /** A refund of any capture that was requested with this name. */
  findRefundOfInvoice(invoiceId: string): Refund | undefined;
  /** The refunded amount, including refunds in progress. */
  refunded(order: CapturedOrder): Amount;
  saveRefund(refund: Refund): void;
  dropRefund(refund: Refund): void;
}

const HOUR_MS = 3_600_000;
/** To be approved, and then again to be captured. */
export const ORDER_LIFE_MS = 3 * HOUR_MS;

export const isPaid = ({ status }: Capture) =>
  status === 'COMPLETED' || status === 'PARTIALLY_REFUNDED' || status === 'REFUNDED';

export function isCaptured(order: Order): order is CapturedOrder {
  return order.capture !== undefined;
}

const isNotFailed = ({ status }: Refund) => status !== 'FAILED';

export function openOrders(journal: Journal, clock: Clock): Orders {
  const orders = journal.collection<Order>('walletpay.orders');
  const refunds = journal.collection<Refund>('walletpay.refunds');
  const orderOfCapture = new Map<string, string>();
  const ordersOfInvoice = new Map<string, Set<string>>();
  const refundsOfCapture = new Map<string, Set<string>>();

  const add = (index: Map<string, Set<string>>, key: string, id: string) => {
    index.set(key, (index.get(key) ?? new Set()).add(id));
  };
  const index = ({ id, invoiceId, capture }: Order) => {
    if (capture) orderOfCapture.set(capture.id, id);
    if (capture && invoiceId !== undefined) add(ordersOfInvoice, invoiceId, id);
  };
  for (const order of orders.values()) index(order);
  for (const { id, captureId } of refunds.values()) add(refundsOfCapture, captureId, id);

  const isExpired = ({ capture, approvedAt, createdAt }: Order) =>
    !capture && clock.now() >= (approvedAt ?? createdAt) + ORDER_LIFE_MS;
  const find = (id: string) => {
    const order = orders.get(id);
    return order && !isExpired(order) ? order : undefined;
  };
  const refundsOf = (captureId: string) =>
    [...(refundsOfCapture.get(captureId) ?? [])].flatMap((id) => refunds.get(id) ?? []);

  return {
    find,
    findByCapture(captureId) {
      const order = orders.get(orderOfCapture.get(captureId) ?? '');
      return order && isCaptured(order) ? order : undefined;
    },
    findPaid: (invoiceId, exceptId) =>
      [...(ordersOfInvoice.get(invoiceId) ?? [])]
        .flatMap((id) => orders.get(id) ?? [])
        .find(({ id, capture }) => id !== exceptId && capture !== undefined && isPaid(capture)),
    save(order) {
      orders.put(order.id, order);
      index(order);
    },
    waiting: () =>
      [...orders.values()]
        .filter((order) => order.approvedAt === undefined && !order.capture && !isExpired(order))
        .reverse(),
    findRefund: (id) => refunds.get(id),
    shown(order) {
      if (!isCaptured(order)) return { order, refunds: [] };
      const all = refundsOf(order.capture.id);
      const refunds = all.filter(({ shownAt = 0 }) => shownAt <= clock.now());
      if (refunds.length === all.length) return { order, refunds };
      const status = refunds.some(isNotFailed) ? 'PARTIALLY_REFUNDED' : 'COMPLETED';
      return { order: { ...order, capture: { ...order.capture, status } }, refunds };
    },
    refundsOf,
    refunded: ({ amount, capture }) =>
      sum(
        amount.currency,
        refundsOf(capture.id)
          .filter(isNotFailed)
          .map((refund) => refund.amount),
      ),
    findRefundOfInvoice: (invoiceId) =>
      [...refunds.values()].find((refund) => refund.invoiceId === invoiceId),
    saveRefund(refund) {
      refunds.put(refund.id, refund);
      add(refundsOfCapture, refund.captureId, refund.id);
    },
    dropRefund({ id, captureId }) {
      refunds.delete(id);
      refundsOfCapture.get(captureId)?.delete(id);
    },
  };
}
