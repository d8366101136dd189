/**
 * IntaSend's wallets (`GET wallets/` of its own Python client): several may be of one currency, and money goes from one
 * to another of them. `current_balance` is what is there, cleared or not.
 */
import {
  jsonOf,
  readWallets,
  type AskableWallets,
  type WalletsAnswer,
} from '../../../../rail-kit/provider-wallets';
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import { recordOf } from './invoice';
import { intasendStatement } from './statement';

const behindMs = 2 * 60_000;

export function intasendWallets(
  get: (path: string, timeoutMs: number) => Promise<ProviderAnswer>,
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

/** A page of results, or the bare list. What is on another page is not known, and so is no sum. */
function read(answer: ProviderAnswer): WalletsAnswer {
  const told = jsonOf(answer);
  if (!('json' in told)) return told;
  const { results, next } = recordOf(told.json);
  const list: unknown = Array.isArray(told.json) ? told.json : results;
  if (!Array.isArray(list)) return { kind: 'unknown', text: 'an answer without wallets' };
  if (typeof next === 'string') return { kind: 'unknown', text: 'more wallets than one answer tells' };
  return {
    kind: 'told',
    wallets: readWallets(
      list.map(recordOf).map(({ currency, current_balance: balance }) => ({ currency, balance })),
    ),
  };
}
