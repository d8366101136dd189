import type { ProviderAnswer } from '../../../../rail-kit/provider-http';

/**
 * One call of pawaPay's API with the account's token.
 * @param call its name in the metrics and the simulator's journal.
 * @param timeoutMs the rail's own time for a provider unless told.
 */
export type Ask = (
  call: string,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  timeoutMs?: number,
) => Promise<ProviderAnswer>;
