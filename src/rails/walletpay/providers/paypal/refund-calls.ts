/** Refunds of a capture (Payments v2) that a merchant requested. */
import { formatAmount } from '../../../../domain/money';
import type { SubmissionResult, ProviderResult } from '../../../../domain/outcome';
import { msSince } from '../../../../payments/read/payment-clock';
import { meaningOf, sentAgain } from '../../../../rail-kit/provider-words';
import type { Operation, ProviderCall, RailSettings } from '../../../../rail-kit/rail';
import type { PaymentRow } from '../../../../store/tables';
import type { Ask, PaypalAnswer } from './calls';
import { hasRoomFor, listsAllRefunds, readOrder, readRefund, type Order, type Refund } from './order';
import { notAccepted, refundErrorCodes } from './error-codes';
import { recordOf, wordOf } from './wire';

type RefusedSubmission = Extract<SubmissionResult, { kind: 'refused' }>;
type RefundOperation = Pick<Operation, 'initiate' | 'retrieveStatus'> & Required<Pick<Operation, 'recover'>>;

/** Leaves time to repeat a refund whose answer was lost. */
const firstTryShare = 0.5;
/**
 * The provider recognises a key for 45 days (Payments v2, `PayPal-Request-Id`); one day is left for clock differences.
 */
const keyLifeMs = 44 * 24 * 60 * 60_000;

/**
 * Every submission of a refund has the same key and the same ids. While the provider recognises the key, a refund with
 * an unknown result is submitted again. Afterwards only the order's list counts.
 */
export function refundOperation(begin: (call: ProviderCall) => Ask, rail: RailSettings): RefundOperation {
  async function send(payment: PaymentRow, ask: Ask, atMostMs?: number): Promise<SubmissionResult> {
    const { payment_id: id, instructed_currency: currency, instructed_minor: minor, details } = payment;
    const answer = await ask({
      call: 'initiate',
      method: 'POST',
      path: `/v2/payments/captures/${wordOf(details['capture_id'])}/refund`,
      requestKey: `wp-refund-${id}`,
      body: {
        amount: { currency_code: currency, value: formatAmount(BigInt(minor), currency) },
        custom_id: id,
        // No other refund can have it (`DUPLICATE_INVOICE_ID`), however old its key.
        invoice_id: id,
      },
      ...(atMostMs === undefined ? {} : { atMostMs }),
    });
    return readSending(answer, payment);
  }

  const isKeyKnown = (payment: PaymentRow) =>
    msSince(payment, payment.created_at) < keyLifeMs / rail.timeScale;

  async function query(payment: PaymentRow, id: string, ask: Ask): Promise<ProviderResult> {
    const path = `/v2/payments/refunds/${id}`;
    const answer = await ask({ call: 'query', method: 'GET', path });
    const refund =
      answer.kind === 'answered' && answer.status === 200 ? readRefund(recordOf(answer.json)) : undefined;
    return refund?.id === id ? resultOf(refund, payment) : { kind: 'unknown', text: answer.text };
  }

  /** The refund's id is unknown. The order lists the refund, if it was made. */
  async function search(payment: PaymentRow, ask: Ask): Promise<ProviderResult> {
    const path = `/v2/checkout/orders/${wordOf(payment.details['walletpay_order_id'])}`;
    const answer = await ask({ call: 'query', method: 'GET', path });
    const order = answer.kind === 'answered' && answer.status === 200 ? readOrder(answer.json) : undefined;
    if (!order?.ourNames.includes(payment.parent_id ?? '')) return { kind: 'unknown', text: answer.text };
    const made = order.refunds.find(({ names }) => names.includes(payment.payment_id));
    if (made) return resultOf(made, payment);
    const listsAll = listsAllRefunds(order);
    if (isKeyKnown(payment))
      return sendOnce(payment, ask, (listed) => listsAll && isOfThis(listed, order, payment));
    if (!listsAll) return { kind: 'unknown', text: 'the order does not list all its refunds' };
    const text = 'The provider never made the refund';
    return { kind: 'failed', tentative: true, code: 'REFUND_NOT_MADE', text };
  }

  /** A rejection of a repeated key proves that no refund was made with it, unless a submission is still in progress. */
  async function sendOnce(
    payment: PaymentRow,
    ask: Ask,
    counts: (denial: RefusedSubmission) => boolean,
  ): Promise<ProviderResult> {
    const again = await send(payment, ask);
    if (again.kind === 'accepted') return { ...again, kind: 'open' };
    if (again.kind !== 'refused') return { kind: 'unknown', text: again.kind };
    const { publicCode, providerCode, text } = again;
    if (!counts(again)) return { kind: 'unknown', text: `rejected when repeated: ${providerCode}` };
    const code = publicCode === 'PROVIDER_REJECTED_REQUEST' ? providerCode : publicCode;
    return { kind: 'failed', tentative: true, code, text };
  }

  return {
    async initiate(payment, call) {
      const ask = begin(call);
      const first = await send(payment, ask, call.timeoutMs * firstTryShare);
      if (first.kind !== 'unknown') return first;
      const again = await send(payment, ask);
      return again.kind === 'not_sent' ? first : sentAgain(again, false);
    },

    async recover(payment, call) {
      if (!isKeyKnown(payment)) return { kind: 'unknown', text: 'its key is too old to send it again' };
      return sentAgain(await send(payment, begin(call)), false);
    },

    async retrieveStatus(payment, call) {
      const ask = begin(call);
      const id = wordOf(payment.provider_reference);
      return id === '' ? search(payment, ask) : query(payment, id, ask);
    },
  };
}

