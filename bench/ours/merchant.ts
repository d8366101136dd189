/** A merchant that asks its customers to pay, over the public API and kept-alive connections. */
import { Agent, request } from 'undici';
import type { NewMerchant } from '../../src/merchants/merchants';
import type { Pay } from '../load/payment';
import type { Receiver } from './receiver';

/** The statuses that mean "nothing was begun, come back". */
const turnedAway = new Set([429, 503]);

export interface MerchantClient {
  pay: Pay;
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
    async pay() {
      customers += 1;
      const response = await request(`${apiUrl}/api/v1/stk_push`, {
        dispatcher: agent,
        method: 'POST',
        headers,
        body: JSON.stringify({
          phone_number: payingPhone(customers),
          amount: '10.00',
          account_reference: `bench-${customers}`,
          transaction_desc: 'benchmark',
        }),
      });
      const text = await response.body.text();
      if (turnedAway.has(response.statusCode)) {
        const seconds = Number(response.headers['retry-after']);
        return { kind: 'turned_away', ...(seconds > 0 && { retryAfterMs: seconds * 1_000 }) };
      }
      if (response.statusCode !== 200) throw new Error(`the API answered ${response.statusCode}: ${text}`);
      const { data } = JSON.parse(text) as { data: { payment_id: string } };
      const finished = receiver.delivered(data.payment_id);
      // Whoever drives the load awaits it later; until then a failure must not end the process.
      finished.catch(() => undefined);
      return { kind: 'accepted', id: data.payment_id, finished };
    },
    close: () => agent.close(),
  };
}

/** No two payments in a row are alike, and no number is one of the simulator's special ones, which end in 600. */
export function payingPhone(n: number): string {
  const digits = String(n % 1_000_000).padStart(6, '0');
  return `25479${digits}1`;
}
