import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAmount, type Currency } from '../../../src/domain/money';
import type { SandboxMerchant } from '../sandbox-merchants';

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** The public API, spoken to as a merchant's server would. */
export interface MerchantApi {
  /** @throws an Error with the answer unless it is a 200. */
  post(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Whatever is answered. */
  ask(path: string, body: Record<string, unknown>): Promise<Answer>;
  /** @throws an Error with the answer unless it is a 200. */
  get(path: string): Promise<Record<string, unknown>>;
  /** The available KES wallet, in cents. */
  walletKesCents(): Promise<bigint>;
}

const timeoutMs = 30_000;
/** How long it does as an answer tells it that nothing was started and when to come again: a machine may just be busy. */
const patienceMs = 60_000;

export function merchantApi(apiUrl: string, merchant: SandboxMerchant): MerchantApi {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': merchant.api_key,
    'x-api-secret': merchant.api_secret,
  };

  async function ask(path: string, init: RequestInit): Promise<Answer> {
    const key = randomUUID();
    const endsAt = Date.now() + patienceMs;
    for (;;) {
      const response = await fetch(`${apiUrl}${path}`, {
        ...init,
        headers: { ...headers, ...(init.method === 'POST' && { 'idempotency-key': key }) },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const body = (await response.json()) as Answer['body'];
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

/** An amount as the API shows it, a JSON number or decimal text, in minor units. */
export function minorOf(amount: unknown, currency: Currency): bigint {
  const minor = parseAmount(String(amount), currency);
  if (minor === undefined) throw new Error(`not an amount: ${JSON.stringify(amount)}`);
  return minor;
}

/** A reference of its own for each start: the same request again within seconds would be refused as a slip. */
export function newReference(): string {
  return `DEMO-${randomBytes(3).toString('hex')}`;
}
