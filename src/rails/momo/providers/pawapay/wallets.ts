/**
 * pawaPay's wallets (Merchant API v2, Finances, Wallet balances): one for each country and currency, or several where a
 * wallet is one network's alone. Balances are decimal texts.
 */
import {
  jsonOf,
  readWallets,
  type AskableWallets,
  type WalletsAnswer,
} from '../../../../rail-kit/provider-wallets';
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import type { Ask } from './ask';
import { listOf } from './directory';
import { pawapayStatement } from './statement';
import { recordOf } from './transaction';

/** It books what it does at once; a network's word to it may be a little late. */
const behindMs = 2 * 60_000;

export function pawapayWallets(ask: Ask, baseUrl: string): AskableWallets {
  return {
    provider: pawapayStatement.provider,
    title: 'pawaPay',
    payments: pawapayStatement.payments,
    baseUrl,
    behindMs,
    keepsPerMille: 50,
    paysOut: true,
    ask: async ({ timeoutMs }) =>
      read(await ask('balances', 'GET', '/v2/wallet-balances', undefined, timeoutMs)),
  };
}

function read(answer: ProviderAnswer): WalletsAnswer {
  const told = jsonOf(answer);
  if (!('json' in told)) return told;
  const { balances } = recordOf(told.json);
  if (!Array.isArray(balances)) return { kind: 'unknown', text: 'an answer without balances' };
  return {
    kind: 'told',
    wallets: readWallets(
      listOf(balances).map(({ country, currency, balance }) => ({ country, currency, balance })),
    ),
  };
}
