/** Calls the simulator as an integration with Daraja does, and its control API as a test does. */
import { credentials } from './credentials';
import {
  createControlClient,
  createHttpClient,
  type Addresses,
  type Fields,
  type Reply,
} from './http-client';

const TIMESTAMP = '20260105120000';

export const password = (passkey = credentials.STK_PASSKEY, timestamp = TIMESTAMP) =>
  Buffer.from(`${credentials.STK_SHORTCODE}${passkey}${timestamp}`).toString('base64');

export const basic = (secret = credentials.STK_CONSUMER_SECRET, key = credentials.STK_CONSUMER_KEY) =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;

export function promptFields(phone: string, callbackUrl: string): Fields {
  return {
    BusinessShortCode: credentials.STK_SHORTCODE,
    Password: password(),
    Timestamp: TIMESTAMP,
    TransactionType: 'CustomerPayBillOnline',
    Amount: 1250,
    PartyA: phone,
    PartyB: credentials.STK_SHORTCODE,
    PhoneNumber: phone,
    CallBackURL: callbackUrl,
    AccountReference: 'INV20410',
    TransactionDesc: 'Invoice 20410',
  };
}

function queryFields(checkoutRequestId: string): Fields {
  return {
    BusinessShortCode: credentials.STK_SHORTCODE,
    Password: password(),
    Timestamp: TIMESTAMP,
    CheckoutRequestID: checkoutRequestId,
  };
}

export function createDarajaClient(simulator: Addresses, callbackUrl: string) {
  let token: string | undefined;

  const { origin, call, post } = createHttpClient(simulator, 'stk');
  const client = {
    /** The provider's origin. */
    origin,
    call,
    post,
    ...createControlClient(simulator, 'stk'),
    getToken: (authorization = basic(), grantType = 'client_credentials') =>
      call(`/oauth/v1/generate?grant_type=${grantType}`, { headers: { authorization } }),
    async bearer(): Promise<string> {
      token ??= (await client.getToken()).body['access_token'] as string;
      return `Bearer ${token}`;
    },
    async initiate(phone: string, changes: Fields = {}): Promise<Reply> {
      const fields = { ...promptFields(phone, callbackUrl), ...changes };
      return post('/mpesa/stkpush/v1/processrequest', fields, { authorization: await client.bearer() });
    },
    /** Starts a prompt that must be accepted, and returns its CheckoutRequestID. */
    async prompt(phone: string, changes: Fields = {}): Promise<string> {
      const { status, body, text } = await client.initiate(phone, changes);
      if (status !== 200 || body['ResponseCode'] !== '0') throw new Error(`not accepted: ${text}`);
      return body['CheckoutRequestID'] as string;
    },
    async query(checkoutRequestId: string, changes: Fields = {}): Promise<Reply> {
      const fields = { ...queryFields(checkoutRequestId), ...changes };
      return post('/mpesa/stkpushquery/v1/query', fields, { authorization: await client.bearer() });
    },
    /** `open`, or the ResultCode. */
    async outcomeOf(checkoutRequestId: string): Promise<unknown> {
      const { body } = await client.query(checkoutRequestId);
      return body['errorMessage'] === 'The transaction is being processed' ? 'open' : body['ResultCode'];
    },
    decide: (checkoutRequestId: string, action: string) =>
      post(`/control/stk/prompts/${checkoutRequestId}`, { action }),
  };
  return client;
}

export type DarajaClient = ReturnType<typeof createDarajaClient>;
