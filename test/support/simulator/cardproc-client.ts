/** Calls the simulator as an integration with Pesapal does. */
import { randomUUID } from 'node:crypto';
import { credentials } from './credentials';
import {
  createControlClient,
  createHttpClient,
  type Addresses,
  type Fields,
  type Reply,
} from './http-client';

export const keys = {
  consumer_key: credentials.CARDPROC_CONSUMER_KEY,
  consumer_secret: credentials.CARDPROC_CONSUMER_SECRET,
};

/** Where the tests' orders send the customer's browser; no server need listen there. */
export const SHOP = 'http://127.0.0.1:1';

export function orderFields(notificationId: string, changes: Fields = {}): Fields {
  return {
    id: `cp-${randomUUID()}`,
    currency: 'KES',
    amount: 1500,
    description: 'Order 881',
    callback_url: `${SHOP}/paid?basket=7`,
    cancellation_url: `${SHOP}/cancelled`,
    notification_id: notificationId,
    billing_address: { phone_number: '254700000001', email_address: 'ana@example.org', first_name: 'Ana' },
    ...changes,
  };
}

export function createCardprocClient(simulator: Addresses, account: Fields = keys) {
  const { origin, call, post } = createHttpClient(simulator, 'cardproc');
  let token: string | undefined;
  let notificationId: string | undefined;

  const headers = async () => ({ authorization: await client.bearer() });
  const client = {
    /** The provider's origin. */
    origin,
    call,
    post,
    ...createControlClient(simulator, 'cardproc'),
    getToken: (given: Fields = account) => post('/api/Auth/RequestToken', given),
    async bearer(): Promise<string> {
      token ??= (await client.getToken()).body['token'] as string;
      return `Bearer ${token}`;
    },
    /** As a client does after a 401. */
    forgetToken() {
      token = undefined;
    },
    registerIpn: async (fields: Fields): Promise<Reply> =>
      post('/api/URLSetup/RegisterIPN', fields, await headers()),
    listIpns: async (): Promise<Reply<Fields[]>> =>
      call('/api/URLSetup/GetIpnList', { headers: await headers() }),
    /** Registers this address for later orders; returns its ipn_id. */
    async notifiedAt(url: string, type: 'GET' | 'POST' = 'POST'): Promise<string> {
      const { body } = await client.registerIpn({ url, ipn_notification_type: type });
      notificationId = body['ipn_id'] as string;
      return notificationId;
    },
    async submit(changes: Fields = {}): Promise<Reply> {
      notificationId ??= await client.notifiedAt(`${SHOP}/ipn`);
      return client.send(orderFields(notificationId, changes));
    },
    send: async (fields: Fields): Promise<Reply> =>
      post('/api/Transactions/SubmitOrderRequest', fields, await headers()),
    /** Submits an order that must be accepted, and returns its order_tracking_id. */
    async order(changes: Fields = {}): Promise<string> {
      const { body, text } = await client.submit(changes);
      if (body['error'] !== null) throw new Error(`not accepted: ${text}`);
      return body['order_tracking_id'] as string;
    },
    status: async (trackingId: string): Promise<Reply> =>
      call(`/api/Transactions/GetTransactionStatus?orderTrackingId=${trackingId}`, {
        headers: await headers(),
      }),
    async stateOf(trackingId: string): Promise<unknown> {
      return (await client.status(trackingId)).body['status_code'];
    },
    refund: async (fields: Fields): Promise<Reply> =>
      post(
        '/api/Transactions/RefundRequest',
        { username: 'ops', remarks: 'Returned', ...fields },
        await headers(),
      ),
    cancelOrder: async (trackingId: string): Promise<Reply> =>
      post('/api/Transactions/CancelOrder', { order_tracking_id: trackingId }, await headers()),
    decide: (trackingId: string, action: string, returns?: boolean) =>
      post(`/control/cardproc/orders/${trackingId}`, {
        action,
        ...(returns !== undefined && { return: returns }),
      }),
    /** Presses a button of the page. */
    press: (trackingId: string, fields: Record<string, string>, accept = 'application/json') =>
      call('/pay', {
        method: 'POST',
        headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ OrderTrackingId: trackingId, ...fields }).toString(),
        redirect: 'manual',
      }),
    /** The addresses that browsers were sent to. */
    async visited(): Promise<string[]> {
      const requests = await client.requests();
      return requests.filter(({ call: name }) => name === 'return').map(({ url }) => String(url));
    },
  };
  return client;
}

export type CardprocClient = ReturnType<typeof createCardprocClient>;
