/** The states of an order: approved by its buyer, captured by the merchant, refunded; and their events. */
import { splitAfter, openSteps, type TimedStep } from '../../../steps';
import type { ProviderContext } from '../../../provider';
import { newLongId, newShortId } from '../identifiers';
import { bookedValueOf, sum, valueOf, type Amount } from '../money';
import type { WalletpaySettings } from '../settings';
import type { EventContent, Events } from '../webhooks/events';
import { isCaptured, type Capture, type CapturedOrder, type Order, type Orders, type Refund } from './orders';
import type { RefundEnding } from './refund-scenarios';
import type { OrderRequest } from './requests';
import { LATE_MS, scenarioOf, type CaptureEvent, type CaptureStatus, type CaptureStep } from './scenarios';
import { ownCapture, wireOrder, ownRefund } from './wire';

export type RefundEvent = 'PAYMENT.CAPTURE.REFUNDED' | 'PAYMENT.CAPTURE.REVERSED';

interface Step extends TimedStep {
  becomes?: CaptureStatus;
  notifies?: CaptureEvent | 'CHECKOUT.ORDER.APPROVED' | 'CHECKOUT.PAYMENT-APPROVAL.REVERSED';
  refund?: { id: string; notifies?: RefundEvent; becomes?: RefundEnding };
}

export interface Checkout {
  create(request: OrderRequest, simulatorUrl: string): Order;
  approve(order: Order): Order;
  /** The buyer's approval is cancelled, and the order waits as before. */
  withdraw(order: Order): void;
  capture(order: Order): Promise<CapturedOrder>;
  giveBack(order: CapturedOrder, amount: Amount, notifies: RefundEvent, how?: HowReturned): Refund;
  /** A reversal is undone: nothing shows it any more. */
  payAgain(order: CapturedOrder): void;
}

export interface HowReturned extends Pick<Refund, 'note' | 'customId' | 'invoiceId' | 'isAmountUnreported'> {
  /** It is pending first, for this many milliseconds. */
  waits?: { forMs: number; becomes: RefundEnding };
  /** The order does not show it earlier. */
  shownAfterMs?: number;
}

export interface CheckoutParts {
  context: ProviderContext;
  settings: WalletpaySettings;
  orders: Orders;
  events: Events;
}

const reported = {
  'PAYMENT.CAPTURE.COMPLETED': { status: 'COMPLETED', summary: 'Payment completed for' },
  'PAYMENT.CAPTURE.PENDING': { status: 'PENDING', summary: 'Payment pending for' },
  'PAYMENT.CAPTURE.DENIED': { status: 'DECLINED', summary: 'Payment denied for' },
  'PAYMENT.CAPTURE.DECLINED': { status: 'DECLINED', summary: 'Payment declined for' },
} as const satisfies Record<CaptureEvent, { status: CaptureStatus; summary: string }>;

const PENDING_REASON = 'PENDING_REVIEW';
const TIMES = 3;

