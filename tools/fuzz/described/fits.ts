/** The values that each operation needs to succeed: the examples of its fields, and ids and codes of this run. */
import type { Description } from '../../docs-site/reference';
import { exampleBody } from '../../docs-site/schema-rows';

/** In each, `§pool.field` is a field of some row of a pool (pools.ts), and `§fresh` an unused text. */
export interface Fit {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  /** Null if the operation has no body. */
  body: unknown;
}

type Fields = Record<string, unknown>;

const zambian = { phone_number: '§customer.zambian', account_reference: '§fresh' };
const transfer = { ...zambian, amount: '40.00', currency: 'ZMW', country: 'ZMB' };
const walletPayout = { amount: 4, currency: 'USD', recipient_email: 'ok@example.org', order_id: '§fresh' };
const ofShop = {
  merchant_id: '§merchant.id',
  callback_url: 'https://shop.example/paid',
  amount: 1500,
  currency: 'KES',
};
const stkCallback = {
  ...{ MerchantRequestID: '1', CheckoutRequestID: '§stk.reference', ResultCode: 1032 },
  ResultDesc: 'Request cancelled by user',
};
const stkResult = { Result: { ResultCode: 0, ResultDesc: 'The service request is processed successfully.' } };
const account = { status: 'COMPLETED', amount: '40.00', currency: 'ZMW', country: 'ZMB' };
const hostedOrder = {
  ...{ OrderTrackingId: '§card.reference', OrderMerchantReference: '§card.submitted' },
  OrderNotificationType: 'IPNCHANGE',
};
const hosted = { ...ofShop, order_id: '§fresh' };

/** By operation: a field of the path, the query or the body, each from this run. */
const named: Readonly<Record<string, Fields>> = {
  payment: { payment_id: '§payment.id' },
  webhookDeliveries: { webhook_id: '§webhook.id' },
  resendWebhook: { webhook_id: '§webhook.id' },
  addWebhookEndpoint: { url: '§merchant.url' },
  changeWebhookEndpointSecret: { endpoint_id: '§endpoint.id' },
  endWebhookEndpoint: { endpoint_id: '§endpoint.id' },
  webhookEndpointDeliveries: { endpoint_id: '§told.endpoint' },
  resendToWebhookEndpoint: { endpoint_id: '§told.endpoint', event_id: '§told.event' },
  testWebhookEndpoint: { endpoint_id: '§endpoint.id' },
  createVoucher: { amount: 1, currency: 'KES' },
  redeemVoucher: { code: '§voucher.code' },
  stkPush: { phone_number: '§customer.kenyan', account_reference: '§fresh' },
  stkPushStatus: { payment_id: '§stk.id' },
  momoDeposit: transfer,
  momoPayout: transfer,
  momoCancelPayout: { transaction_id: '§queued.id' },
  momoRefund: { transaction_id: '§momoPaid.id', amount: '1.00' },
  momoStatus: { transaction_id: '§momo.id' },
  momoBulkPayout: { order_id: '§fresh', payouts: [transfer, { ...transfer, amount: '41.00' }] },
  momoBulkPayoutStatus: { bulk_id: '§momoBulk.id' },
  xbStkPush: { currency: 'UGX', amount: 20_000, phone_number: '§customer.ugandan', api_ref: '§fresh' },
  xbStkPushStatus: { invoice_id: '§xb.reference' },
  walletpayCreateOrder: { amount: 25, currency: 'USD', order_id: '§fresh' },
  walletpayCapture: { token: '§walletOrder.reference', order_id: '§walletOrder.order' },
  walletpayOrderStatus: { walletpay_order_id: '§walletOrder.reference' },
  walletpayCreatePayout: walletPayout,
  walletpayPayoutStatus: { payout_id: '§walletPayout.id' },
  walletpayRefund: { transaction_id: '§walletPaid.id', amount: '1.00' },
  walletpayRefundStatus: { transaction_id: '§walletRefund.id' },
  walletpayBulkPayout: { order_id: '§fresh', payouts: [walletPayout] },
  walletpayBulkPayoutStatus: { bulk_id: '§walletBulk.id' },
  initiate: hosted,
  initiateCardproc: hosted,
  submitOrder: { ...ofShop, merchant_ref: '§fresh', billing_address: { email_address: 'ana@example.org' } },
  transactionStatus: { order_tracking_id: '§card.reference' },
  stkResult: { token: '§stk.token' },
  stkReceipt: { token: '§receipt.token' },
  stkBalance: { token: '§balance.token' },
  hostedCheckoutNotificationByGet: hostedOrder,
  hostedCheckoutReturn: hostedOrder,
};

/** Bodies of providers, which the description does not contain. */
const reported: Readonly<Record<string, unknown>> = {
  stkResult: { Body: { stkCallback } },
  stkReceipt: stkResult,
  stkBalance: stkResult,
  stkNoReceipt: stkResult,
  stkNoBalance: stkResult,
  momoNotification: { ...account, depositId: '§momo.id' },
  handsetNotification: { ...account, depositId: '§xb.id' },
  xbNotification: {
    ...{
      invoice_id: '§xb.reference',
      api_ref: '§xb.token',
      state: 'PENDING',
      challenge: '§merchant.challenge',
    },
    ...{ value: '20000', currency: 'UGX' },
  },
  walletpayWebhook: {
    ...{ id: '§fresh', event_type: 'CHECKOUT.ORDER.APPROVED' },
    resource: { id: '§walletOrder.reference' },
  },
  hostedCheckoutNotification: hostedOrder,
};

/** @returns by method and path, such as `GET /api/v1/payments`. */
export function fitsOf({ paths, components }: Description): Record<string, Fit> {
  const fits = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const id = operation.operationId;
      const own = { ...named[id] };
      const parameters = (operation.parameters ?? []).flatMap((one) => ('$ref' in one ? [] : [one]));
      const placed = (place: string) =>
        Object.fromEntries(
          parameters
            .filter(({ in: where, name, required }) => where === place && (required === true || name in own))
            .map(({ name, schema }) => [name, own[name] ?? exampleBody(schema ?? {}, components.schemas)]),
        );
      const fit: Fit = {
        path: placed('path'),
        query: placed('query'),
        body: reported[id] ?? bodyOf(operation, own),
      };
      return [`${method.toUpperCase()} ${path}`, fit] as const;
    }),
  );
  return Object.fromEntries(fits);

  function bodyOf({ requestBody }: Description['paths'][string][string], own: Fields): unknown {
    const given = requestBody?.content['application/json']?.schema;
    if (given === undefined) return null;
    const name = typeof given['$ref'] === 'string' ? (given['$ref'].split('/').at(-1) ?? '') : '';
    const schema = components.schemas[name] ?? given;
    const required = (schema['required'] ?? []) as string[];
    const example = exampleBody(schema, components.schemas, (field) => required.includes(field));
    return { ...(example as Fields), ...own };
  }
}
