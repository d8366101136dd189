/** Calls the simulator as an integration with pawaPay does. */
import { randomUUID } from 'node:crypto';
import { credentials } from './credentials';
import {
  createControlClient,
  createHttpClient,
  type Addresses,
  type Fields,
  type Reply,
} from './http-client';

export const bearer = { authorization: `Bearer ${credentials.MOMO_TOKEN}` };

const party = (phoneNumber: string, provider: string) => ({
  type: 'MMO',
  accountDetails: { phoneNumber, provider },
});

export function depositFields(phone: string, provider = 'MTN_MOMO_ZMB'): Fields {
  return { depositId: randomUUID(), amount: '25.5', currency: 'ZMW', payer: party(phone, provider) };
}

export function payoutFields(phone: string, provider = 'MTN_MOMO_ZMB'): Fields {
  return { payoutId: randomUUID(), amount: '100', currency: 'ZMW', recipient: party(phone, provider) };
}

export function refundFields(depositId: string, changes: Fields = {}): Fields {
  return { refundId: randomUUID(), depositId, ...changes };
}

/** A deposit whose customer is sent to a page. */
export function redirectFields(merchantUrl: string): Fields {
  return {
    ...depositFields('221771234567', 'WAVE_SEN'),
    amount: '1500',
    currency: 'XOF',
    successfulUrl: `${merchantUrl}/paid`,
    failedUrl: `${merchantUrl}/not-paid`,
  };
}

type Kind = 'deposits' | 'payouts' | 'refunds';
interface Status {
  status: 'FOUND' | 'NOT_FOUND';
  data: Fields;
}

export function createMomoClient(simulator: Addresses) {
  const { origin, call, post } = createHttpClient(simulator, 'momo');
  const client = {
    /** The provider's origin. */
    origin,
    call,
    post,
    ...createControlClient(simulator, 'momo'),
    send: (kind: Kind, fields: unknown, headers: Record<string, string> = bearer): Promise<Reply> =>
      post(`/v2/${kind}`, fields, headers),
    get: <T = Fields>(path: string): Promise<Reply<T>> => call(`/v2/${path}`, { headers: bearer }),
    /** Sends a request that must be accepted, and returns its id. */
    async accepted(kind: Kind, fields: Fields): Promise<string> {
      const { status, body, text } = await client.send(kind, fields);
      const isTaken = body['status'] === 'ACCEPTED' || body['status'] === 'ENQUEUED';
      if (status !== 200 || !isTaken) throw new Error(`not accepted: ${text}`);
      return body[`${kind.slice(0, -1)}Id`] as string;
    },
    deposit: (phone: string, changes: Fields = {}) =>
      client.accepted('deposits', { ...depositFields(phone), ...changes }),
    payout: (phone: string, changes: Fields = {}) =>
      client.accepted('payouts', { ...payoutFields(phone), ...changes }),
    refund: (depositId: string, changes: Fields = {}) =>
      client.accepted('refunds', refundFields(depositId, changes)),
    status: (kind: Kind, id: string) => client.get<Status>(`${kind}/${id}`),
    async dataOf(kind: Kind, id: string): Promise<Fields> {
      return (await client.status(kind, id)).body.data;
    },
    async stateOf(kind: Kind, id: string): Promise<unknown> {
      return (await client.dataOf(kind, id))['status'];
    },
    failEnqueued: (kind: Kind, id: string) => post(`/v2/${kind}/fail-enqueued/${id}`, {}, bearer),
    resendCallback: (kind: Kind, id: string) => post(`/v2/${kind}/resend-callback/${id}`, {}, bearer),
    control: (path: string, body: Fields) => post(`/control/momo/${path}`, body),
    switchProvider: (provider: string, operation: string, status: string) =>
      client.control(`providers/${provider}`, { operation, status }),
    decide: (depositId: string, action: string) => client.control(`authorisations/${depositId}`, { action }),
  };
  return client;
}

export type MomoClient = ReturnType<typeof createMomoClient>;
