import { validate as isUuid } from 'uuid';
import { PaymentError } from '../../domain/errors';
import type { PaymentKind } from '../../domain/payment';
import { bulkEndpoints } from '../../payments/create/bulk/endpoints';
import type { CheckedPayment } from '../../rail-kit/draft';
import type { EndpointResponse, Call, Endpoint } from '../../rail-kit/endpoint';
import { createOrderOnce, isOrderKnown, type OrderRequest } from '../../payments/create/order-once';
import type { RailApi, Refunding } from '../../rail-kit/rail';
import { refundBody } from '../../payments/create/refund-request';
import type { FxQuoteRow, PaymentRow } from '../../store/tables';
import { walletpayBulk } from './bulk';
import type { WalletCapture } from './answer-schemas';
import { walletpayAbout } from './description';
import { orderDraft, payoutDraft, payoutOrder } from './drafts';
import {
  captureQuery,
  orderBody,
  orderStatusQuery,
  payoutBody,
  payoutStatusQuery,
  refundStatusQuery,
  type OrderInput,
  type PayoutInput,
} from './requests';
import { isBeingCaptured } from './providers/paypal/capture-issues';
import * as answers from './responses';
import { orderFailure, orderStatus } from './status';

const ok = (body: EndpointResponse['body']): EndpointResponse => ({ status: 200, body });

/** Specification, Errors, wallet checkout: a request without credentials is incomplete (400). */
function translateError(error: PaymentError): PaymentError {
  return error.code === 'CREDENTIALS_REQUIRED' ? new PaymentError('CREDENTIALS_MISSING') : error;
}

/** Each of these permissions lets a merchant send money out (specification, Authentication 7). */
const payoutPermissions = ['is_admin', 'can_payout'];

interface Dependencies {
  /** The page for a buyer whose merchant has no page of its own. */
  landingUrl: string;
  refund: Refunding;
}

export function walletpayEndpoints(api: RailApi, { landingUrl, refund }: Dependencies): Endpoint[] {
  const { db } = api;
  const common = { access: 'keys', rateLimit: 'api', translateError } as const;
  const post = { ...common, method: 'POST', starts: true } as const;
  const get = { ...common, method: 'GET', scope: 'read', starts: false } as const;

  const own = ({ merchant }: Call, kind: PaymentKind) =>
    db('payments').where({ merchant_id: merchant.merchant_id, rail: 'walletpay', kind });
  const quotesOf = ({ payment_id }: PaymentRow): Promise<FxQuoteRow[]> =>
    db('fx_quotes').where({ payment_id });

  return [
    {
      ...post,
      path: '/api/v1/walletpay/create_order',
      scope: 'collect',
      input: orderBody,
      about: walletpayAbout.createOrder,
      isRepeated: (call) => isOrderKnown(db, call, orderRequest(call)),
      async handle(call) {
        const draft = () => orderDraft(db, call.merchant, call.input as unknown as OrderInput, landingUrl);
        return ok(answers.orderBody(await createOrderOnce(api, call, orderRequest(call), draft)));
      },
    },
    {
      ...get,
      path: '/api/v1/walletpay/capture',
      scope: 'collect',
      input: captureQuery,
      about: walletpayAbout.capture,
      async handle(call) {
        const { token, order_id } = call.input as Record<'token' | 'order_id', string>;
        const order = await own(call, 'deposit').where({ provider_reference: token, order_id }).first();
        if (!order) throw new PaymentError('PAYMENT_NOT_FOUND');
        const wasReported = orderStatus(order) !== 'Pending';
        return ok(
          await captured(
            api,
            wasReported ? { payment: order, isAnswered: false } : await api.checkNow(order),
          ),
        );
      },
    },
    {
      ...get,
      path: '/api/v1/walletpay/order_status',
      input: orderStatusQuery,
      about: walletpayAbout.orderStatus,
      async handle(call) {
        const names = call.input as Record<string, string>;
        const { walletpay_order_id: reference, order_id: orderId, payment_id: paymentId } = names;
        const query = own(call, 'deposit').orderBy('created_at', 'desc');
        if (reference !== undefined) void query.where({ provider_reference: reference });
        if (paymentId !== undefined) void query.where({ payment_id: asId(paymentId) });
        if (orderId !== undefined) void query.where({ order_id: orderId });
        const order = await query.first();
        if (!order) throw new PaymentError('PAYMENT_NOT_FOUND');
        const hold = await db('holds').where({ payment_id: order.payment_id }).first();
        return ok(answers.orderStatusBody(order, await quotesOf(order), hold));
      },
    },
    {
      ...post,
      path: '/api/v1/walletpay/create_payout',
      scope: 'payout',
      input: payoutBody,
      about: walletpayAbout.createPayout,
      isRepeated: (call) => isOrderKnown(db, call, payoutOrder(call.input as unknown as PayoutInput)),
      async handle(call) {
        requirePayoutPermission(call);
        const input = call.input as unknown as PayoutInput;
        const draft = () => payoutDraft(db, call.merchant, input);
        return ok(answers.payoutBody(await createOrderOnce(api, call, payoutOrder(input), draft)));
      },
    },
    {
      ...get,
      path: '/api/v1/walletpay/payout_status',
      input: payoutStatusQuery,
      about: walletpayAbout.payoutStatus,
      async handle(call) {
        const { payout_id: payoutId, order_id: orderId } = call.input as Record<string, string>;
        const query = own(call, 'payout').orderBy('created_at', 'desc');
        if (payoutId !== undefined) void query.where({ payment_id: asId(payoutId) });
        if (orderId !== undefined) void query.where({ order_id: orderId });
        const payout = await query.first();
        if (!payout) throw new PaymentError('PAYMENT_NOT_FOUND');
        return ok(answers.payoutStatusBody(payout, await quotesOf(payout)));
      },
    },
    {
      ...post,
      path: '/api/v1/walletpay/refund',
      scope: 'payout',
      input: refundBody,
      about: walletpayAbout.refund,
      async handle(call) {
        const { transaction_id: depositId, amount } = call.input as {
          transaction_id: string;
          amount?: string;
        };
        const deposit = await own(call, 'deposit')
          .where({ payment_id: asId(depositId) })
          .first();
        if (!deposit) throw new PaymentError('PAYMENT_NOT_FOUND');
        return ok(answers.refundBody(await refund(api, call, deposit, amount)));
      },
    },
    {
      ...get,
      path: '/api/v1/walletpay/refund_status',
      input: refundStatusQuery,
      about: walletpayAbout.refundStatus,
      async handle(call) {
        const id = asId((call.input as Record<'transaction_id', string>).transaction_id);
        const refund = await own(call, 'refund').where({ payment_id: id }).first();
        if (!refund) throw new PaymentError('PAYMENT_NOT_FOUND');
        return ok(answers.refundStatusBody(refund));
      },
    },
    ...bulkEndpoints(api, walletpayBulk(db, payoutRules)),
  ];
}

