import type { SandboxMerchant } from '../sandbox-merchants';

/** The public API, spoken to as a merchant's server would. */
export interface MerchantApi {
  post(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The available KES wallet. */
  walletKesCents(): Promise<bigint>;
}

const timeoutMs = 30_000;

export function merchantApi(apiUrl: string, merchant: SandboxMerchant): MerchantApi {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': merchant.api_key,
    'x-api-secret': merchant.api_secret,
  };

  async function call(path: string, init: RequestInit): Promise<Record<string, unknown>> {
    const response = await fetch(`${apiUrl}${path}`, {
      ...init,
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${String(response.status)}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  return {
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    async walletKesCents() {
      const { balance } = await call('/api/v1/query_balance', { method: 'GET' });
      return centsOf(balance);
    },
  };
}

/** The API shows amounts as JSON numbers with at most two decimals, which round to whole cents exactly. */
export function centsOf(amount: unknown): bigint {
  const cents = Math.round(Number(amount) * 100);
  if (!Number.isSafeInteger(cents)) throw new Error(`not an amount: ${JSON.stringify(amount)}`);
  return BigInt(cents);
}
