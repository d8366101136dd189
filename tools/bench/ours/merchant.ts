/** A merchant whose customers pay and are paid, over the public API and kept-alive connections. */
import { Agent, request } from 'undici';
import type { NewMerchant } from '../../../src/merchants/merchants';
import type { Pay } from '../load/payment';
import { paymentKinds, type PaymentKindName } from './payments';
import type { Receiver } from './receiver';

/** The status codes that mean "nothing was started, try again". */
const turnedAway = new Set([429, 503]);

export interface MerchantClient {
  payBy(kind: PaymentKindName): Pay;
  close(): Promise<void>;
}

export function merchantClient(
  apiUrl: string,
  merchant: Pick<NewMerchant, 'api_key' | 'api_secret'>,
  receiver: Receiver,
): MerchantClient {
  const agent = new Agent({ connections: 256 });
  const headers = {
    'content-type': 'application/json',
    'x-api-key': merchant.api_key,
    'x-api-secret': merchant.api_secret,
  };
  let customers = 0;
  return {
    payBy(kind) {
      const { path, body, idOf } = paymentKinds[kind];
      return async () => {
        customers += 1;
        const response = await request(`${apiUrl}${path}`, {
          dispatcher: agent,
          method: 'POST',
          headers,
          body: JSON.stringify(body(customers)),
        });
        const text = await response.body.text();
        if (turnedAway.has(response.statusCode)) {
          const seconds = Number(response.headers['retry-after']);
          return { kind: 'turned_away', ...(seconds > 0 && { retryAfterMs: seconds * 1_000 }) };
        }
        if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${text}`);
        const id = idOf(JSON.parse(text) as Record<string, unknown>);
        if (typeof id !== 'string') throw new Error(`${path} named no payment: ${text}`);
        const finished = receiver.delivered(id);
        // The caller awaits it later; until then an error must not end the process.
        finished.catch(() => undefined);
        return { kind: 'accepted', id, finished };
      };
    },
    close: () => agent.close(),
  };
}