export function openCheckout({ context, settings, orders, events }: CheckoutParts): Checkout {
  const { clock, schedule, faults, books } = context;
  const { soonMs } = settings;

  const subjectOf = ({ id, customId = '' }: Order) => ({
    bulkhead: id,
    facts: { order_id: id, custom_id: customId },
  });
  const notify = async (order: Order, content: EventContent) => {
    const { delivery } = scenarioOf(order.amount);
    if (delivery === 'never') return;
    await events.notify(content, subjectOf(order), delivery === 'three times' ? TIMES : 1);
  };
  const book = (reference: string, receipt: string, amount: Amount, kind?: 'refund' | 'reversal') =>
    books.book({
      provider: 'walletpay',
      ...(kind && { kind }),
      reference,
      receipt,
      amount: bookedValueOf(amount),
      currency: amount.currency,
    });
  const settle = (order: CapturedOrder, status: CaptureStatus): CapturedOrder => {
    const { reason: _, ...capture } = order.capture;
    const settled = {
      ...order,
      updatedAt: clock.now(),
      capture: {
        ...capture,
        status,
        ...(status === 'PENDING' && { reason: PENDING_REASON }),
        updatedAt: clock.now(),
      },
    };
    orders.save(settled);
    if (status === 'COMPLETED') book(order.id, capture.id, order.amount);
    return settled;
  };
  const notifyApproval = async (order: Order) => {
    if (order.isApprovalReported) return;
    orders.save({ ...order, isApprovalReported: true });
    const { capture: _, ...uncaptured } = order;
    await notify(order, {
      eventType: 'CHECKOUT.ORDER.APPROVED',
      resourceType: 'checkout-order',
      resourceVersion: '2.0',
      summary: 'An order has been approved by buyer',
      resource: wireOrder({ ...uncaptured, status: 'APPROVED' }),
    });
  };
  /** The event names its order in its own field (PayPal, "Webhook event names", Orders v2). */
  const notifyWithdrawal = (order: Order) =>
    notify(order, {
      eventType: 'CHECKOUT.PAYMENT-APPROVAL.REVERSED',
      resourceType: 'checkout-order',
      resourceVersion: '2.0',
      summary: 'A problem occurred after the buyer had approved the order',
      resource: {
        order_id: order.id,
        purchase_units: wireOrder(order).purchase_units,
        payment_source: { paypal: {} },
      },
    });
  /** @param order its current state; the event has the capture's state of the time when it happened */
  const notifyCapture = async (order: CapturedOrder, event: CaptureEvent) => {
    const { status, summary } = reported[event];
    const { reason: _, ...capture } = order.capture;
    const then: Capture = { ...capture, status, ...(status === 'PENDING' && { reason: PENDING_REASON }) };
    await notify(order, {
      eventType: event,
      resourceType: 'capture',
      resourceVersion: '2.0',
      summary: `${summary} ${moneyText(order.amount)}`,
      resource: ownCapture({ ...order, capture: then }),
    });
  };
  const notifyRefund = async (order: CapturedOrder, id: string, event: RefundEvent) => {
    const refund = orders.findRefund(id);
    if (!refund) return;
    const verb = event === 'PAYMENT.CAPTURE.REVERSED' ? 'reversed' : 'refunded';
    await notify(order, {
      eventType: event,
      resourceType: 'refund',
      resourceVersion: '2.0',
      summary: `A ${moneyText(refund.amount)} capture payment was ${verb}`,
      resource: ownRefund(refund, order),
    });
  };
  /** A capture is REFUNDED while its refund is pending, and has its old state if the refund fails. */
  const endRefund = (order: CapturedOrder, id: string, status: RefundEnding) => {
    const refund = orders.findRefund(id);
    if (refund?.status !== 'PENDING') return;
    orders.saveRefund({ ...refund, status, updatedAt: clock.now() });
    if (status === 'COMPLETED') book(id, id, refund.amount, 'refund');
    else show(order);
  };
  const show = (order: CapturedOrder) => {
    const { minor } = orders.refunded(order);
    const status =
      minor === '0' ? 'COMPLETED' : minor === order.amount.minor ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
    orders.save({ ...order, updatedAt: clock.now(), capture: { ...order.capture, status } });
  };
  const perform = async (id: string, { becomes, notifies, refund }: Step): Promise<void> => {
    const order = orders.find(id);
    if (!order) return;
    if (notifies === 'CHECKOUT.ORDER.APPROVED') {
      if (order.approvedAt !== undefined) await notifyApproval(order);
      return;
    }
    if (notifies === 'CHECKOUT.PAYMENT-APPROVAL.REVERSED') {
      await notifyWithdrawal(order);
      return;
    }
    if (!isCaptured(order)) return;
    const now = becomes === undefined ? order : settle(order, becomes);
    if (notifies) await notifyCapture(now, notifies);
    if (refund?.becomes) endRefund(now, refund.id, refund.becomes);
    if (refund?.notifies) await notifyRefund(now, refund.id, refund.notifies);
  };
  const steps = openSteps<Step>(schedule, 'walletpay.order', perform);

  /** When a normal event is sent. */
  const eventAfterMs = (order: Order) => (scenarioOf(order.amount).delivery === 'late' ? LATE_MS : soonMs);

  const captureSteps = (order: Order): Step[] => {
    const { steps: stepsOf, delivery } = scenarioOf(order.amount);
    const planned: Step[] = stepsOf(eventAfterMs(order)) satisfies CaptureStep[];
    if (delivery !== 'approval last') return planned;
    return [...planned, { afterMs: 2 * soonMs, notifies: 'CHECKOUT.ORDER.APPROVED' }];
  };

  return {
    create({ hasPaymentSource, ...request }, simulatorUrl) {
      const now = clock.now();
      const { returnUrl, cancelUrl } = settings;
      const order: Order = {
        ...(returnUrl !== undefined && { returnUrl }),
        ...(cancelUrl !== undefined && { cancelUrl }),
        ...request,
        id: newLongId(),
        status: hasPaymentSource ? 'PAYER_ACTION_REQUIRED' : 'CREATED',
        simulatorUrl,
        payerId: newShortId(),
        createdAt: now,
        updatedAt: now,
      };
      orders.save(order);
      return order;
    },
    approve(order) {
      const now = clock.now();
      const approved: Order = { ...order, status: 'APPROVED', approvedAt: now, updatedAt: now };
      orders.save(approved);
      const isLast = scenarioOf(order.amount).delivery === 'approval last';
      const afterMs = isLast ? LATE_MS : eventAfterMs(order);
      steps.plan(order.id, now, [{ afterMs, notifies: 'CHECKOUT.ORDER.APPROVED' }]);
      return approved;
    },
    async capture(order) {
      const now = clock.now();
      const capture: Capture = { id: newLongId(), status: 'PENDING', createdAt: now, updatedAt: now };
      const captured = settle({ ...order, status: 'COMPLETED', capture }, scenarioOf(order.amount).first);
      const planned = captureSteps(order);
      const first = planned.find(({ notifies }) => notifies !== undefined);
      const facts = { ...subjectOf(order).facts, event_type: first?.notifies ?? '' };
      const overtakes = faults.take('walletpay', 'callback', facts, ['reorder']) !== undefined;
      const [before, after] = overtakes ? splitAfter(planned, (step) => step === first) : [[], planned];
      for (const step of before) await perform(order.id, step);
      steps.plan(order.id, now, after);
      return captured;
    },
    withdraw({ approvedAt: _, isApprovalReported: __, ...order }) {
      const waiting: Order = { ...order, status: 'PAYER_ACTION_REQUIRED', updatedAt: clock.now() };
      orders.save(waiting);
      steps.plan(order.id, clock.now(), [
        { afterMs: eventAfterMs(waiting), notifies: 'CHECKOUT.PAYMENT-APPROVAL.REVERSED' },
      ]);
    },
    giveBack(order, amount, notifies, { waits, shownAfterMs = 0, ...named } = {}) {
      const now = clock.now();
      const refund: Refund = {
        id: newLongId(),
        captureId: order.capture.id,
        amount,
        refundedSoFar: sum(amount.currency, [orders.refunded(order), amount]),
        ...named,
        ...(waits && { status: 'PENDING' as const }),
        createdAt: now,
        ...(notifies === 'PAYMENT.CAPTURE.REVERSED' && { isReversal: true }),
        ...(shownAfterMs > 0 && { shownAt: now + shownAfterMs }),
      };
      orders.saveRefund(refund);
      show(order);
      // A refund has its own event, sent at once even if the capture's event is still delayed.
      const afterMs = eventAfterMs(order);
      if (waits) {
        // No event reports that it is pending or has failed (PayPal, "Webhook event names", Payments v2).
        const { forMs, becomes } = waits;
        steps.plan(order.id, now, [
          {
            afterMs: forMs,
            refund: { id: refund.id, becomes, ...(becomes === 'COMPLETED' && { notifies }) },
          },
        ]);
        return refund;
      }
      book(refund.id, refund.id, amount, notifies === 'PAYMENT.CAPTURE.REVERSED' ? 'reversal' : 'refund');
      steps.plan(order.id, now, [{ afterMs, refund: { id: refund.id, notifies } }]);
      return refund;
    },
    payAgain(order) {
      for (const refund of orders.refundsOf(order.capture.id).filter(({ isReversal }) => isReversal)) {
        orders.dropRefund(refund);
        books.unbook({ provider: 'walletpay', kind: 'reversal', reference: refund.id });
      }
      show(order);
    },
  };
}

const moneyText = (amount: Amount) => `${valueOf(amount)} ${amount.currency}`;
