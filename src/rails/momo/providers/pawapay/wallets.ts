/**
 * pawaPay's wallets (Merchant API v2, Finances, Wallet balances): one per country and currency, or several if a wallet
 * belongs to a single network. Balances are decimal texts.
 */
import {
  jsonOf,
  readWallets,
  type AskableWallets,
  type WalletsAnswer,
} from '../../../../rail-kit/provider-wallets';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';
import type { Ask } from './ask';
import { listOf } from './directory';
import { pawapayStatement } from './statement';
import { recordOf } from './transaction';

/** The provider books its own transactions at once; a network may report a little late. */
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

function read(answer: ProviderResponse): WalletsAnswer {
  const reported = jsonOf(answer);
  if (!('json' in reported)) return reported;
  const { balances } = recordOf(reported.json);
  if (!Array.isArray(balances)) return { kind: 'unknown', text: 'an answer without balances' };
  return {
    kind: 'reported',
    wallets: readWallets(
      listOf(balances).map(({ country, currency, balance }) => ({ country, currency, balance })),
    ),
  };
}
