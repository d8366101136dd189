/** Calls the simulator as an integration with PayPal does. */
import { randomUUID } from 'node:crypto';
import { credentials } from './credentials';
import {
  createControlClient,
  createHttpClient,
  type Addresses,
  type Fields,
  type Reply,
} from './http-client';

export const RETURN_URL = 'https://merchant.example/wp/return';
export const CANCEL_URL = 'https://merchant.example/wp/cancel';

const basic = (secret = credentials.WALLETPAY_CLIENT_SECRET) =>
  `Basic ${Buffer.from(`${credentials.WALLETPAY_CLIENT_ID}:${secret}`).toString('base64')}`;

export function orderFields(value = '12.50', changes: Fields = {}): Fields {
  const id = `tx-${randomUUID().slice(0, 8)}`;
  return {
    intent: 'CAPTURE',
    purchase_units: [{ custom_id: id, invoice_id: id, amount: { currency_code: 'USD', value }, ...changes }],
    payment_source: {
      paypal: {
        experience_context: {
          return_url: RETURN_URL,
          cancel_url: CANCEL_URL,
          user_action: 'PAY_NOW',
          shipping_preference: 'NO_SHIPPING',
        },
      },
    },
  };
}

export function payoutFields(receiver = 'ok@example.org', changes: Fields = {}): Fields {
  const id = `po-${randomUUID().slice(0, 8)}`;
  return {
    sender_batch_header: { sender_batch_id: id, email_subject: 'You have a payment' },
    items: [
      {
        recipient_type: 'EMAIL',
        receiver,
        amount: { currency: 'USD', value: '40.00' },
        note: 'Order 77',
        sender_item_id: id,
        ...changes,
      },
    ],
  };
}

export interface WireCapture extends Fields {
  id: string;
  status: string;
}
export interface WireOrder extends Fields {
  id: string;
  status: string;
  links: { rel: string; href: string; method: string }[];
  purchase_units: { payments?: { captures: WireCapture[] } }[];
}
export interface WireItem extends Fields {
  payout_item_id: string;
  transaction_status: string;
  errors?: Fields;
}
export interface WireBatch extends Fields {
  batch_header: Fields & { payout_batch_id: string; batch_status: string };
  items: WireItem[];
}
export interface WireError {
  name: string;
  details: { issue: string; link?: { href: string }[] }[];
}

export const captureIn = (order: WireOrder): WireCapture | undefined =>
  order.purchase_units[0]?.payments?.captures[0];

export function createWalletpayClient(simulator: Addresses) {
  let token: string | undefined;
  const { origin, call, post } = createHttpClient(simulator, 'walletpay');
  const control = createControlClient(simulator, 'walletpay');
  const client = {
    /** The provider's origin. */
    origin,
    call,
    post,
    ...control,
    /** The token may expire meanwhile, so the next call fetches a new one. */
    advance(ms: number) {
      token = undefined;
      return control.advance(ms);
    },
    getToken: (authorization = basic(), grantType = 'client_credentials') =>
      call('/v1/oauth2/token', {
        method: 'POST',
        headers: { authorization },
        body: new URLSearchParams({ grant_type: grantType }),
      }),
    async bearer(): Promise<{ authorization: string }> {
      token ??= (await client.getToken()).body['access_token'] as string;
      return { authorization: `Bearer ${token}` };
    },
    async send<T = Fields>(
      path: string,
      body: unknown,
      headers: Record<string, string> = {},
    ): Promise<Reply<T>> {
      return post<T>(path, body, { ...(await client.bearer()), ...headers });
    },
    async get<T = Fields>(path: string, headers: Record<string, string> = {}): Promise<Reply<T>> {
      return call<T>(path, { headers: { ...(await client.bearer()), ...headers } });
    },
    create: (fields: Fields, headers?: Record<string, string>) =>
      client.send<WireOrder>('/v2/checkout/orders', fields, headers),
    /** Creates an order that must be accepted, and returns its id. */
    async order(value?: string, changes?: Fields): Promise<string> {
      const { status, body, text } = await client.create(orderFields(value, changes));
      if (status !== 200) throw new Error(`not taken: ${text}`);
      return body.id;
    },
    /** An order that its buyer has approved. */
    async approved(value?: string, changes?: Fields): Promise<string> {
      const id = await client.order(value, changes);
      await client.decide(id, 'approve');
      return id;
    },
    capture: (orderId: string, key?: string) =>
      client.send<WireOrder>(
        `/v2/checkout/orders/${orderId}/capture`,
        {},
        key === undefined ? {} : { 'paypal-request-id': key },
      ),
    /** An order that is approved and captured, and its capture's id. */
    async captured(value?: string, changes?: Fields): Promise<{ orderId: string; captureId: string }> {
      const orderId = await client.approved(value, changes);
      const { body, text } = await client.capture(orderId);
      const capture = captureIn(body);
      if (!capture) throw new Error(`not captured: ${text}`);
      return { orderId, captureId: capture.id };
    },
    query: (orderId: string) => client.get<WireOrder>(`/v2/checkout/orders/${orderId}`),
    async captureStatus(orderId: string): Promise<unknown> {
      return captureIn((await client.query(orderId)).body)?.status;
    },
    sendPayout: (fields: Fields) => client.send<WireBatch>('/v1/payments/payouts', fields),
    /** Starts a payout that must be accepted, and returns the ids of its batch and its item. */
    async payout(receiver?: string, changes?: Fields): Promise<{ batchId: string; itemId: string }> {
      const { status, body, text } = await client.sendPayout(payoutFields(receiver, changes));
      if (status !== 201) throw new Error(`not taken: ${text}`);
      const batchId = body.batch_header.payout_batch_id;
      return { batchId, itemId: (await client.batch(batchId)).items[0]?.payout_item_id ?? '' };
    },
    async batch(batchId: string): Promise<WireBatch> {
      return (await client.get<WireBatch>(`/v1/payments/payouts/${batchId}`)).body;
    },
    async item(itemId: string): Promise<WireItem> {
      return (await client.get<WireItem>(`/v1/payments/payouts-item/${itemId}`)).body;
    },
    cancelItem: (itemId: string) => client.send<WireItem>(`/v1/payments/payouts-item/${itemId}/cancel`, {}),
    control: <T = Fields>(path: string, body: Fields) => post<T>(`/control/walletpay/${path}`, body),
    decide: (orderId: string, action: string) => client.control(`orders/${orderId}`, { action }),
    decideItem: (name: string, action: string) => client.control(`items/${name}`, { action }),
    giveBack: (captureId: string, amount?: string) =>
      client.control(`captures/${captureId}`, { action: 'refund', ...(amount !== undefined && { amount }) }),
  };
  return client;
}

export type WalletpayClient = ReturnType<typeof createWalletpayClient>;