/**
 * The account's current permissions and balance say nothing about an earlier submission. "Nothing left to refund" says
 * nothing if the order shows room for the refund: the order is behind, and this very refund may have used the rest.
 */
function isOfThis(
  { publicCode }: RefusedSubmission,
  order: Order,
  { instructed_minor: minor }: PaymentRow,
): boolean {
  if (publicCode === 'PROVIDER_ACCOUNT_REFUSED') return false;
  return publicCode !== 'REFUND_EXCEEDS_REMAINDER' || !hasRoomFor(order, BigInt(minor));
}

function readSending(answer: PaypalAnswer, payment: PaymentRow): SubmissionResult {
  const made = answer.kind === 'answered' && (answer.status === 200 || answer.status === 201);
  if (!made) return notAccepted(answer, refundErrorCodes);
  const refund = readRefund(recordOf(answer.json));
  if (refund.id === '' || !isAbout(refund, payment)) return { kind: 'unknown', text: answer.text };
  return { kind: 'accepted', providerReference: refund.id, details: detailsOf(refund) };
}

/** A refund with another refund's id is not this one. The order's own id is allowed. */
function isAbout({ names, captureId }: Refund, { payment_id, parent_id, details }: PaymentRow): boolean {
  const isOfCapture = captureId === '' || captureId === details['capture_id'];
  return isOfCapture && names.every((name) => name === payment_id || name === parent_id);
}

const detailsOf = ({ status, reason }: Refund) => ({ refund_status: status, refund_reason: reason });

type Meaning = 'done' | 'waits' | 'failed';

/** PayPal, Payments v2, `refund_status`. */
const statuses: Readonly<Record<string, Meaning>> = {
  COMPLETED: 'done',
  PENDING: 'waits',
  FAILED: 'failed',
  CANCELLED: 'failed',
};

function resultOf(refund: Refund, payment: PaymentRow): ProviderResult {
  const { id: providerReference, status, reason, money } = refund;
  if (!isAbout(refund, payment))
    return { kind: 'unknown', text: 'the refund does not belong to this payment' };
  const reported = { providerReference, details: detailsOf(refund) };
  switch (meaningOf(statuses, status)) {
    case 'done': {
      const { currency, amountMinor } = money;
      if (amountMinor === undefined) return { kind: 'unknown', text: 'a refund without a readable amount' };
      return { kind: 'succeeded', code: status, text: status, currency, amountMinor, ...reported };
    }
    case 'waits':
      return { kind: 'open', text: `refund ${status} ${reason}`.trim(), ...reported };
    case 'failed':
      return {
        kind: 'failed',
        code: `REFUND_${status}`,
        text: `The refund is ${status} ${reason}`.trim(),
        ...reported,
      };
    default:
      return { kind: 'unknown', text: `refund ${status}` };
  }
}
