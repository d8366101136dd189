import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { minorOf, type DemoResponse, type MerchantApi } from '../../../src/rail-kit/demo';
import type { SandboxMerchant } from '../sandbox-merchants';

const timeoutMs = 30_000;
/**
 * How long it repeats a request while the answer says that nothing was started and when to retry: the machine may be
 * busy.
 */
const patienceMs = 60_000;

export function merchantApi(apiUrl: string, merchant: SandboxMerchant): MerchantApi {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': merchant.api_key,
    'x-api-secret': merchant.api_secret,
  };

  async function ask(path: string, init: RequestInit): Promise<DemoResponse> {
    const key = randomUUID();
    const endsAt = Date.now() + patienceMs;
    for (;;) {
      const response = await fetch(`${apiUrl}${path}`, {
        ...init,
        headers: { ...headers, ...(init.method === 'POST' && { 'idempotency-key': key }) },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const body = (await response.json()) as DemoResponse['body'];
      const againAfterMs = Number(response.headers.get('retry-after')) * 1_000;
      const isAskedBack = response.status === 503 && againAfterMs > 0;
      if (!isAskedBack || Date.now() + againAfterMs > endsAt) return { status: response.status, body };
      await delay(againAfterMs);
    }
  }

  async function call(path: string, init: RequestInit): Promise<Record<string, unknown>> {
    const { status, body } = await ask(path, init);
    if (status !== 200) throw new Error(`${path} answered ${String(status)}: ${JSON.stringify(body)}`);
    return body;
  }

  return {
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    ask: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
    get: (path) => call(path, { method: 'GET' }),
    async walletKesCents() {
      const { balance } = await call('/api/v1/query_balance', { method: 'GET' });
      return minorOf(balance, 'KES');
    },
  };
}
