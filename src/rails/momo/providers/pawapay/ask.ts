import type { ProviderResponse } from '../../../../rail-kit/provider-http';

/**
 * One call of pawaPay's API with the account's token.
 * @param call its name in the metrics and the simulator's journal.
 * @param timeoutMs by default, the rail's timeout for a provider.
 */
export type Ask = (
  call: string,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  timeoutMs?: number,
) => Promise<ProviderResponse>;