/** Id columns are ASCII: the database cannot compare them with other characters. */
function asId(text: string): string {
  return isUuid(text) ? text : '';
}

export const payoutRules = { translateError, mayPayOut: requirePayoutPermission };

/** A repeated order_id always gets its first answer again, so these payments need no duplicate guard. */
function orderRequest({ input }: Call): OrderRequest {
  const { amount, currency, order_id: orderId, metadata } = input as unknown as OrderInput;
  return { scope: 'walletpay/order', orderId, body: [String(amount), currency, metadata] };
}

/** @throws PaymentError PERMISSION_REQUIRED */
function requirePayoutPermission({ merchant: { permissions } }: Call): void {
  if (payoutPermissions.some((permission) => permissions.includes(permission))) return;
  throw new PaymentError('PERMISSION_REQUIRED');
}

/**
 * The result of a capture. An order that may be captured but is not booked is Pending: a merchant credits its customer
 * on Completed only. An order is also Pending if the provider gave no answer about its approval, or answered that it is
 * capturing the order: a buyer who goes to the page again could pay twice.
 */
async function captured(
  { db }: RailApi,
  { payment: order, isAnswered }: CheckedPayment,
): Promise<WalletCapture> {
  const status = orderStatus(order);
  if (status === 'Failed') {
    const { code, message } = orderFailure(order);
    const expired = code === 'ORDER_EXPIRED';
    throw new PaymentError(expired ? 'ORDER_EXPIRED' : 'ORDER_FAILED', {
      ...(message === null || expired ? {} : { message: `The payment of the order failed: ${message}` }),
      extra: { failure_code: code ?? '' },
    });
  }
  if (status !== 'Pending' || order.details['capture_id'] !== undefined) return answers.captureBody(order);
  const attempt = await db('attempts')
    .where({ payment_id: order.payment_id, operation: 'capture' })
    .orderBy('n', 'desc')
    .first('state');
  const isUnknown =
    attempt?.state === 'sent' ||
    attempt?.state === 'unknown' ||
    !isAnswered ||
    isBeingCaptured(order.details);
  if (isUnknown) return answers.captureBody(order);
  const declined = attempt && order.details['capture_reason'] === 'INSTRUMENT_DECLINED';
  throw new PaymentError(
    'ORDER_NOT_APPROVED',
    declined
      ? { message: "The buyer's payment method was declined; send the buyer to approval_url again" }
      : {},
  );
}
