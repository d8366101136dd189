/** The calls about orders, captures and refunds. */
import type { Request } from 'express';
import type { CallResponse } from '../../../calls';
import type { Clock } from '../../../clock';
import { textOf } from '../../../fields';
import { notFound, denial, refusedFor, type Issue } from '../errors';
import { minus, type Amount } from '../money';
import type { RequestIds, Success } from '../request-ids';
import { simulatorUrlOf } from '../simulator-url';
import type { Checkout } from './checkout';
import type { Disputes } from './disputes';
import { isCaptured, isPaid, type CapturedOrder, type Order, type Orders } from './orders';
import { REFUND_WAITS_MS, refundScenarioOf } from './refund-scenarios';
import { readOrderRequest, readRefundRequest, type RefundRequest } from './requests';
import { scenarioOf } from './scenarios';
import {
  approvalUrl,
  capturedOrder,
  createdOrder,
  ownCapture,
  wireOrder,
  ownRefund,
  wireRefund,
} from './wire';

export interface OrderCallParts {
  clock: Clock;
  orders: Orders;
  checkout: Checkout;
  disputes: Pick<Disputes, 'isOpen'>;
  requestIds: RequestIds;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ORDER_KEY_LIFE_MS = 6 * HOUR_MS;
const REFUND_KEY_LIFE_MS = 45 * DAY_MS;
const REFUND_WINDOW_MS = 180 * DAY_MS;
const REFUNDS_MAX = 10;

const ok = (json: unknown): Success => ({ status: 200, json });
const created = (json: unknown): Success => ({ status: 201, json });
const idIn = ({ params }: Request) => textOf(params['id']);

const wantsWhole = (request: Request) => (request.get('prefer') ?? '').includes('return=representation');

export function openOrderCalls({ clock, orders, checkout, disputes, requestIds }: OrderCallParts) {
  const create = (request: Request): CallResponse => {
    const read = readOrderRequest(request.body);
    if ('refused' in read) return read.refused;
    const order = checkout.create(read.value, simulatorUrlOf(request));
    const { hasPaymentSource } = read.value;
    const short = createdOrder(order, hasPaymentSource);
    const json = wantsWhole(request) ? { ...wireOrder(order), links: short.links } : short;
    return hasPaymentSource ? ok(json) : created(json);
  };

  const capture = async (order: Order) => {
    const refused = captureFault(order);
    if (refused) return refused;
    const scenario = scenarioOf(order.amount);
    if (scenario.refusesOnce && !order.isRefusedOnce) {
      orders.save({ ...order, isRefusedOnce: true });
      const again = { href: approvalUrl(order), rel: 'redirect', method: 'GET' };
      const refusal = refusedFor(scenario.refusesOnce, {}, [again]);
      // Only a decline is repeated for its request id.
      return scenario.refusesOnce === 'INSTRUMENT_DECLINED' ? { refused: refusal } : refusal;
    }
    const happened = created(capturedOrder(await checkout.capture(order)));
    return scenario.isSilent ? { happened, answered: denial('INTERNAL_SERVER_ERROR') } : happened;
  };
  const captureFault = (order: Order): CallResponse | undefined => {
    if (order.capture) return refusedFor('ORDER_ALREADY_CAPTURED');
    if (order.approvedAt === undefined) return refusedFor('ORDER_NOT_APPROVED');
    const { invoiceId, id } = order;
    const isDuplicate = invoiceId !== undefined && orders.findPaid(invoiceId, id) !== undefined;
    return isDuplicate ? refusedFor('DUPLICATE_INVOICE_ID') : undefined;
  };

  /** By the request; the rest of the table (PayPal, Payments v2, `captures.refund-422`) is in the scenarios. */
  const refundFault = (
    { amount: whole, capture: { id } }: CapturedOrder,
    left: Amount,
    { amount = left, invoiceId }: RefundRequest,
  ): Issue | undefined => {
    const before = orders.refundsOf(id);
    if (amount.currency !== whole.currency) return 'REFUND_CAPTURE_CURRENCY_MISMATCH';
    if (before.some(({ isReversal }) => isReversal)) return 'REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK';
    if (left.minor === '0') return 'CAPTURE_FULLY_REFUNDED';
    if (BigInt(amount.minor) > BigInt(left.minor)) return 'REFUND_AMOUNT_EXCEEDED';
    if (invoiceId !== undefined && orders.findRefundOfInvoice(invoiceId)) return 'DUPLICATE_INVOICE_ID';
    if (before.length >= REFUNDS_MAX) return 'MAX_NUMBER_OF_REFUNDS_EXCEEDED';
    if (amount.minor !== left.minor && disputes.isOpen(id)) return 'TRANSACTION_DISPUTED';
    return refundScenarioOf(amount)?.refusedFor;
  };

  const refund = (order: CapturedOrder, request: Request): CallResponse => {
    const { amount: whole, capture: paid } = order;
    const read = readRefundRequest(request.body);
    if ('refused' in read) return read.refused;
    if (paid.status === 'PENDING') return refusedFor('PENDING_CAPTURE');
    if (!isPaid(paid)) return refusedFor('REFUND_NOT_ALLOWED');
    if (clock.now() > paid.createdAt + REFUND_WINDOW_MS) return refusedFor('REFUND_TIME_LIMIT_EXCEEDED');
    const left = minus(whole, orders.refunded(order));
    const fault = refundFault(order, left, read.value);
    if (fault) return refusedFor(fault);
    const { amount = left, ...named } = read.value;
    const becomes = refundScenarioOf(amount)?.waits;
    const given = checkout.giveBack(order, amount, 'PAYMENT.CAPTURE.REFUNDED', {
      ...named,
      ...(becomes && { waits: { forMs: REFUND_WAITS_MS, becomes } }),
    });
    const reported = wireRefund(given, order);
    const { id, status, links } = reported;
    return created(wantsWhole(request) ? reported : { id, status, links });
  };

  return {
    create: (request: Request) =>
      requestIds.once(request, 'create', ORDER_KEY_LIFE_MS, () => create(request)),
    query(request: Request): CallResponse {
      const order = orders.find(idIn(request));
      if (!order) return notFound();
      const shown = orders.shown(order);
      return ok(wireOrder(shown.order, shown.refunds));
    },
    capture: (request: Request) =>
      requestIds.once(request, 'capture', ORDER_KEY_LIFE_MS, () => {
        const order = orders.find(idIn(request));
        return order ? capture(order) : notFound();
      }),
    queryCapture(request: Request): CallResponse {
      const order = orders.findByCapture(idIn(request));
      return order ? ok(ownCapture(order)) : notFound();
    },
    refund: (request: Request) =>
      requestIds.once(request, 'refund', REFUND_KEY_LIFE_MS, () => {
        const order = orders.findByCapture(idIn(request));
        return order ? refund(order, request) : notFound();
      }),
    queryRefund(request: Request): CallResponse {
      const found = orders.findRefund(idIn(request));
      const order = found && orders.findByCapture(found.captureId);
      return order && isCaptured(order) ? ok(ownRefund(found, order)) : notFound();
    },
  };
}

export type OrderCalls = ReturnType<typeof openOrderCalls>;
