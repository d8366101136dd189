/** Orders, captures and refunds in the wire's format. */
import type { Link } from '../errors';
import { wireTime } from '../identifiers';
import { feeOf, minus, wireMoney } from '../money';
import { isCaptured, isPaid, type CapturedOrder, type Order, type Refund } from './orders';

const link = (href: string, rel: string, method: string): Link => ({ href, rel, method });

const ordersUrl = ({ simulatorUrl, id }: Order) => `${simulatorUrl}/v2/checkout/orders/${id}`;
const captureUrl = ({ simulatorUrl, capture }: CapturedOrder) =>
  `${simulatorUrl}/v2/payments/captures/${capture.id}`;

/** The buyer's page. */
export const approvalUrl = ({ simulatorUrl, id }: Order) => `${simulatorUrl}/checkoutnow?token=${id}`;

const buyer = ({ payerId }: Order) => ({
  name: { given_name: 'Wanjiru', surname: 'Kamau' },
  email_address: 'buyer@example.com',
  payer_id: payerId,
  address: { country_code: 'KE' },
});

const paymentSource = (order: Order) => {
  const { payer_id: accountId, ...person } = buyer(order);
  if (order.approvedAt === undefined) return { paypal: {} };
  return { paypal: { ...person, account_id: accountId, account_status: 'VERIFIED' } };
};

/** @param hasPaymentSource whether the request had one, which decides the name of the buyer's link */
export function createdOrder(order: Order, hasPaymentSource: boolean) {
  const rel = hasPaymentSource ? 'payer-action' : 'approve';
  return {
    id: order.id,
    status: order.status,
    ...(hasPaymentSource && { payment_source: { paypal: {} } }),
    links: [
      link(ordersUrl(order), 'self', 'GET'),
      link(approvalUrl(order), rel, 'GET'),
      ...(hasPaymentSource
        ? []
        : [
            link(ordersUrl(order), 'update', 'PATCH'),
            link(`${ordersUrl(order)}/capture`, 'capture', 'POST'),
          ]),
    ],
  };
}

/** @param refunds of its capture, which the order lists beside it */
export function wireOrder(order: Order, refunds: Refund[] = []) {
  const { id, status, approvedAt, capture, createdAt, updatedAt } = order;
  return {
    id,
    intent: 'CAPTURE',
    status,
    payment_source: paymentSource(order),
    purchase_units: [purchaseUnit(order, refunds)],
    ...(approvedAt !== undefined && { payer: buyer(order) }),
    create_time: wireTime(createdAt),
    ...(updatedAt > createdAt && { update_time: wireTime(updatedAt) }),
    links: [
      link(ordersUrl(order), 'self', 'GET'),
      ...(approvedAt === undefined ? [link(approvalUrl(order), 'payer-action', 'GET')] : []),
      ...(approvedAt !== undefined && !capture
        ? [link(`${ordersUrl(order)}/capture`, 'capture', 'POST')]
        : []),
    ],
  };
}

function purchaseUnit(order: Order, refunds: Refund[]) {
  const { referenceId, amount, description, customId, invoiceId } = order;
  return {
    reference_id: referenceId,
    amount: wireMoney(amount),
    payee: { email_address: 'merchant@example.com', merchant_id: 'MALIPOSANDBOX' },
    ...(description !== undefined && { description }),
    ...(customId !== undefined && { custom_id: customId }),
    ...(invoiceId !== undefined && { invoice_id: invoiceId }),
    ...(isCaptured(order) && {
      payments: {
        captures: [wireCapture(order)],
        ...(refunds.length > 0 && { refunds: refunds.map((refund) => wireRefund(refund, order)) }),
      },
    }),
  };
}

/** The answer to a capture: the order, with only those fields of its purchase unit that the payment made. */
export function capturedOrder(order: CapturedOrder) {
  const { id, status, referenceId } = order;
  return {
    id,
    status,
    payment_source: paymentSource(order),
    purchase_units: [{ reference_id: referenceId, payments: { captures: [wireCapture(order)] } }],
    payer: buyer(order),
    links: [link(ordersUrl(order), 'self', 'GET')],
  };
}

function wireCapture(order: CapturedOrder) {
  const { amount, customId, invoiceId, capture } = order;
  const fee = feeOf(amount);
  return {
    id: capture.id,
    status: capture.status,
    ...(capture.reason !== undefined && { status_details: { reason: capture.reason } }),
    amount: wireMoney(amount),
    final_capture: true,
    seller_protection: {
      status: 'ELIGIBLE',
      dispute_categories: ['ITEM_NOT_RECEIVED', 'UNAUTHORIZED_TRANSACTION'],
    },
    ...(isPaid(capture) && {
      seller_receivable_breakdown: {
        gross_amount: wireMoney(amount),
        paypal_fee: wireMoney(fee),
        net_amount: wireMoney(minus(amount, fee)),
      },
    }),
    ...(customId !== undefined && { custom_id: customId }),
    ...(invoiceId !== undefined && { invoice_id: invoiceId }),
    create_time: wireTime(capture.createdAt),
    update_time: wireTime(capture.updatedAt),
    links: [
      link(captureUrl(order), 'self', 'GET'),
      link(`${captureUrl(order)}/refund`, 'refund', 'POST'),
      link(ordersUrl(order), 'up', 'GET'),
    ],
  };
}

/** A separate capture, as in the event and the captures call. */
export function ownCapture(order: CapturedOrder) {
  return {
    ...wireCapture(order),
    supplementary_data: { related_ids: { order_id: order.id } },
  };
}

/** A separate refund, as in its event and the refunds call. */
export function ownRefund(refund: Refund, order: CapturedOrder) {
  const { amount, seller_payable_breakdown, ...rest } = wireRefund(refund, order);
  return refund.isAmountUnreported ? rest : { ...rest, amount, seller_payable_breakdown };
}

export function wireRefund(refund: Refund, order: CapturedOrder) {
  const { id, amount, refundedSoFar, note, createdAt, updatedAt = createdAt, status = 'COMPLETED' } = refund;
  const { customId = order.customId, invoiceId = order.invoiceId } = refund;
  const nothing = { ...amount, minor: '0' };
  return {
    id,
    amount: wireMoney(amount),
    ...(note !== undefined && { note_to_payer: note }),
    seller_payable_breakdown: {
      gross_amount: wireMoney(amount),
      paypal_fee: wireMoney(nothing),
      net_amount: wireMoney(amount),
      total_refunded_amount: wireMoney(refundedSoFar),
    },
    ...(customId !== undefined && { custom_id: customId }),
    ...(invoiceId !== undefined && { invoice_id: invoiceId }),
    status,
    ...(status !== 'COMPLETED' && { status_details: { reason: 'ECHECK' } }),
    create_time: wireTime(createdAt),
    update_time: wireTime(updatedAt),
    links: [
      link(`${order.simulatorUrl}/v2/payments/refunds/${id}`, 'self', 'GET'),
      link(captureUrl(order), 'up', 'GET'),
    ],
  };
}
