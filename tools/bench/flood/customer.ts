/** A real customer of a shop that orders without keys: one order from each new address. */
import { Agent, request } from 'undici';
import { clockMs, type Pay } from '../load/payment';
import { attackOf } from './attack';
import type { FloodPlan } from './attacker';

/** The status codes that mean "try again". */
const turnedAway = new Set([429, 503]);

export function customers({ apiUrl, merchantId }: Pick<FloodPlan, 'apiUrl' | 'merchantId'>): Pay {
  let count = 0;
  return async () => {
    const localAddress = `127.2.${Math.floor(count / 250)}.${(count % 250) + 1}`;
    count += 1;
    const dispatcher = new Agent({ localAddress });
    const { path, body } = attackOf('initiate', merchantId);
    try {
      const answer = await request(`${apiUrl}${path}`, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.body.text();
      if (turnedAway.has(answer.statusCode)) return { kind: 'turned_away' };
      if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
      return { kind: 'accepted', id: String(count), finished: Promise.resolve(clockMs()) };
    } finally {
      await dispatcher.close();
    }
  };
}
