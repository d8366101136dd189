/**
 * IntaSend's wallets (`GET wallets/` of its own Python client). Several may have one currency, and money moves between
 * them. `current_balance` is the total, cleared or not.
 */
import {
  jsonOf,
  readWallets,
  type AskableWallets,
  type WalletsAnswer,
} from '../../../../rail-kit/provider-wallets';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';
import { recordOf } from './invoice';
import { intasendStatement } from './statement';

const behindMs = 2 * 60_000;

export function intasendWallets(
  get: (path: string, timeoutMs: number) => Promise<ProviderResponse>,
  baseUrl: string,
): AskableWallets {
  return {
    provider: intasendStatement.provider,
    title: 'IntaSend',
    payments: intasendStatement.payments,
    baseUrl,
    behindMs,
    keepsPerMille: 50,
    paysOut: false,
    ask: async ({ timeoutMs }) => read(await get('/api/v1/wallets/', timeoutMs)),
  };
}

/** A page of results, or the bare list. With more pages, the sum is unknown. */
function read(answer: ProviderResponse): WalletsAnswer {
  const reported = jsonOf(answer);
  if (!('json' in reported)) return reported;
  const { results, next } = recordOf(reported.json);
  const list: unknown = Array.isArray(reported.json) ? reported.json : results;
  if (!Array.isArray(list)) return { kind: 'unknown', text: 'an answer without wallets' };
  if (typeof next === 'string')
    return { kind: 'unknown', text: 'the provider has more wallets than one answer contains' };
  return {
    kind: 'reported',
    wallets: readWallets(
      list.map(recordOf).map(({ currency, current_balance: balance }) => ({ currency, balance })),
    ),
  };
}
