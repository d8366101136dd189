import { cutText } from '../../../../domain/cut-text';
import { formatAmount } from '../../../../domain/money';
import type { SubmissionResult, ProviderResult } from '../../../../domain/outcome';
import { creationTimeOf, msSince } from '../../../../payments/read/payment-clock';
import type { Operation, ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import { isPaymentPage } from '../../../../rail-kit/answer-fields';
import { sentAgain } from '../../../../rail-kit/provider-words';
import type { PaymentRow } from '../../../../store/tables';
import type { Ask, PaypalAnswer } from './calls';
import { meaningOfIssue } from './capture-issues';
import { resultOf, isAbout, isReportedAhead, lacksRefund, readOrder, readRefund, type Order } from './order';
import { notAccepted, orderErrorCodes } from './error-codes';
import { readError, recordOf, wordOf, type ErrorEnvelope } from './wire';

/** The provider's limit for a description. */
const descriptionLength = 127;
/** Leaves time to repeat a creation whose answer was lost. */
const firstTryShare = 0.5;
/**
 * 3 h for the buyer to open the page, then 3 h to approve and capture. After that, an unpaid order can no longer be
 * paid.
 */
const orderLifeMs = 6 * 60 * 60_000;

type OrderOperation = Pick<Operation, 'initiate' | 'retrieveStatus'> &
  Required<Pick<Operation, 'capture' | 'recover'>>;

/** Orders v2: created, approved by the buyer on the provider's page, captured by the service. */
export function orderOperation(begin: (call: ProviderCall) => Ask, rail: RailSettings): OrderOperation {
  async function create(payment: PaymentRow, ask: Ask, atMostMs?: number): Promise<SubmissionResult> {
    const answer = await ask({
      call: 'initiate',
      method: 'POST',
      path: '/v2/checkout/orders',
      requestKey: `wp-order-${payment.payment_id}`,
      body: creationOf(payment),
      ...(atMostMs === undefined ? {} : { atMostMs }),
    });
    return readCreation(answer, payment, rail.environment);
  }

  async function query(payment: PaymentRow, ask: Ask): Promise<ProviderResult> {
    const reference = wordOf(payment.provider_reference);
    if (reference === '') return { kind: 'unknown', text: 'there is no order to query' };
    const answer = await ask({ call: 'query', method: 'GET', path: `/v2/checkout/orders/${reference}` });
    if (isGone(answer)) return expired(payment);
    const order = answer.kind === 'answered' && answer.status === 200 ? readOrder(answer.json) : undefined;
    if (!order) return { kind: 'unknown', text: answer.text };
    const refundId = wordOf(payment.details['refund_id']);
    const whole = await withRefund(order, refundId, ask);
    const providerResult = resultOf(whole, payment, { isExpired: isExpired(payment) });
    // If the order shows neither the reported change nor a known refund, its data is not current.
    const isBehind = isReportedAhead(whole, payment) || lacksRefund(whole, refundId);
    return isBehind && isAboutMoney(providerResult) ? { ...providerResult, behind: true } : providerResult;
  }

  /** A refund from a notification that the order does not list is queried by itself. */
  async function withRefund(order: Order, refundId: string, ask: Ask): Promise<Order> {
    if (!lacksRefund(order, refundId)) return order;
    const answer = await ask({
      call: 'query_refund',
      method: 'GET',
      path: `/v2/payments/refunds/${refundId}`,
    });
    if (answer.kind !== 'answered' || answer.status !== 200) return order;
    const refund = readRefund(recordOf(answer.json));
    return refund.id === refundId ? { ...order, refunds: [...order.refunds, refund] } : order;
  }

  /**
   * An order whose creation got no answer is created again with the same key. Without its page, no buyer can have
   * approved it.
   */
  async function search(payment: PaymentRow, ask: Ask): Promise<ProviderResult> {
    if (isExpired(payment)) {
      return { kind: 'failed', code: 'ORDER_EXPIRED', text: 'The provider never reported the order' };
    }
    const again = await create(payment, ask);
    if (again.kind === 'refused') return { kind: 'failed', code: again.providerCode, text: again.text };
    return again.kind === 'accepted' ? { ...again, kind: 'open' } : { kind: 'unknown', text: again.kind };
  }

  /** If a rejected capture leaves the result open, the order shows it. The order is not captured again for that. */
  async function adopt(payment: PaymentRow, ask: Ask, code: string): Promise<ProviderResult> {
    const providerResult = await query(payment, ask);
    if (providerResult.kind !== 'open') return providerResult;
    const { approved: _, details, ...open } = providerResult;
    return { ...open, details: { ...details, capture_reason: code } };
  }

  async function refused(error: ErrorEnvelope, payment: PaymentRow, ask: Ask): Promise<ProviderResult> {
    const { issue, description, message } = error;
    const code = wordOf(issue) || error.name;
    const text = description || message;
    const failed = { kind: 'failed', code, text, details: { capture_reason: code } } as const;
    switch (meaningOfIssue(code)) {
      case 'captured_already':
        return adopt(payment, ask, code);
      case 'declined':
        return { kind: 'open', declined: true, text: code, details: { capture_reason: code } };
      case 'under_way':
        return { kind: 'open', text: code, details: { capture_reason: code } };
      case 'failed':
        return failed;
      case 'failed_for_us':
        alert(code, payment);
        return failed;
      case 'paid_elsewhere': {
        const found = await adopt(payment, ask, code);
        if (found.kind !== 'open') return found;
        alert(code, payment);
        return failed;
      }
    }
  }

  function alert(code: string, { payment_id }: PaymentRow): void {
    rail.log.error('the wallet provider rejected a capture because of our account', { code, payment_id });
  }

  function expired(payment: PaymentRow): ProviderResult {
    const text = 'The provider no longer has the order';
    const failure = { kind: 'failed', code: 'ORDER_EXPIRED', text } as const;
    return isExpired(payment) ? failure : { ...failure, tentative: true };
  }

  function isExpired(payment: PaymentRow): boolean {
    return msSince(payment, creationTimeOf(payment)) >= orderLifeMs / rail.timeScale;
  }

  return {
    async initiate(payment, call) {
      const ask = begin(call);
      const first = await create(payment, ask, call.timeoutMs * firstTryShare);
      if (first.kind !== 'unknown') return first;
      const again = await create(payment, ask);
      return again.kind === 'not_sent' ? first : again;
    },

    /** With the same key the provider returns the order that it already created; a lost order moves no money. */
    recover: async (payment, call) => sentAgain(await create(payment, begin(call)), true),

    async retrieveStatus(payment, call) {
      const ask = begin(call);
      return payment.provider_reference === null ? search(payment, ask) : query(payment, ask);
    },

    async capture(payment, call) {
      const ask = begin(call);
      const reference = wordOf(payment.provider_reference);
      if (reference === '') return { kind: 'unknown', text: 'no order to capture' };
      const answer = await ask({
        call: 'capture',
        method: 'POST',
        path: `/v2/checkout/orders/${reference}/capture`,
        requestKey: `wp-capture-${call.key}`,
        body: {},
      });
      if (isGone(answer)) return expired(payment);
      if (answer.kind !== 'answered') return { kind: 'unknown', text: answer.text };
      const error = readError(answer);
      if (error?.status === 422) return refused(error, payment, ask);
      const order = answer.status === 200 || answer.status === 201 ? readOrder(answer.json) : undefined;
      // The next query shows whether it was captured; here only an answer to this very capture counts.
      if (!order || order.captures.length === 0) return { kind: 'unknown', text: answer.text };
      return resultOf(order, payment, { isExpired: false });
    },
  };
}

function creationOf(payment: PaymentRow): Record<string, unknown> {
  const { payment_id: paymentId, instructed_currency: currency, instructed_minor: minor, details } = payment;
  const { description, return_url, cancel_url } = details;
  return {
    intent: 'CAPTURE',
    purchase_units: [
      {
        custom_id: paymentId,
        invoice_id: paymentId,
        ...(description === undefined || description === ''
          ? {}
          : { description: cutText(description, descriptionLength) }),
        amount: { currency_code: currency, value: formatAmount(BigInt(minor), currency) },
      },
    ],
    payment_source: {
      paypal: {
        experience_context: {
          ...(return_url === undefined ? {} : { return_url }),
          ...(cancel_url === undefined ? {} : { cancel_url }),
          user_action: 'PAY_NOW',
          shipping_preference: 'NO_SHIPPING',
          // E-cheques take days, and an order that waits for one looks like a lost one.
          payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
        },
      },
    },
  };
}

/** An order without an approval page is useless, and is created again with the same key. */
function readCreation(
  answer: PaypalAnswer,
  payment: PaymentRow,
  environment: RailSettings['environment'],
): SubmissionResult {
  const made = answer.kind === 'answered' && (answer.status === 200 || answer.status === 201);
  if (!made) return notAccepted(answer, orderErrorCodes);
  const order = readOrder(answer.json);
  const isOurs = order && (order.ourNames.length === 0 || isAbout(order, payment));
  return isOurs && isPaymentPage(order.approvalUrl, environment)
    ? { kind: 'accepted', providerReference: order.id, details: { approval_url: order.approvalUrl } }
    : { kind: 'unknown', text: answer.text };
}

function isAboutMoney(
  providerResult: ProviderResult,
): providerResult is Extract<ProviderResult, { behind?: true }> {
  return (
    providerResult.kind === 'succeeded' ||
    providerResult.kind === 'refunded' ||
    providerResult.kind === 'reversed'
  );
}

/** Only the provider's own error that it has no such order counts: any server can answer 404. */
function isGone(answer: PaypalAnswer): boolean {
  if (answer.kind === 'account_refused') return false;
  const error = readError(answer);
  return error?.status === 404 && error.name === 'RESOURCE_NOT_FOUND';
}
