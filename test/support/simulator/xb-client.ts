/** Calls the simulator as an integration with IntaSend does. */
import { credentials } from './credentials';
import {
  createControlClient,
  createHttpClient,
  type Addresses,
  type Fields,
  type Reply,
} from './http-client';

export const bearer = { authorization: `Bearer ${credentials.XB_SECRET_KEY}` };

export function collectionFields(phone: string): Fields {
  return {
    public_key: credentials.XB_PUBLISHABLE_KEY,
    currency: phone.startsWith('255') ? 'TZS' : 'UGX',
    amount: 20_000,
    phone_number: phone,
    api_ref: 'xb-6f1d0a6e',
  };
}

interface InvoiceReply {
  id: string;
  invoice: Fields;
}

export function createXbClient(simulator: Addresses) {
  const { origin, call, post } = createHttpClient(simulator, 'xb');
  const client = {
    /** The provider's origin. */
    origin,
    call,
    post,
    ...createControlClient(simulator, 'xb'),
    initiate: (phone: string, changes: Fields = {}): Promise<Reply<InvoiceReply>> =>
      post('/api/v1/payment/intasend-xb-push/', { ...collectionFields(phone), ...changes }, bearer),
    /** Starts a collection that must be accepted, and returns its invoice_id. */
    async collect(phone: string, changes: Fields = {}): Promise<string> {
      const { status, body, text } = await client.initiate(phone, changes);
      if (status !== 200) throw new Error(`not accepted: ${text}`);
      return body.invoice['invoice_id'] as string;
    },
    status: (invoiceId: string): Promise<Reply<{ invoice: Fields; meta: Fields }>> =>
      post('/api/v1/payment/status/', { invoice_id: invoiceId }, bearer),
    async stateOf(invoiceId: string): Promise<unknown> {
      return (await client.status(invoiceId)).body.invoice['state'];
    },
  };
  return client;
}

export type XbClient = ReturnType<typeof createXbClient>;
